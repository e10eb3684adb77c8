// Package worker runs jobs.
//
// A worker is handed the jobs that its own process commits, at once and
// without polling, and looks now and then for those left by others: jobs that
// wait for a retry or for room, and jobs of nodes that are gone. It runs a
// handler outside any transaction and commits what the handler returns
// together with the job's completion. The store fences that commit: if the
// job has been taken over meanwhile, nothing is written.
//
// So a handler may run more than once (after a crash, a lost lease or a
// failure), but its effects happen once.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/recovery"
	"github.com/nestorhq/nestor/internal/store"
)

// Handler does one kind of work.
type Handler struct {
	// Run does the slow part and returns the effects to commit with the job's
	// completion; nil for none. An error is retried as the job's policy says,
	// unless its code says that trying again is useless.
	Run func(ctx context.Context, job *nestor.Job) (Effect, error)
	// Prompt, if set, reports whether Run waits for nothing and reads nothing: all that
	// it does is in its effect. Then a store may commit that together with what caused
	// the job, without a worker.
	Prompt func(job *nestor.Job) bool
	// Exhausted, if set, returns what to commit when the job is given up, so
	// that whatever waits for it is told.
	Exhausted func(job *nestor.Job, cause error) Effect
}

// Effect writes a handler's results. It may run more than once.
type Effect func(store.Tx) error

// Plan says what a trigger's jobs do and how they are tried.
type Plan struct {
	// Handler is the name of a built-in one, "" for a webhook.
	Handler string
	Retry   nestor.RetryPolicy
	// Timeout bounds one attempt. Defaults to 10 minutes.
	Timeout time.Duration
}

func (p Plan) String() string {
	if p.Handler == "" {
		return "the webhook"
	}
	return p.Handler
}

// Options configure a [Worker].
type Options struct {
	// Node names this process among others. Defaults to a random name; a
	// worker that lost its lease goes on under a new one.
	Node string
	// Concurrency is how many jobs run at once; one costs little more than a
	// goroutine. Defaults to 4096.
	Concurrency int
	// Limits are how many jobs of one tenant, and of one account, run at once on all
	// nodes. Default to no bound.
	Limits store.Limits
	// Weights are how many jobs a tenant has run in its turn, when others wait,
	// too. Default to 1.
	Weights map[string]int
	// LeaseTTL is how long after its last sign of life a node counts as gone.
	// Defaults to 5 seconds.
	LeaseTTL time.Duration
	// Grace is how long other nodes may miss this one, because its process ended
	// or its connection was cut, before they take its jobs over. Defaults to
	// 750 milliseconds.
	Grace time.Duration
	// Poll is how often to look for what nobody told us of. Defaults to 1 second.
	Poll time.Duration
	// Look is how often to look whether another node is missed. Defaults to 150
	// milliseconds: with Grace, its jobs run again within a second.
	Look time.Duration
	// Drain is how long a stopping worker waits for running jobs before it
	// interrupts them. Defaults to 10 seconds.
	Drain time.Duration
	// Handlers by name.
	Handlers map[string]Handler
	// Webhook handles actions that are URLs.
	Webhook Handler
	// Plan finds the plan of a trigger, as configured now. Required.
	Plan func(trigger string) (Plan, bool)
	// Hooks tell metrics and tests what happens.
	Hooks Hooks
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Worker runs the jobs of a store.
type Worker struct {
	opts  Options
	store store.Store
	log   *slog.Logger

	running atomic.Int64 // claimed and not ended, and what a claim reserves
	seats   *seats
	crowded atomic.Bool   // there was no room, and jobs may have waited since
	open    atomic.Bool   // the lease is good
	closing atomic.Bool   // Run is ending
	joined  chan struct{} // closed when Run has its lease
	wake    chan struct{}
	jobs    sync.WaitGroup
	causes  sync.Map // of timeouts, see timedOut

	mu      sync.Mutex
	life    context.Context // ends with the lease; jobs run under it
	endLife context.CancelCauseFunc
	stopped bool // Run waits for the last jobs
}

// New makes a worker and registers it with the store. Call before the store
// is used.
func New(s store.Store, opts Options) *Worker {
	if opts.Concurrency == 0 {
		opts.Concurrency = 4096
	}
	if opts.LeaseTTL == 0 {
		opts.LeaseTTL = 5 * time.Second
	}
	if opts.Grace == 0 {
		opts.Grace = 750 * time.Millisecond
	}
	if opts.Poll == 0 {
		opts.Poll = time.Second
	}
	if opts.Look == 0 {
		opts.Look = 150 * time.Millisecond
	}
	if opts.Drain == 0 {
		opts.Drain = 10 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	w := &Worker{opts: opts, store: s, log: opts.Logger, wake: make(chan struct{}, 1), joined: make(chan struct{})}
	w.seats = newSeats(opts.Concurrency)
	s.Observe(store.WorkerTurn, w.committed)
	return w
}

// Causes that interrupt a handler.
var (
	errDrained   = nestor.Errorf(nestor.CodeCancelled, "the worker stops")
	errLeaseLost = nestor.Errorf(nestor.CodeLeaseLost, "the node lost its lease")
)

// Run works until ctx ends, then lets running jobs finish for Options.Drain,
// interrupts the rest and gives them back. It returns when all have stopped. It
// ends by itself, with the reason, if the database is no longer one that this
// program can work on.
func (w *Worker) Run(ctx context.Context) error {
	node := w.opts.Node
	if node == "" {
		node = nestor.NewID()
	}
	// Jobs outlive ctx by the drain.
	if err := w.join(context.WithoutCancel(ctx), node); err != nil {
		return err
	}
	close(w.joined)
	beats, stopBeats := context.WithCancel(context.WithoutCancel(ctx))
	work, stopWork := context.WithCancelCause(ctx)
	defer stopWork(nil)
	var loops sync.WaitGroup
	loops.Go(func() { w.heartbeat(beats, stopWork) })
	others := w.store.Left()
	loops.Go(func() { w.watch(work, others != nil) })
	w.schedule(work, others)

	w.closing.Store(true)
	w.drain()
	stopBeats()
	loops.Wait()
	leave, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), 5*time.Second,
		nestor.Errorf(nestor.CodeTimeout, "the store did not answer while the worker left"))
	defer cancel()
	err := w.store.Leave(leave)
	if ctx.Err() == nil {
		err = errors.Join(context.Cause(work), err)
	}
	return err
}

