package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/recovery"
	"github.com/nestorhq/nestor/internal/store"
)

// Outcome says how an attempt ended.
type Outcome string

// The outcomes of an attempt.
const (
	Done      Outcome = "done"
	Retried   Outcome = "retried"
	Dead      Outcome = "dead"
	LeaseLost Outcome = "lease_lost"
	// PutOff: it could not begin yet; the job will run again.
	PutOff Outcome = "put_off"
	// Drained: interrupted because the worker stops; the job will run again.
	Drained Outcome = "drained"
)

// Hooks are called as attempts start and end. Each may be nil.
type Hooks struct {
	// Started tells how long after the commit that claimed it a job began.
	Started func(job *nestor.Job, hop time.Duration)
	Ended   func(job *nestor.Job, outcome Outcome, took time.Duration)
}

func (h Hooks) started(j *nestor.Job, hop time.Duration) {
	if h.Started != nil {
		h.Started(j, hop)
	}
}

func (h Hooks) ended(j *nestor.Job, o Outcome, took time.Duration) {
	if h.Ended != nil {
		h.Ended(j, o, took)
	}
}

// run makes one attempt and records how it ended.
func (w *Worker) run(ctx context.Context, j *nestor.Job) {
	began := time.Now()
	j.BeganAt = nestor.Millis(began)
	err := recovery.Call(func() error { return w.attempt(ctx, j) })
	outcome := w.recordEnd(ctx, j, err)
	w.tell(j, func() { w.opts.Hooks.ended(j, outcome, time.Since(began)) })
}

// tell calls a hook. One that panics is logged, and the job is none the worse.
func (w *Worker) tell(j *nestor.Job, hook func()) {
	recovery.Logged(w.log, "a hook of the worker panicked", hook, "job", j.ID, "trigger", j.Trigger)
}

// attempt runs the handler and commits its effects. A panic of either is an error like any
// other.
func (w *Worker) attempt(life context.Context, j *nestor.Job) error {
	h, plan, err := w.handler(j)
	if err != nil {
		return err
	}
	if most := plan.Retry.WithDefaults().MaxAttempts + maxInterrupted; j.Attempt > most {
		return nestor.Errorf(nestor.CodeInvalid, "%d attempts at this job did not come to an end, the last one because %s", j.Attempt-1, j.Error)
	}
	timeout := plan.Timeout
	if timeout == 0 {
		timeout = 10 * time.Minute
	}
	ctx, cancel := context.WithTimeoutCause(life, timeout, w.timedOut(plan.String(), timeout))
	defer cancel()
	effect, err := h.call(store.During(ctx, j), j)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
		return err
	}
	// From here on the work is done: only the lease can stop it from counting.
	return w.complete(context.WithoutCancel(ctx), life, j, effect)
}

// complete commits a job's effects. It insists while the store is away, since
// doing the work again could cost more than waiting: a model would be asked
// again. If an earlier commit took effect after all, the next one finds that
// the job is not ours any more.
func (w *Worker) complete(ctx, life context.Context, j *nestor.Job, effect Effect) error {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := recovery.Call(func() error { return w.store.Complete(ctx, j, effect) })
		if !errors.Is(err, nestor.ErrUnavailable) {
			return err
		}
		w.log.Warn("a job is done and cannot be recorded yet", "job", j.ID, "trigger", j.Trigger, "error", err)
		select {
		case <-life.Done():
			return fmt.Errorf("%w: %w", context.Cause(life), err)
		case <-time.After(pause):
		}
	}
}

// timedOut is the cause of an attempt that took too long. It is made once for
// all jobs of a kind; few ever need it.
func (w *Worker) timedOut(action string, timeout time.Duration) error {
	type kind struct {
		action  string
		timeout time.Duration
	}
	k := kind{action, timeout}
	if err, ok := w.causes.Load(k); ok {
		return err.(error)
	}
	err, _ := w.causes.LoadOrStore(k, nestor.Errorf(nestor.CodeTimeout, "%s did not finish in %s", action, timeout))
	return err.(error)
}

// maxInterrupted is how often a job may be cut short by the end of its process,
// beyond its attempts, before it counts as the cause.
const maxInterrupted = 20

// call runs the handler; a panic is an error like any other.
func (h *Handler) call(ctx context.Context, j *nestor.Job) (effect Effect, err error) {
	err = recovery.Call(func() (err error) {
		effect, err = h.Run(ctx, j)
		return err
	})
	return effect, err
}

// handler finds what to do about a job. What the trigger says now counts, not
// what it said when the job was queued.
func (w *Worker) handler(j *nestor.Job) (Handler, Plan, error) {
	plan, ok := w.opts.Plan(j.Trigger)
	if !ok {
		return Handler{}, plan, nestor.Errorf(nestor.CodeInvalid, "the trigger %s of this job is not configured any more", j.Trigger)
	}
	h := w.opts.Webhook
	if plan.Handler != "" {
		h = w.opts.Handlers[plan.Handler]
	}
	if h.Run == nil {
		return h, plan, nestor.Errorf(nestor.CodeInvalid, "there is no handler %q, which trigger %s names", plan.Handler, j.Trigger)
	}
	return h, plan, nil
}

