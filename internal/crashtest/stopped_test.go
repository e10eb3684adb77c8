package crashtest

import (
	"context"
	"io"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
)

var slowTriggers = []nestor.Trigger{{
	ID: "on-slow", Collection: "slow", Events: []nestor.ChangeType{nestor.Create}, Action: "POST /webhook/slow",
}}

// runSlow is a worker with a short lease and a handler that waits for a line
// on standard input, if so told, whatever happens meanwhile. It says "start"
// and, with the outcome, "end".
func runSlow(ctx context.Context, c *child) error {
	s, set, err := c.life().openWith(ctx, slowTriggers)
	if err != nil {
		return err
	}
	defer s.Close()
	w := worker.New(s, worker.Options{
		LeaseTTL: 3 * time.Second, // a process that is only slow keeps it
		Grace:    atOnce,
		Poll:     50 * time.Millisecond,
		Plan:     module.Plan(set),
		Handlers: map[string]worker.Handler{"slow": {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			c.say("start", j.Change.Path)
			if c.Wait {
				<-c.input
			}
			return c.sign(j), nil
		}}},
		Hooks: worker.Hooks{Ended: func(j *nestor.Job, o worker.Outcome, _ time.Duration) { c.say("end", j.Change.Path, o) }},
	})
	return w.Run(ctx)
}

type signatures struct {
	By []string `json:"by"`
}

// sign adds the child's name to the document that caused the job.
func (c *child) sign(j *nestor.Job) worker.Effect {
	return func(tx store.Tx) error {
		var doc signatures
		if err := read(tx, j.Change.Path, &doc); err != nil {
			return err
		}
		doc.By = append(doc.By, c.Name)
		_, err := tx.Put(j.Change.Path, doc, store.AnyVersion)
		return err
	}
}

func TestAProcessThatWasStoppedLosesItsJobAndCannotCompleteItLater(t *testing.T) {
	db := engines.New(t, "postgres")
	s, _, err := newLife(db, "").openWith(t.Context(), slowTriggers)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tr := newTrace(t)

	first := tr.start(t, task{Program: "slow", Database: db, Name: "first", Wait: true})
	create(t, s, "slow/s1")
	tr.expect(t, "first", "start", "slow/s1")
	first.signal(syscall.SIGSTOP)

	second := tr.start(t, task{Program: "slow", Database: db, Name: "second"})
	tr.expect(t, "second", "start", "slow/s1")
	tr.expect(t, "second", "end", "slow/s1", worker.Done)

	first.tell(t, "go on")
	first.signal(syscall.SIGCONT)
	tr.expect(t, "first", "end", "slow/s1", worker.LeaseLost)
	if by := signed(t, s, "slow/s1"); !slices.Equal(by, []string{"second"}) {
		t.Errorf("the job was carried out by %v", by)
	}

	// It joins again and takes what comes next. It may have taken that before, for the node
	// that it no longer is: then it begins a second time, and that one counts.
	second.stdin.Close()
	tr.expect(t, "second", "exited", 0)
	create(t, s, "slow/s2")
	for begun, ended, done := 0, 0, false; !done || ended < begun; {
		switch e := tr.next(t); e.String() {
		case line("first", "start", "slow/s2"):
			begun++
			first.tell(t, "go on")
		case line("first", "end", "slow/s2", worker.LeaseLost):
			ended++
		case line("first", "end", "slow/s2", worker.Done):
			ended++
			done = true
		default:
			t.Fatalf("%swhile waiting for the next job", e)
		}
	}
	first.stdin.Close()
	tr.expect(t, "first", "exited", 0)
	if by := signed(t, s, "slow/s2"); !slices.Equal(by, []string{"first"}) {
		t.Errorf("the next job was carried out by %v", by)
	}
	if counts, err := s.CountJobs(t.Context()); err != nil || len(counts) != 0 {
		t.Errorf("left over: %v, %v", counts, err)
	}
}

func (p *process) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, s store.Store, p nestor.Path) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Create(p, signatures{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func signed(t *testing.T, s store.Store, p nestor.Path) []string {
	t.Helper()
	var doc signatures
	if err := s.View(t.Context(), func(r store.Reader) error { return read(r, p, &doc) }); err != nil {
		t.Fatal(err)
	}
	return doc.By
}
