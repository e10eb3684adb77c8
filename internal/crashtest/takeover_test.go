package crashtest

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestWorkersKilledOverAndOverDoEveryJobOnceInOrderAndOneAtATimePerKey(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	db := engines.New(t, "postgres")
	s, _, err := newLife(db, "").openWith(t.Context(), appendTriggers)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	w := &watch{
		trace: newTrace(t), workers: map[string]*process{}, dead: map[string]bool{},
		running: map[string]event{}, starts: map[string]int{},
	}
	w.hire(t, db)
	w.hire(t, db)
	putNumbers(t, s, 0)
	for batch := 1; batch < batches; batch++ {
		for limit := w.ended + 1 + random.IntN(keys); w.ended < limit; {
			w.next(t)
		}
		w.kill()
		w.hire(t, db)
		putNumbers(t, s, batch)
	}
	for left := true; left; {
		if w.next(t).what == "empty" {
			jobs, err := s.Jobs(t.Context(), store.JobFilter{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			left = len(jobs) > 0
		}
	}
	w.dismiss(t)
	checkNumbers(t, s)
}

// watch follows what workers say and looks out for jobs that overlap.
type watch struct {
	*trace
	workers map[string]*process // that were not killed
	dead    map[string]bool     // that the trace says were
	hired   int
	running map[string]event // by key
	starts  map[string]int   // by job
	ended   int              // jobs, by those workers
	last    string           // who ended one last
}

func (w *watch) hire(t *testing.T, db engines.Place) {
	t.Helper()
	w.hired++
	name := fmt.Sprintf("worker%d", w.hired)
	w.workers[name] = w.start(t, task{Program: "append", Database: db, Name: name})
}

// kill kills the worker that was heard of last: it is in the middle of its
// work. From the moment that the trace says so its jobs may be taken over.
func (w *watch) kill() {
	w.note(w.last, "dies")
	w.workers[w.last].signal(syscall.SIGKILL)
	delete(w.workers, w.last)
}

// next waits for the next event and fails if it says that two jobs of a key
// overlap, or that a worker failed.
func (w *watch) next(t *testing.T) event {
	t.Helper()
	e := w.trace.next(t)
	if w.dead[e.who] {
		return e // its last words, between the note and the kill, or the end itself
	}
	switch e.what {
	case "start":
		key, job := e.args[0], e.args[1]
		if other, ok := w.running[key]; ok {
			t.Fatalf("two jobs of a key at a time: %sbefore the end of: %s", e, other)
		}
		w.running[key] = e
		w.starts[job]++
	case "end":
		delete(w.running, e.args[0])
		if w.workers[e.who] != nil {
			w.ended++
			w.last = e.who
		}
	case "dies":
		w.dead[e.who] = true
		for key, started := range w.running {
			if started.who == e.who {
				delete(w.running, key)
			}
		}
	case "empty":
	default:
		t.Fatalf("unexpected: %s", e)
	}
	return e
}

// dismiss ends the workers that live, and makes sure that the others left
// something to take over.
func (w *watch) dismiss(t *testing.T) {
	t.Helper()
	for name, p := range w.workers {
		p.stdin.Close()
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s ended with %d", name, code)
		}
	}
	again := 0
	for _, n := range w.starts {
		if n > 1 {
			again++
		}
	}
	t.Logf("%d workers were killed, %d jobs started again", w.hired-len(w.workers), again)
	if again == 0 {
		t.Error("no job was interrupted: this tested nothing")
	}
}
