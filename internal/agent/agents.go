package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Options are what agents work with.
type Options struct {
	Store store.Documents
	// Models opens the model behind a connection of a user; "" is the default.
	Models Models
	// Tools are what agents can call.
	Tools Tools
	// Feed shows what is being written and tells of cancellations on other
	// nodes. Without one nothing streams, and what is cancelled there ends with
	// its next commit.
	Feed *feed.Feed
	// Roles of agents. Defaults to [DefaultRoles].
	Roles *Roles
	// Local reports whether agents may run local tools by themselves, without
	// a job for each call. Not so if somebody else than the tool runner is to
	// see calls before they run. Defaults to yes.
	Local func() bool
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
	// ContextTokens is the size from which a conversation is condensed.
	// Defaults to 120,000 or 80% of the model's window, whichever is less.
	ContextTokens int
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Models opens models, and Tools makes the tools of one run.
type (
	Models = module.Models
	Tools  = module.Tools
)

// Agents holds the handlers and the controls. It is safe for concurrent use.
type Agents struct {
	opts       Options
	store      store.Documents
	roles      *Roles
	log        *slog.Logger
	meter      tokens.Meter
	interrupts interrupts
	memory     memory
}

// New makes the agents.
func New(opts Options) *Agents {
	if opts.Roles == nil {
		opts.Roles = DefaultRoles()
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Agents{opts: opts, store: opts.Store, roles: opts.Roles, log: opts.Logger}
}

// Handlers are what does the work, by name.
func (a *Agents) Handlers() map[string]worker.Handler { return module.Handlers(a, handlers) }

// Run follows what people do to running work until ctx ends, so that a model
// stream or a tool stops soon after it was cancelled, on whichever node.
func (a *Agents) Run(ctx context.Context) error { return a.follow(ctx) }

func now() int64 { return nestor.Millis(time.Now()) }
