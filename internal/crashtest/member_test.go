package crashtest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/openai"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// member is a process that takes part in the conversation: a node with all
// that real ones have.
type member struct {
	world     string // its address there
	fail      *failpoints
	opts      memberOptions
	transport *http.Transport
	store     store.Store
	feed      *feed.Feed
	running   interrupt.Running
	agents    *agent.Agents
	worker    *worker.Worker
	ended     chan struct{} // gets a value when a job has ended, if there is room
}

// memberOptions say how a process takes part.
type memberOptions struct {
	concurrency int
	poll        time.Duration
	// lease is long enough to be lost only with the process, unless it is set.
	lease time.Duration
	// ended, if set, is called after every job.
	ended func(*nestor.Job, worker.Outcome)
	// offers, if set, is called when an agent's tools are about to be offered
	// to its model, or one of them to be run.
	offers func(role string)
}

// contextTokens is too little for the booker's last step only.
const contextTokens = 1700

// join opens the database. Close the member after use.
func join(ctx context.Context, db engines.Place, world string, fail *failpoints, opts memberOptions) (*member, error) {
	set, err := trigger.New(agent.Triggers().Triggers, trigger.Options{BuiltIn: agent.Triggers()})
	if err != nil {
		return nil, err
	}
	s, err := db.Open(ctx, store.Options{Rules: store.Rules{Planner: set}, Committed: fail.committed})
	if err != nil {
		return nil, err
	}
	s.Observe(store.First, fail.observe) // before anybody else
	quiet := slog.New(slog.DiscardHandler)
	m := &member{
		world: world, fail: fail, opts: opts, transport: &http.Transport{}, store: s, feed: feed.New(s, feed.Options{Logger: quiet}),
		ended: make(chan struct{}, 1),
	}
	m.agents = agent.New(agent.Options{
		Store: s, Models: m, Tools: m, Feed: m.feed, Running: &m.running, Roles: roles, ContextTokens: contextTokens, Logger: quiet,
	})
	s.Observe(store.MemoryTurn, m.agents.Committed)
	grace := time.Duration(0) // the default
	if opts.lease == 0 {
		opts.lease, grace = neverExpires, atOnce
	}
	handlers := m.agents.Handlers()
	for name, h := range handlers {
		handlers[name] = fail.guard(h)
	}
	m.worker = worker.New(s, worker.Options{
		LeaseTTL: opts.lease, Grace: grace, Poll: opts.poll, Concurrency: opts.concurrency, Handlers: handlers, Plan: module.Plan(set), Logger: quiet,
		Hooks: worker.Hooks{Ended: func(j *nestor.Job, o worker.Outcome, _ time.Duration) {
			if opts.ended != nil {
				opts.ended(j, o)
			}
			select {
			case m.ended <- struct{}{}:
			default:
			}
		}},
	})
	return m, nil
}

func (m *member) close() error {
	m.transport.CloseIdleConnections()
	return m.store.Close()
}

// run lets all parts of the member run beside work, until that is done.
func (m *member) run(ctx context.Context, work func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.feed.Run(ctx) })
	g.Go(func() error {
		m.running.Follow(ctx, m.feed, agent.Interrupts...)
		return nil
	})
	g.Go(func() error {
		defer stop()
		return work(ctx)
	})
	return g.Wait()
}

// Open implements [agent.Models].
func (m *member) Open(context.Context, string, string) (llm.Model, error) {
	return openai.New(llm.Target{Model: "test-model", BaseURL: m.world + "/v1", HTTPClient: &http.Client{Transport: m}}, openai.Options{})
}

// RoundTrip implements [http.RoundTripper] for the model.
func (m *member) RoundTrip(r *http.Request) (*http.Response, error) {
	pass(&m.fail.requests, m.fail.Request)
	return m.transport.RoundTrip(r)
}
