package agent_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestACancelOnAnotherNodeStopsTheModelAndTheTools(t *testing.T) {
	database := engines.Postgres(t)
	w := stage(t, newBench(t, database), txtar.Parse([]byte(`
-- reply call --
when last user is Work.
call echo {"text": "slow"}
`)), false)
	elsewhere := agent.New(agent.Options{Store: database(t, store.Options{}), Logger: quiet})
	w.do("hold tool echo")
	w.do("hold model Think.")
	w.do("task general: Work.")
	w.do("task general: Think.")
	for _, task := range []string{"task1", "task2"} {
		if err := elsewhere.Cancel(t.Context(), w.task(task), w.person("ann")); err != nil {
			t.Fatal(err)
		}
	}
	w.do("interrupted tool echo")
	w.do("interrupted model Think.")
	w.finish()
}

func TestWithoutAFeedWhatIsCancelledEndsWithItsNextCommit(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte(`
-- reply call --
call echo {"text": "slow"}
`)), false)
		w.handlers = agent.New(agent.Options{Store: b.store, Models: w, Tools: &w.tools, Logger: quiet}).Handlers()
		w.do("hold tool echo")
		w.do("task general: Work.")
		w.do("cancel task1")
		w.do("release tool echo")
		w.finish()
		if call := load[nestor.ToolCall](w, w.call("agent1", "echo", 1)); call.Status != nestor.ToolCallCancelled {
			t.Errorf("the call is %s", call.Status)
		}
	})
}
