package graphs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
)

func TestANodeWaitsForItsAgent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "a invoke-agent", "o output"}, "s.signal>a.run", "s.text>a.instruction", "a.done>o.run", "a.text>o.value")
		x := p.runs("g", `"Compute 6*7"`)
		live := p.follows(x, "")
		p.ends(x, `"status":"completed"`, "42")
		want := []string{
			"execution_began", "node_began s", "node_completed s", "node_began a", "node_delegated a", "node_completed a", "node_began o", "node_completed o", "execution_completed",
		}
		later := <-p.follows(x, "")
		if got := told(later); !slices.Equal(got, want) {
			t.Errorf("told afterwards was %q", got)
		}
		// Who follows is told where the agent works.
		for _, events := range [][]event{<-live, later} {
			at := slices.IndexFunc(events, func(e event) bool { return e.name == "node_delegated" })
			if at < 0 || !strings.Contains(events[at].data, `"chatId":"graph-`) {
				t.Errorf("no chat is told in %q", events)
			}
		}
		p.wants(200, "GET", "chats", "", `"title":"A graph: a"`)
	})
}

func TestANodeWhoseAgentCouldNotDoItsTaskFails(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "a invoke-agent", "o output"}, "s.signal>a.run", "s.text>a.instruction", "a.done>o.run", "a.text>o.value")
		x := p.runs("g", `"Paint my house"`) // with which nothing that the demo model has helps
		p.ends(x, `"status":"failed"`, "the agent could not do it: I could not do this")
	})
}

func TestTheResultOfANodesAgentIsAValueThatFits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, err := modeltest.Parse(`
-- reply in words --
when last user is Weigh it
text: Five kilos.
-- reply in figures --
when last user contains Give the result by final_answer.
call final_answer {"answer": {"kilos": 5}}
`)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", `a invoke-agent {"resultSchema":{"type":"object","properties":{"kilos":{"type":"number"}},"required":["kilos"]}}`, "o output"},
			"s.signal>a.run", "s.text>a.instruction", "a.done>o.run", "a.value>o.value")
		p.ends(p.runs("g", `"Weigh it"`), `"status":"completed"`, `{"kilos":5}`)
	})
}

func TestAnExecutionThatIsCancelledOrDeletedStopsItsAgents(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &waiting{demo.New(demo.Options{Instant: true}), make(chan struct{}, 10), make(chan struct{}, 10)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "a invoke-agent"}, "s.signal>a.run", "s.text>a.instruction")
		for _, stop := range [][2]string{{"POST", "/cancel"}, {"DELETE", ""}} {
			x := p.runs("g", `"Compute 6*7"`)
			<-model.asked
			if res, text := p.send(stop[0], executions+"/"+x+stop[1], ""); res.StatusCode >= 300 {
				t.Fatalf("%s: %s", stop, text)
			}
			model.isStopped(t)
			if err := p.Wait(p.Context()); err != nil {
				t.Fatal(err)
			}
		}
		tasks := p.wants(200, "POST", "query", `{"flat":"tasks"}`)
		if n := strings.Count(tasks, `"status":"cancelled"`); n != 2 {
			t.Errorf("%d tasks are cancelled: %s", n, tasks)
		}
	})
}
