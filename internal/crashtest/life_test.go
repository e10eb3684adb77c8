package crashtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// kind is a kind of points at which a process can die.
type kind string

const (
	// afterCommit: a commit has just become durable, and the process does not know it.
	afterCommit kind = "after commit"
	// afterTransaction is the same for a transaction by its name: see transactionName.
	afterTransaction kind = "after"
	// inHandler: a handler has done its work, and none of it is recorded.
	inHandler kind = "in handler run"
	// inEffect: an effect has sent its writes, and they are not committed.
	inEffect kind = "inside the transaction of effect"
	// beforeRequest: a model is about to be asked.
	beforeRequest kind = "before model call"
	// inTool: a tool of a name begins, or is done and has not returned.
	inTool kind = "when"
)

// point is where a life ends: at the Nth of a kind, counted from 1, or at the one with a
// name. The zero point is nowhere.
type point struct {
	Kind kind
	N    int
	Name string
}

func (p point) String() string {
	if p.Name != "" {
		return fmt.Sprint(p.Kind, " ", p.Name)
	}
	return fmt.Sprint(p.Kind, " ", p.N)
}

// life is one run of a program, which may die.
type life struct {
	// Database is where it works.
	Database engines.Place
	// World is its address in the [world].
	World string
	// Dies is where it does.
	Dies point
	// perish takes everything from a life in this process that a process loses when it is
	// killed. Nil: the process kills itself.
	perish func() error
	died   chan struct{} // closed after that
	dead   atomic.Bool
	dying  sync.Once
	err    error // of perish

	store     store.Store
	transport http.Transport
	ended     chan struct{} // gets a value when a job has ended, if there is room

	mu     sync.Mutex
	passed map[kind][]string // names of the points that it passed, "" of those without

	// What it tells the test about its work.
	end     []string
	ending  *ending // of a play
	decided bool    // in a play the person had to decide about a letter
	unknown bool    // the end is another one: nobody knows if something was done that must be done once
	found   int     // what an earlier life had begun or done: see the program
}

func newLife(db engines.Place, world string) *life {
	return &life{
		Database: db, World: world, died: make(chan struct{}), ended: make(chan struct{}, 1), passed: map[kind][]string{},
	}
}

// pass is called at every point. It returns if the life goes on, or the dead cannot do harm.
func (l *life) pass(k kind, name string) {
	l.mu.Lock()
	l.passed[k] = append(l.passed[k], name)
	n := len(l.passed[k])
	l.mu.Unlock()
	if l.Dies.Kind == k && l.Dies.Name == name && n >= l.Dies.N {
		l.die()
	}
}

func (l *life) die() {
	if l.perish == nil {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	l.dying.Do(func() {
		l.dead.Store(true) // first: nothing gets out that the database may not know of
		l.err = l.perish()
		close(l.died)
	})
}

// RoundTrip implements [http.RoundTripper], for all that reaches the world. The dead reach
// nobody, and hear of that only when their database is gone, too: nothing comes of it.
func (l *life) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.dead.Load() {
		<-l.died
		return nil, errors.New("the process is dead")
	}
	return l.transport.RoundTrip(r)
}

// quiet is told of failures and take-overs, which are what is expected here.
var quiet = slog.New(slog.DiscardHandler)

// open opens the database.
func (l *life) open(ctx context.Context, opts store.Options) (s store.Store, err error) {
	opts.Committed, opts.Logger = func() { l.pass(afterCommit, "") }, quiet
	if s, err = l.Database.Open(ctx, opts); err == nil {
		l.store = s
	}
	return s, err
}

// openModules opens the database with modules, whose triggers queue jobs.
func (l *life) openModules(ctx context.Context, list module.List) (store.Store, *trigger.Set, error) {
	set, err := trigger.New(nil, trigger.Options{BuiltIn: list.Triggers()})
	if err != nil {
		return nil, nil, err
	}
	kinds, err := list.Catalogue()
	if err != nil {
		return nil, nil, err
	}
	s, err := l.open(ctx, store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: list.Schemas()})
	return s, set, err
}

