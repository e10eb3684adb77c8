package agent_test

import (
	"context"
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// attempt is what the context of a handler tells.
type attempt struct {
	world *world
	job   string
	of    *nestor.Job // one for each attempt, nil where a webhook does the work
}

type attemptKey struct{}

func worldOf(ctx context.Context) *world { return attemptOf(ctx).world }

func jobOf(ctx context.Context) string { return attemptOf(ctx).job }

func attemptOf(ctx context.Context) attempt { return ctx.Value(attemptKey{}).(attempt) }

// run runs a handler, twice if the world is such. It passes the gates as "job
// NAME PATH" before and as "commit NAME PATH" after.
func (w *world) run(ctx context.Context, name string, job *nestor.Job) (worker.Effect, error) {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, attemptKey{}, attempt{w, job.ID, job}))
	defer cancel(nil)
	w.begin(job, cancel)
	defer w.end(job)
	what := name + " " + w.names.hide(string(job.Change.Path))
	if err := w.gates.pass(ctx, "job "+what); err != nil {
		return nil, err
	}
	effect, err := w.handlers[name].Run(ctx, job)
	if err != nil {
		return nil, err
	}
	waited, err := w.gates.wait(ctx, "commit "+what)
	if err != nil || effect == nil || waited || !w.twice {
		return effect, err // the world may have moved on while it waited
	}
	return nil, w.again(ctx, name, job, effect)
}

// begin checks that no two jobs of a key overlap: no two steps of an agent, no
// two answers in a chat.
func (w *world) begin(j *nestor.Job, cancel context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.active[j.Key]; other != nil {
		w.Errorf("%s overlaps with %s", j.Trigger, other.Trigger)
	}
	w.active[j.Key] = j
	w.cancels[j.ID] = cancel
}

func (w *world) end(j *nestor.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, j.Key)
	delete(w.cancels, j.ID)
}

// again commits what a job did and delivers the job once more. No other job
// commits in between, so there is nothing left for it to do.
func (w *world) again(ctx context.Context, name string, job *nestor.Job, first worker.Effect) error {
	w.commits.Lock()
	defer w.commits.Unlock()
	ctx = context.WithoutCancel(ctx)
	if err := w.bench.store.Update(ctx, first); err != nil {
		return err
	}
	second, err := w.handlers[name].Run(ctx, job)
	if err != nil || second == nil {
		return err
	}
	return w.bench.store.Update(ctx, func(tx store.Tx) error {
		return second(unwritable{tx, func(p nestor.Path) { w.Errorf("the second delivery to %s writes %s", name, w.names.hide(string(p))) }})
	})
}

// unwritable tells of every write that succeeds.
type unwritable struct {
	store.Tx
	wrote func(nestor.Path)
}

func (u unwritable) Create(p nestor.Path, body any) (*nestor.Document, error) {
	d, err := u.Tx.Create(p, body)
	return u.tell(d, err)
}

func (u unwritable) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	d, err := u.Tx.Put(p, body, version)
	return u.tell(d, err)
}

func (u unwritable) tell(d *nestor.Document, err error) (*nestor.Document, error) {
	if err == nil {
		u.wrote(d.Path)
	}
	return d, err
}

var errCrash = errors.New("the process ended")

// crash ends the attempts that are under way as the end of a process does: the
// jobs are run again.
func (w *world) crash() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.cancels {
		cancel(errCrash)
	}
}

func (w *world) jobStarted(j *nestor.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started[j.ID]++
}

func (w *world) jobEnded(j *nestor.Job, outcome worker.Outcome) {
	w.mu.Lock()
	if w.started[j.ID]--; w.started[j.ID] == 0 {
		delete(w.started, j.ID)
	}
	// The next attempt at a job that was given back may have begun.
	its := func(a *account) bool { return a.job == j.ID && (a.attempt == nil || a.attempt == j) }
	w.replies = slices.DeleteFunc(w.replies, func(a account) bool { return its(&a) && !a.done && outcome != worker.Done })
	for i := range w.replies {
		if a := &w.replies[i]; its(a) {
			a.done = true
		}
	}
	w.mu.Unlock()
	w.poke()
}