// Running is how many jobs this process runs.
func (w *Worker) Running() int { return w.opts.Concurrency - w.seats.left() }

// Concurrency is how many jobs may run at once.
func (w *Worker) Concurrency() int { return w.opts.Concurrency }

// Joined is closed when Run has become a node of the store.
func (w *Worker) Joined() <-chan struct{} { return w.joined }

func (w *Worker) join(ctx context.Context, node string) error {
	err := w.store.Join(ctx, store.Lease{Node: node, TTL: w.opts.LeaseTTL, Grace: w.opts.Grace, Accept: w.accept, Weight: w.weight, Limits: w.opts.Limits, Prompt: w.prompt})
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.life, w.endLife = context.WithCancelCause(ctx)
	w.mu.Unlock()
	w.open.Store(true)
	return nil
}

// interrupt ends the contexts of the jobs that run under the current lease.
func (w *Worker) interrupt(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLife(cause)
}

// weight is how many jobs a tenant has run in its turn.
func (w *Worker) weight(tenant string) int { return max(1, w.opts.Weights[tenant]) }

// accept is asked by the store whether there is room for one more job. A worker that
// was full accepts none until it has claimed what waits: else the room that a job
// leaves would go to whoever commits next, which is whoever has the most jobs.
func (w *Worker) accept(string) bool {
	return w.open.Load() && !w.closing.Load() && !w.full() && !w.crowded.Load()
}

// full reports whether there is no room for one more job.
func (w *Worker) full() bool {
	full := w.running.Load() >= int64(w.opts.Concurrency)
	if full {
		w.crowded.Store(true)
	}
	return full
}

// prompt is what a job does if that is nothing but writing.
func (w *Worker) prompt(j *nestor.Job) func(store.Tx) error {
	h, _, err := w.handler(j)
	if err != nil || h.Prompt == nil {
		return nil
	}
	prompt := false
	if err := recovery.Call(func() error { prompt = h.Prompt(j); return nil }); err != nil || !prompt {
		return nil // the attempt meets it again, and says so
	}
	return func(tx store.Tx) error {
		effect, err := h.call(context.Background(), j)
		if err != nil || effect == nil {
			return err
		}
		return effect(tx)
	}
}

// committed starts what a commit of this process claimed.
func (w *Worker) committed(c store.Commit) {
	for i := range c.Done {
		w.tell(&c.Done[i].Job, func() {
			w.opts.Hooks.started(&c.Done[i].Job, 0)
			w.opts.Hooks.ended(&c.Done[i].Job, Done, c.Done[i].Took)
		})
	}
	for i := range c.Claimed {
		w.begin(c.Claimed[i])
	}
	if c.Waiting || c.Look {
		w.poke()
	}
}

