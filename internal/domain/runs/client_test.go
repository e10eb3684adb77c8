package runs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const doors = `
-- reply open --
when last user contains Open
when tools contains open_door
call open_door {"which": "front"}
call open_door {"which": "back"}

-- reply done --
when last tool contains the front door is open
when last tool contains it is stuck
text: The front door is open.
`

// What the client brings along is called as any tool, and the run waits until the client
// gives the results.
func TestTheClientRunsItsOwnTools(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, err := scripted.Parse([]byte(doors))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = model
		p := &person{Person: servertest.Enter(t, cfg)}
		const tools = `"clientTools":[{"name":"open_door","parameters":{"type":"object","properties":{"which":{"type":"string"}},"required":["which"]}}]`
		for body, want := range map[string]string{
			`{"clientTools":[{"name":"final_answer"}]}`:                       "agents have a tool final_answer of their own",
			`{"clientTools":[{"name":"open the door"}]}`:                      "1 to 64 letters",
			`{"clientTools":[{"name":"a"},{"name":"a"}]}`:                     "two tools a",
			`{"clientTools":[{"name":"a","parameters":{"type":"number"}}]}`:   "the tool a",
			`{"clientTools":[{"name":"a","parameters":{"type":"nonsense"}}]}`: "the tool a",
		} {
			p.Wants(400, "POST", "chats", body, want, `"field":"clientTools"`)
		}
		p.Wants(201, "POST", "chats", `{"id":"c1","participant":"agent:general",`+tools+`}`)
		got := p.asks("c1", "m1", "Open the doors")
		if got.Run.Status != nestor.RunWaiting || len(got.Run.WaitingFor) != 1 {
			t.Fatalf("the run is %+v", got.Run)
		}
		var calls []event
		for _, e := range p.told("m1", "", "run_waits") {
			if e.name == "client_call" {
				calls = append(calls, e)
			}
		}
		if len(calls) != 2 || calls[0].Tool != "open_door" || string(calls[0].Args) != `{"which":"front"}` {
			t.Fatalf("the client was asked for %+v", calls)
		}
		decide := func(e event, status int, body string, wants ...string) {
			t.Helper()
			at := "chats/" + strings.TrimPrefix(string(e.Path), "users/local/orch-chats/") + "/decision"
			p.Wants(status, "POST", at, body, wants...)
		}
		decide(calls[0], 400, `{"action":"approve"}`, "decide one of [result fail]")
		decide(calls[0], 200, `{"action":"result","reason":"the front door is open"}`, `"status":"success"`)
		decide(calls[0], 400, `{"action":"result","reason":"twice"}`, "there is nothing to decide")
		decide(calls[1], 200, `{"action":"fail","reason":"it is stuck"}`, `"status":"failed"`)
		p.Into(&got, 200, "GET", "runs/m1?wait=1", "")
		if got.Run.Status != nestor.RunSuccess || got.Text != "The front door is open." || !slices.Equal(got.Run.Tools, []string{"open_door"}) {
			t.Errorf("got %+v", got)
		}
		if err := model.Finished(); err != nil {
			t.Error(err)
		}
	})
}
