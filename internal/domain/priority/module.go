// Package priority turns a person's documents and outcome into a plan. It puts the
// rooms below it together: what is stored (record), how texts become tasks (intake)
// and how tasks are ordered.
package priority

import (
	"context"
	"slices"
	"time"

	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// kept is how long a session is kept after its last change, and with it how it
// reasoned.
const kept = 7 * 24 * time.Hour

// Module is the domain of prioritisation.
var Module = module.Of[*Priority]{
	Name:        "prioritisation",
	Collections: record.Collections,
	Keep:        map[string]time.Duration{record.Sessions.Name: kept},
	Reactions:   slices.Concat(documentReactions, vectorReactions, analyst.Reactions, boardReactions),
	Handlers:    slices.Concat(documentHandlers, vectorHandlers, sessionHandlers, boardHandlers),
	Tag:         httpapi.Tag{Name: "Prioritisation", Description: "Outcomes, documents in which tasks are found, and the plan in which the tasks best reach the outcome."},
	Routes:      slices.Concat(routes(), sessionRoutes(), boardRoutes()),
	Tools:       func(p *Priority) ([]*tool.Tool, error) { return p.analyst.Tools(), nil },
	Commands:    commands,
	Open:        open,
	Interrupts:  analyst.Interrupts,
}

// Priority is what the handlers and routes of the module work with.
type Priority struct {
	store store.Store
	feed  *feed.Feed
	// files reads the text of uploads.
	files *file.Library
	// asker asks the models of users.
	asker ask.Asker
	// library finds tasks by their vectors.
	library *library.Library
	// analyst orders tasks.
	analyst *analyst.Analyst
}

func open(_ context.Context, host module.Host) (*Priority, error) {
	l := library.New(library.Options{Store: host.Store, Embedders: host.Embedders, Logger: host.Logger})
	return &Priority{
		store:   host.Store,
		feed:    host.Feed,
		files:   host.Files,
		asker:   ask.Asker{Store: host.Store, Models: host.Models, Limit: host.UserBudget},
		library: l,
		analyst: analyst.New(analyst.Options{
			Store: host.Store, Models: host.Models, Running: host.Running, Library: l, UserBudget: host.UserBudget, Logger: host.Logger,
		}),
	}, nil
}