// poke makes the scheduler look again.
func (w *Worker) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// runner is a job that this process is to run.
type runner struct {
	nestor.Job
	tenant string
	life   context.Context
	at     time.Time // of the claim
}

// begin runs a job that this process has claimed, as soon as it has a seat. One that a
// commit claimed before the worker stopped, and of which it is told later, is given back when
// the worker leaves.
func (w *Worker) begin(j nestor.Job) {
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return
	}
	w.running.Add(1)
	w.jobs.Add(1)
	r := &runner{j, j.Change.Path.Tenant(), w.life, time.Now()}
	w.mu.Unlock()
	if w.seats.enter(r) {
		go w.work(r)
	}
}

// work runs a job.
func (w *Worker) work(r *runner) {
	defer func() {
		room := w.running.Add(-1) == int64(w.opts.Concurrency)-1
		if next := w.seats.leave(); next != nil {
			go w.work(next)
		}
		w.jobs.Done()
		if room { // somebody may be waiting for the room
			w.poke()
		}
	}()
	w.tell(&r.Job, func() { w.opts.Hooks.started(&r.Job, time.Since(r.at)) })
	w.run(r.life, &r.Job)
}

// schedule claims what is due until ctx ends.
func (w *Worker) schedule(ctx context.Context, others <-chan struct{}) {
	var manners restraint
	for ctx.Err() == nil {
		n, next := w.claim(ctx)
		if n > 0 {
			manners.got()
			continue
		}
		wait := w.opts.Poll
		if !w.full() {
			manners.most = w.most()
			manners.inVain()
		}
		if !next.IsZero() {
			wait = min(wait, max(time.Until(next), time.Millisecond)+manners.delay())
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-others:
			w.letOthers(ctx, manners.delay())
		case <-timer.C:
		}
		timer.Stop()
	}
}

// maxClaim is how many jobs are claimed at once. A job that becomes ready waits
// for no more than these before it has its turn.
const maxClaim = 256

// claim begins what is due, as far as there is room, and tells how many jobs that
// are. If none are, next is when to look again, zero for nobody knows.
func (w *Worker) claim(ctx context.Context) (n int, next time.Time) {
	room := w.reserve()
	if room == 0 {
		return 0, next
	}
	defer w.running.Add(-int64(room))
	got, err := w.store.Claim(ctx, room)
	if err != nil {
		w.warn(ctx, "claiming jobs", err)
		return 0, next
	}
	for _, j := range got.Jobs {
		w.begin(j)
	}
	if !got.More {
		w.crowded.Store(false)
	}
	return len(got.Jobs), got.Next
}

// reserve takes room for the jobs that a claim may return, so that commits do not fill it
// meanwhile, and returns for how many.
func (w *Worker) reserve() int {
	for !w.full() {
		n := w.running.Load()
		room := min(int64(w.opts.Concurrency)-n, maxClaim)
		if room > 0 && w.running.CompareAndSwap(n, n+room) {
			return int(room)
		}
	}
	return 0
}

// heartbeat renews the lease. While that fails the store claims nothing, and what
// runs goes on: as long as nobody has taken over, its commits count. When another
// node has, it runs our jobs: ours are stopped, and this node starts again under
// a new name. A program that has become too old for the database gives its jobs
// back and ends.
func (w *Worker) heartbeat(ctx context.Context, stopWork context.CancelCauseFunc) {
	ticker := time.NewTicker(w.opts.LeaseTTL / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := w.store.Renew(ctx)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		w.warn(ctx, "renewing the lease", err)
		switch nestor.CodeOf(err) {
		case nestor.CodeLeaseLost:
		case nestor.CodeInvalid:
			w.open.Store(false)
			w.interrupt(errDrained)
			stopWork(err)
			return
		default:
			continue
		}
		w.open.Store(false)
		w.interrupt(errLeaseLost)
		if err := w.join(ctx, nestor.NewID()); err != nil {
			w.warn(ctx, "joining again", err)
		}
	}
}

// drain waits for running jobs and interrupts those that take too long.
func (w *Worker) drain() {
	w.mu.Lock()
	w.stopped = true // no job begins beside the wait
	w.mu.Unlock()
	done := make(chan struct{})
	go func() {
		w.jobs.Wait()
		close(done)
	}()
	timer := time.NewTimer(w.opts.Drain)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		w.log.Warn("interrupting jobs that did not finish in time", "jobs", w.running.Load())
		w.interrupt(errDrained)
		<-done
	}
	w.interrupt(errDrained)
}

func (w *Worker) warn(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		w.log.Warn(doing+" failed", "error", err)
	}
}
