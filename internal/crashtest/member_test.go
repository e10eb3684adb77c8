package crashtest

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/openai"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// member is a process that takes part in the conversation: a node with all
// that real ones have.
type member struct {
	*life
	opts    memberOptions
	feed    *feed.Feed
	running interrupt.Running
	agents  *agent.Agents
	worker  *worker.Worker
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
const contextTokens = 2500

// join opens the database. Close the life after use.
func join(ctx context.Context, l *life, opts memberOptions) (*member, error) {
	set, err := trigger.New(agent.Triggers().Triggers, trigger.Options{BuiltIn: agent.Triggers()})
	if err != nil {
		return nil, err
	}
	s, err := l.open(ctx, store.Options{Rules: store.Rules{Planner: set}})
	if err != nil {
		return nil, err
	}
	s.Observe(store.First, func(c store.Commit) { // before anybody else
		if name := transactionName(c); name != "" {
			l.pass(afterTransaction, name)
		}
	})
	m := &member{life: l, opts: opts, feed: feed.New(s, feed.Options{Logger: quiet})}
	m.agents = agent.New(agent.Options{
		Store: s, Models: m, Tools: m, Feed: m.feed, Running: &m.running, Roles: roles, ContextTokens: contextTokens, Logger: quiet,
	})
	s.Observe(store.MemoryTurn, m.agents.Committed)
	m.worker = l.hire(set, m.agents.Handlers(), worker.Options{
		LeaseTTL: opts.lease, Poll: opts.poll, Concurrency: opts.concurrency, Logger: quiet,
		Hooks: worker.Hooks{Ended: func(j *nestor.Job, o worker.Outcome, _ time.Duration) {
			if opts.ended != nil {
				opts.ended(j, o)
			}
		}},
	})
	return m, nil
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
	return openai.New(llm.Target{Model: "test-model", BaseURL: m.World + "/v1", HTTPClient: &http.Client{Transport: modelWay{m.life}}}, openai.Options{})
}

// modelWay is the way to the model.
type modelWay struct{ *life }

// RoundTrip implements [http.RoundTripper].
func (w modelWay) RoundTrip(r *http.Request) (*http.Response, error) {
	w.pass(beforeRequest, "")
	return w.life.RoundTrip(r)
}