// close ends what is left of a life.
func (l *life) close() error {
	l.transport.CloseIdleConnections()
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}

// neverExpires is the lease where it must be the death of the process, and
// not the passing of time, that frees its jobs.
const neverExpires = time.Hour

// atOnce is the grace of a node whose death nobody doubts.
const atOnce = time.Nanosecond

// hire makes a worker whose handlers pass points. Unless the options say otherwise, only
// its death ends its lease.
func (l *life) hire(set *trigger.Set, handlers map[string]worker.Handler, opts worker.Options) *worker.Worker {
	for name, h := range handlers {
		handlers[name] = l.guard(h)
	}
	if opts.LeaseTTL == 0 {
		opts.LeaseTTL, opts.Grace = neverExpires, atOnce
	}
	if l.perish != nil {
		opts.Drain = atOnce // the dead finish nothing
	}
	opts.Handlers, opts.Plan = handlers, module.Plan(set)
	tell := opts.Hooks.Ended
	opts.Hooks.Ended = func(j *nestor.Job, o worker.Outcome, took time.Duration) {
		if tell != nil {
			tell(j, o, took)
		}
		select {
		case l.ended <- struct{}{}:
		default:
		}
	}
	return worker.New(l.store, opts)
}

// workUntil runs w until finished, which is asked after every attempt.
func (l *life) workUntil(ctx context.Context, w *worker.Worker, finished func(context.Context) (bool, error)) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- w.Run(run) }()
	for {
		if ok, err := finished(ctx); ok || err != nil {
			stop()
			return errors.Join(err, <-stopped)
		}
		select {
		case <-l.ended:
		case err := <-stopped:
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// step is what somebody does when no job is left, unless an earlier life has.
type step func(context.Context, store.Store) error

// work does all jobs, takes the next step, and so on to the end.
func (l *life) work(ctx context.Context, set *trigger.Set, handlers map[string]worker.Handler, steps ...step) error {
	return l.workUntil(ctx, l.hire(set, handlers, worker.Options{Logger: quiet}), func(ctx context.Context) (over bool, err error) {
		for {
			left, err := l.store.Jobs(ctx, store.JobFilter{Limit: 1})
			if err != nil || len(left) > 0 || len(steps) == 0 {
				return err == nil && len(left) == 0, err
			}
			if err := steps[0](ctx, l.store); err != nil && !errors.Is(err, nestor.ErrExists) {
				return false, err
			}
			steps = steps[1:]
		}
	})
}

// guard puts points into a handler.
func (l *life) guard(h worker.Handler) worker.Handler {
	run, exhausted := h.Run, h.Exhausted
	h.Run = func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
		effect, err := run(ctx, j)
		l.pass(inHandler, "")
		return l.guardEffect(effect), err
	}
	if exhausted != nil {
		h.Exhausted = func(j *nestor.Job, cause error) worker.Effect { return l.guardEffect(exhausted(j, cause)) }
	}
	return h
}

func (l *life) guardEffect(effect worker.Effect) worker.Effect {
	if effect == nil {
		return nil
	}
	return func(tx store.Tx) error {
		if err := effect(tx); err != nil {
			return err
		}
		// A query sees the writes before it, so they have been sent.
		if _, err := tx.Query(store.Query{Collection: "anything"}); err != nil {
			return err
		}
		l.pass(inEffect, "")
		return nil
	}
}

// every is a crash at each point of some kinds that a life passed.
func (l *life) every(kinds ...kind) (list []crash) {
	for _, k := range kinds {
		for n, name := range l.passed[k] {
			p := point{Kind: k, Name: name}
			if name == "" {
				p.N = n + 1
			}
			list = append(list, crash{p})
		}
	}
	return list
}

// sample is some of a list: the first, and then each nth.
func sample(list []crash, nth int) (some []crash) {
	for chunk := range slices.Chunk(list, nth) {
		some = append(some, chunk[0])
	}
	return some
}
