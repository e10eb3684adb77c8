package agent_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// bench is a store with all that runs on it: the built-in triggers, a worker
// and a feed. Opening one is dear, so worlds share it: each has a user of its
// own, and the jobs of a user go to the handlers of that world.
type bench struct {
	store store.Store
	feed  *feed.Feed

	mu     sync.Mutex
	worlds map[string]*world

	following sync.Mutex
}

// eachBench runs a test on a bench of every engine.
func eachBench(t *testing.T, fn func(t *testing.T, b *bench)) {
	engines.Each(t, func(t *testing.T, open engines.Database) { fn(t, newBench(t, open)) })
}

var quiet = slog.New(slog.DiscardHandler)

func newBench(t *testing.T, open engines.Database) *bench {
	t.Helper()
	return newBenchOn(t, open, agent.Triggers().Triggers)
}

func newBenchOn(t *testing.T, open engines.Database, triggers []nestor.Trigger) *bench {
	t.Helper()
	set, err := trigger.New(triggers, trigger.Options{BuiltIn: agent.Triggers(), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{worlds: map[string]*world{}, store: open(t, store.Options{Rules: store.Rules{Planner: set}})}
	b.store.Observe(store.First, b.committed)
	b.feed = feed.New(b.store, feed.Options{Logger: quiet})
	handlers := map[string]worker.Handler{}
	for _, stage := range agent.Triggers().Stages {
		handlers[stage.Name] = b.handler(stage.Name)
	}
	w := worker.New(b.store, worker.Options{
		LeaseTTL: time.Minute, Handlers: handlers, Logger: quiet,
		Plan: func(id string) (worker.Plan, bool) {
			p, ok := module.Plan(set)(id)
			p.Retry.InitialBackoff = nestor.Duration(time.Millisecond)
			return p, ok
		},
		Hooks: worker.Hooks{
			Started: func(j *nestor.Job, _ time.Duration) { b.world(j.Change.Path).jobStarted(j) },
			Ended:   func(j *nestor.Job, o worker.Outcome, _ time.Duration) { b.world(j.Change.Path).jobEnded(j, o) },
		},
	})
	background(t, b.feed.Run)
	background(t, w.Run)
	<-w.Joined()
	return b
}

// background runs something until the test is over.
func background(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// follow starts something that follows the feed and returns when it does, so
// that it misses nothing that happens from now on.
func (b *bench) follow(t *testing.T, run func(context.Context) error) {
	t.Helper()
	b.following.Lock()
	defer b.following.Unlock()
	before := b.feed.Subscribers()
	stop := background(t, run)
	for b.feed.Subscribers() == before {
		runtime.Gosched()
	}
	t.Cleanup(func() {
		b.following.Lock()
		defer b.following.Unlock()
		stop()
	})
}

func (b *bench) handler(name string) worker.Handler {
	return worker.Handler{
		Run: func(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
			return b.world(job.Change.Path).run(ctx, name, job)
		},
		Prompt: func(job *nestor.Job) bool {
			// What may be held back, or is delivered twice, has to be run by the worker.
			w := b.world(job.Change.Path)
			return w.handlers[name].Prompt != nil && !w.twice && w.gates.allOpen()
		},
		Exhausted: func(job *nestor.Job, cause error) worker.Effect {
			if h := b.world(job.Change.Path).handlers[name]; h.Exhausted != nil {
				return h.Exhausted(job, cause)
			}
			return nil
		},
	}
}

// world is the one that a document belongs to.
func (b *bench) world(p nestor.Path) *world {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.worlds[p.UserID()]
}

func (b *bench) committed(c store.Commit) {
	for i := range c.Changes {
		if w := b.world(c.Changes[i].Path); w != nil {
			w.agents.Committed(store.Commit{Changes: c.Changes[i : i+1]})
			w.names.learn(&c.Changes[i])
			w.log.add(c.Changes[i])
		}
	}
}
