package runs

import (
	"context"
	"log/slog"
	"reflect"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Collection has a document for each run.
var Collection = func() *store.Collection {
	c := store.NewCollection[nestor.Run]("runs", nil, "users/{userId}/runs/{id}",
		store.Column("status", statuses...),
		store.Column[string]("chatId"))
	c.ServerWrites, c.ServerDeletes = true, true
	c.Indexes = [][]string{{"chatId"}}
	return c
}()

// statuses are all that a run can have.
var statuses = []nestor.RunStatus{nestor.RunRunning, nestor.RunWaiting, nestor.RunSuccess, nestor.RunFailed, nestor.RunCancelled}

// The triggers and handlers of the domain.
const (
	checkTrigger = "run-checked"
	checkStage   = "run-check"
	chatStage    = "runs-of-chat"
)

// never is a condition that no change meets: the jobs of checks are queued by the store.
const never = "false"

var reactions = []nestor.Trigger{{
	ID: checkTrigger, Collection: "users/*/runs", Events: []nestor.ChangeType{nestor.Delete}, Condition: never,
	Action: "POST /webhook/" + checkStage, Retry: nestor.RetryPolicy{MaxAttempts: 20},
}, {
	ID: "chat-of-runs-deleted", Collection: "users/*/orch-chats", Events: []nestor.ChangeType{nestor.Delete},
	Action: "POST /webhook/" + chatStage,
}}

// Options configure the domain.
type Options struct {
	// Cancel has, by what began a run, a function that ends the work of the run,
	// within a transaction.
	Cancel map[nestor.RunKind]func(tx store.Tx, run *nestor.Run, by string) error
	// Prompt makes again what a model was asked for a message, from the documents that a
	// reader shows.
	Prompt func(docs store.Reader, message nestor.Path) (*llm.Request, error)
	// Asking is the model call that a job of this process makes now, false if it makes
	// none. Nil knows of none.
	Asking func(job string) (Asking, bool)
}

// Runs has the handlers and routes of the module as its methods, and what doors need.
type Runs struct {
	store    store.Store
	feed     *feed.Feed
	triggers *trigger.Set
	cancel   map[nestor.RunKind]func(tx store.Tx, run *nestor.Run, by string) error
	prompt   func(docs store.Reader, message nestor.Path) (*llm.Request, error)
	asking   func(job string) (Asking, bool)
	log      *slog.Logger
}

// Module is the domain of runs.
func Module(opts Options) module.Of[*Runs] {
	return module.Of[*Runs]{
		Name:        "runs",
		Collections: []*store.Collection{Collection, Shares},
		Reactions:   reactions,
		Handlers: []module.Handler[*Runs]{
			{Stage: trigger.Stage{Name: checkStage, Key: "run:{path}", Coalesce: true}, Run: (*Runs).check},
			{Stage: trigger.Stage{Name: chatStage, Key: "runs-of:{path}"}, Run: (*Runs).endAll},
		},
		Tag:      httpapi.Tag{Name: "Runs", Description: "Everything that one message, task, execution or prioritisation set in motion: how it stands, what came of it, and each step of it."},
		Routes:   slices.Concat(routes(), viewRoutes(), shareRoutes()),
		Schemas:  openapi.Schemas{Types: map[string]reflect.Type{"RunEvent": reflect.TypeFor[Event](), "RunWaits": reflect.TypeFor[Waits](), "Wait": reflect.TypeFor[Wait]()}},
		Commands: commands,
		Open: func(_ context.Context, host module.Host) (*Runs, error) {
			return &Runs{
				store: host.Store, feed: host.Feed, triggers: host.Triggers,
				cancel: opts.Cancel, prompt: opts.Prompt, asking: opts.Asking, log: host.Logger,
			}, nil
		},
	}
}
