package runs_test

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
)

const graph = `{"id":"answer","name":"Answer","nodes":[{"id":"start","nodeId":"on-start"},
	{"id":"ask","nodeId":"invoke-language-model","parameters":{"system":"Answer briefly."}},{"id":"out","nodeId":"output","parameters":{"name":"answer"}}],
	"edges":[{"sourceNodeId":"start","sourcePortId":"signal","targetNodeId":"ask","targetPortId":"run"},
	{"sourceNodeId":"start","sourcePortId":"text","targetNodeId":"ask","targetPortId":"prompt"},
	{"sourceNodeId":"ask","sourcePortId":"done","targetNodeId":"out","targetPortId":"run"},
	{"sourceNodeId":"ask","sourcePortId":"text","targetNodeId":"out","targetPortId":"value"}]}`

func TestGraphsAndPrioritisationsAreRuns(t *testing.T) {
	each(t, func(p *person) {
		p.Wants(201, "POST", "records/agent_graphs", graph)
		var begun struct {
			ID        string `json:"id"`
			SessionID string `json:"session_id"`
		}
		p.Into(&begun, 202, "POST", "records/agent_graphs/answer/executions", `{"input":{"text":"What is 6*7?"}}`)
		if got := p.run(begun.ID).Run; got.Kind != nestor.RunOfGraph || got.Status != nestor.RunSuccess || got.EndedAt < got.BeganAt || got.Usage.Tokens() == 0 || !slices.Equal(got.Models, []string{"demo"}) {
			p.Errorf("of a graph: %+v", got)
		}
		p.Wants(201, "POST", "outcomes", `{"direction":"launch","object":"the shop","metric":"orders","clarifier":"20 by June"}`)
		p.Wants(201, "POST", "documents", `{"title":"Plan","content":"- Design the shop (2h)\n- Build the shop (4h)"}`)
		p.Settled()
		p.Into(&begun, 202, "POST", "agent/prioritize", `{}`)
		if got := p.run(begun.SessionID).Run; got.Kind != nestor.RunOfPrioritisation || got.Status != nestor.RunSuccess {
			p.Errorf("of a prioritisation: %+v", got)
		}
		var listed struct{ Items []nestor.Run }
		p.Into(&listed, 200, "GET", "runs?kind=graph", "")
		if len(listed.Items) != 1 || listed.Items[0].Kind != nestor.RunOfGraph {
			p.Errorf("listed: %+v", listed)
		}
	})
}

func TestAFailedRunThatIsTriedAgainGoesOn(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t1","name":"tool:calculator","type":"tool","args":{"expression":"1/0"}}`)
		if got := p.run("t1").Run; got.Status != nestor.RunFailed || len(got.Errors) == 0 {
			p.Fatalf("got %+v", got)
		}
		p.Wants(200, "POST", "chats/c1/tasks/t1/retry", "")
		if got := p.run("t1").Run; got.Status != nestor.RunFailed || got.Resumes != 1 {
			p.Errorf("got %+v", got)
		}
	})
}

func TestARunWhoseAgentCouldNotDoItsTaskIsNoSuccess(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(200, "PATCH", "chats/c1", `{"participant":"agent:general"}`)
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t1","name":"agent:general","instruction":"Paint my house"}`)
		p.asks("c1", "m1", "Paint my house")
		p.asks("c1", "m2", "Compute 6*7")
		for id, want := range map[string]nestor.RunStatus{"t1": nestor.RunFailed, "m1": nestor.RunFailed, "m2": nestor.RunSuccess} {
			got := p.run(id)
			if got.Run.Status != want || want == nestor.RunFailed && (len(got.Run.Errors) == 0 || !strings.Contains(got.Text, "I could not do this")) {
				p.Errorf("%s: got %+v, %q", id, got.Run, got.Text)
			}
		}
	})
}

// The stream of a chat, which others may read, too, tells when runs, agents and tools
// begin and end. The runs themselves are their user's.
func TestTheStreamOfAChatTellsOfItsRuns(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.chat("c2")
		res := p.Open(p.Request("GET", "chats/c1/events?from=0", ""))
		defer res.Body.Close()
		p.asks("c2", "other", "Hello")
		p.asks("c1", "m1", "Compute 6*7")
		var told []string
		var name string
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "event":
				name = value
			case "data":
				var e runs.Event
				if name == "change" || name == "delta" {
					continue
				}
				if err := json.Unmarshal([]byte(value), &e); err != nil || e.RunID != "m1" || e.Run != nil || e.Message != nil {
					p.Errorf("%s: %s", name, value)
				}
				told = append(told, name)
			}
			if name == "run_ended" && field == "data" {
				break
			}
		}
		if want := []string{"run_began", "agent_began", "tool_began", "tool_ended", "agent_ended", "run_ended"}; !slices.Equal(told, want) {
			p.Errorf("told was %q", told)
		}
	})
}

// Who runs the server sees the runs of others; others do not.
func TestRunsAreTheirUsers(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Hello"}`, `"status":"success"`)
		ann.Wants(200, "GET", "runs", "", `"id":"m1"`)
		p.Wants(200, "GET", "runs?user=ann", "", `"id":"m1"`)
		p.Wants(200, "GET", "runs/m1?user=ann", "", `"id":"m1"`)
		for _, path := range []string{"runs/m1?user=ann", "runs/m1/events?user=ann", "runs/m1/waits?user=ann", "runs/m1"} {
			bob.Wants(404, "GET", path, "")
		}
		bob.Wants(404, "POST", "runs/m1/cancel?user=ann", "")
		bob.Wants(403, "GET", "runs?user=ann", "")
		// A key for runs alone is told nothing of what was said in the chat.
		key := ann.WithKey("read", "users/ann/runs/**")
		if got := key.Wants(200, "GET", "runs/m1", "", `"status":"success"`, `"text":""`); strings.Contains(got, `"content"`) {
			p.Errorf("the key reads %s", got)
		}
		ann.Wants(200, "GET", "runs/m1", "", `"content"`)
		ann.Wants(403, "PUT", "docs/users/ann/runs/m1", `{"status":"failed"}`)
	})
}