// recordEnd records the end of an attempt. It insists: an outcome that is not
// recorded would leave the job running for ever.
func (w *Worker) recordEnd(ctx context.Context, j *nestor.Job, err error) Outcome {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		outcome, failure := w.record(ctx, j, err)
		if failure == nil {
			return outcome
		}
		if errors.Is(failure, nestor.ErrLeaseLost) {
			return LeaseLost
		}
		w.log.Error("recording how a job ended failed", "job", j.ID, "trigger", j.Trigger, "error", failure)
		select {
		case <-ctx.Done():
			return LeaseLost // whoever takes over decides
		case <-time.After(pause):
		}
	}
}

func (w *Worker) record(ctx context.Context, j *nestor.Job, err error) (Outcome, error) {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return Done, nil
	case errors.Is(err, nestor.ErrLeaseLost):
		return LeaseLost, nil
	case cause != nil && errors.Is(err, errDrained):
		return Drained, nil // leaving gives it back
	}
	write := context.WithoutCancel(ctx)
	if errors.As(err, new(nestor.PutOff)) {
		return PutOff, w.store.PutOff(write, j, time.Now().Add(pause(j)), err.Error())
	}
	_, plan, _ := w.handler(j)
	policy := plan.Retry.WithDefaults()
	if j.Attempt >= policy.MaxAttempts || permanent(err) {
		return Dead, w.bury(write, j, err)
	}
	delay := Backoff(policy, j.Attempt, err)
	failure := w.store.Retry(write, j, time.Now().Add(delay), err.Error())
	if failure == nil {
		w.log.Warn("a job failed and will be tried again", "job", j.ID, "trigger", j.Trigger, "path", j.Change.Path,
			"attempt", j.Attempt, "in", delay, "error", err)
	}
	return Retried, failure
}

// The bounds of the pause of a job that is put off.
const (
	minPause = 100 * time.Millisecond
	maxPause = 2 * time.Second
)

// pause is how long a job waits that is put off: a quarter of the time since it
// was there to do, within bounds, so that a job that waits long asks rarely. Half
// of it is random, so that many do not return at once.
func pause(j *nestor.Job) time.Duration {
	d := min(max(time.Since(time.UnixMilli(j.Change.At))/4, minPause), maxPause)
	return d/2 + rand.N(d/2+1)
}

// bury gives a job up, with what its handler wants to leave, if that can be
// written. It is logged only after that: a node that lost the job to another
// cannot give it up, whatever it failed on.
func (w *Worker) bury(ctx context.Context, j *nestor.Job, cause error) error {
	h, _, _ := w.handler(j)
	failure := recovery.Call(func() error {
		var effect Effect
		if h.Exhausted != nil {
			effect = h.Exhausted(j, cause)
		}
		return w.store.Bury(ctx, j, cause.Error(), effect)
	})
	var unwritten error
	if failure != nil && h.Exhausted != nil && !errors.Is(failure, nestor.ErrLeaseLost) && !errors.Is(failure, nestor.ErrUnavailable) {
		unwritten = failure
		failure = w.store.Bury(ctx, j, cause.Error()+"\n"+unwritten.Error(), nil)
	}
	if failure != nil {
		return failure
	}
	w.log.Error("a job is given up", "job", j.ID, "trigger", j.Trigger, "path", j.Change.Path, "attempt", j.Attempt, "error", cause)
	if unwritten != nil {
		w.log.Error("what a given-up job should leave cannot be written", "job", j.ID, "error", unwritten)
	}
	return nil
}

// permanent reports errors that another attempt would meet again.
func permanent(err error) bool {
	switch nestor.CodeOf(err) {
	case nestor.CodeInvalid, nestor.CodeNotFound, nestor.CodeExists, nestor.CodeForbidden, nestor.CodeUnauthenticated,
		nestor.CodeTooLarge, nestor.CodeOverBudget, nestor.CodeStorageFull:
		return true
	}
	return false
}

// maxRetryAfter caps what a server may ask for.
const maxRetryAfter = time.Hour

// Backoff is how long to wait after a failed attempt: what [nestor.Backoff] says,
// and never less than the failure asks for ([nestor.RetryAfter]).
func Backoff(p nestor.RetryPolicy, attempt int, err error) time.Duration {
	p = p.WithDefaults()
	d := nestor.Backoff(time.Duration(p.InitialBackoff), time.Duration(p.MaxBackoff), attempt)
	if wait, ok := nestor.WaitOf(err); ok {
		d = max(d, min(wait, maxRetryAfter))
	}
	return d
}
