package analyst

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Options are what an analyst works with.
type Options struct {
	Store  store.Documents
	Models module.Models
	// Running has the work that [Interrupts] stop. Defaults to work that nobody stops.
	Running *interrupt.Running
	// Library knows the vectors of tasks.
	Library Library
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
	// Pause waits before a tool is tried again. Defaults to waiting for as long.
	Pause func(context.Context, time.Duration) error
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Library finds tasks of one user by their vectors.
type Library interface {
	// Search returns the tasks that are most similar to a text, best first, none
	// below the threshold.
	Search(ctx context.Context, userID, query string, limit int, threshold float64) ([]vector.Hit, error)
	// Vectors returns those of tasks by id. Tasks that have none are left out.
	Vectors(ctx context.Context, userID string, taskIDs []string) (map[string][]float32, error)
}

// Analyst has the handler of sessions and the tools. It is safe for concurrent use.
type Analyst struct {
	asker   *ask.Asker
	store   store.Documents
	library Library
	pause   func(context.Context, time.Duration) error
	log     *slog.Logger
	tools   []*tool.Tool
	offered []llm.Tool
	running *interrupt.Running
}

// New makes an analyst.
func New(opts Options) *Analyst {
	if opts.Pause == nil {
		opts.Pause = func(ctx context.Context, d time.Duration) error {
			return llm.Pause(ctx, d, "the wait to try a tool again")
		}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	a := &Analyst{
		asker: &ask.Asker{Store: opts.Store, Models: opts.Models, Limit: opts.UserBudget}, store: opts.Store,
		library: opts.Library, pause: opts.Pause, log: opts.Logger, running: cmp.Or(opts.Running, &interrupt.Running{}),
	}
	a.tools = a.makeTools()
	a.offered = offered(a.tools)
	return a
}

// Tools are those of this domain, for agents and for people.
func (a *Analyst) Tools() []*tool.Tool { return a.tools }

// ask asks the user's model once, of whatever kind it is.
func (a *Analyst) ask(ctx context.Context, b *ask.Bill, userID string, req *llm.Request) (llm.Message, error) {
	model, err := a.asker.Models.Open(ctx, userID, "")
	if err != nil {
		return llm.Message{}, err
	}
	reply, err := a.asker.Ask(ctx, b, model, req)
	return reply.Message, err
}
