package agent_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// slow makes transactions wait, before they read or before they commit. On
// PostgreSQL others go on meanwhile, and what they write is younger.
type slow struct {
	store.Documents
	toRead bool          // wait before reading
	begun  chan struct{} // closed when the first waits
	goOn   chan struct{}
	once   *sync.Once
}

func newSlow(d store.Documents, toRead bool) slow {
	return slow{d, toRead, make(chan struct{}), make(chan struct{}), &sync.Once{}}
}

func (s slow) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.Documents.Update(ctx, func(tx store.Tx) error {
		if s.toRead {
			s.wait()
		}
		if err := fn(tx); err != nil || s.toRead {
			return err
		}
		s.wait()
		return nil
	})
}

func (s slow) wait() {
	s.once.Do(func() { close(s.begun) })
	<-s.goOn
}

// tick waits for the next millisecond, so that what follows is younger.
func tick() {
	for now := time.Now().UnixMilli(); time.Now().UnixMilli() == now; {
		runtime.Gosched()
	}
}

func TestAMessageThatCommitsAfterAYoungerOneIsNotLost(t *testing.T) {
	w := stage(t, newBench(t, engines.Postgres(t)), txtar.Parse([]byte(`
-- reply too early --
when last user contains Younger.
when history lacks Older.
text: I know of one.
-- reply both --
when history contains Older.
when last user contains Younger.
text: I know of both.
`)), false)
	late := newSlow(w.bench.store, false)
	var said sync.WaitGroup
	said.Go(func() {
		err := late.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(w.chat.Child("messages", "older"), nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: "Older."})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-late.begun
	tick()
	w.do("hold commit orchestrator")
	w.do("user: Younger.")
	close(late.goOn)
	said.Wait()
	w.do("release commit orchestrator")
	w.finish()
	if got := w.render(); !strings.Contains(got, "assistant to m1: I know of both.") {
		t.Errorf("got\n%s", got)
	}
}

func TestASteeringMessageThatCommitsAfterAYoungerResultIsNotLost(t *testing.T) {
	w := stage(t, newBench(t, engines.Postgres(t)), txtar.Parse([]byte(`
-- reply call --
when last user is Work.
call echo {"text": "1"}
-- reply too early --
when last tool is echo 1
when history lacks Stop at two.
text: Too early.
-- reply done --
when last user is Stop at two.
when history contains Too early.
text: Done.
`)), false)
	late := newSlow(w.bench.store, false)
	person := agent.New(agent.Options{Store: late, Logger: quiet})
	w.do("hold tool echo")
	w.do("task general: Work.")
	var said sync.WaitGroup
	said.Go(func() {
		if _, err := person.Steer(t.Context(), w.task("task1"), w.person("ann"), "Stop at two."); err != nil {
			t.Error(err)
		}
	})
	<-late.begun
	tick()
	w.do("hold commit agent-loop") // or the task may have ended before
	w.gates.open("tool echo")
	m := w.models[""].speaker.(*scripted.Model)
	w.until("the model has concluded", func() bool { return len(m.Requests()) == 2 })
	close(late.goOn)
	said.Wait()
	w.do("release commit agent-loop")
	w.rest()
	w.finish()
}

func TestASteeringMessageThatBeganBeforeAYoungerOneIsNotLost(t *testing.T) {
	w := stage(t, newBench(t, engines.Postgres(t)), txtar.Parse([]byte(`
-- reply first --
when last user is Work.
text: First.
-- reply second --
when last user is Younger.
text: Second.
-- reply third --
when last user is Older.
when history contains Second.
text: Third.
`)), false)
	late := newSlow(w.bench.store, true)
	person := agent.New(agent.Options{Store: late, Logger: quiet})
	w.do("task general: Work.")
	var said sync.WaitGroup
	said.Go(func() {
		if _, err := person.Steer(t.Context(), w.task("task1"), w.person("ann"), "Older."); err != nil {
			t.Error(err)
		}
	})
	<-late.begun
	tick()
	w.do("hold commit agent-loop")
	w.do("steer task1: Younger.")
	close(late.goOn)
	said.Wait()
	w.do("release commit agent-loop")
	w.finish()
}
