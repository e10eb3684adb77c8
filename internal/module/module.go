// Package module says what a domain is: one value that names everything it adds
// to a server. Catalogue, schema, triggers, handlers, access rules and the API are
// made from the list of modules, so a new domain is one folder and one line in that
// list.
package module

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// Of describes a domain whose handlers and tools are methods of a T. The
// description needs no server, so a command can list it; Open makes the T when
// a server runs. Every field but Name may be left out.
type Of[T any] struct {
	// Name is for errors, and for the table of migrations: never change it.
	Name string
	// Collections are kinds of documents with a table each, parents before
	// children. The tables are made as the collections say.
	Collections []*store.Collection
	// OldTables says that the store's own migrations made the tables, which are
	// older than modules.
	OldTables bool
	// Migrations has a folder for each engine, sqlite and postgres, with the
	// files NNNN_name.sql, for what a collection cannot say.
	Migrations fs.FS
	// Keep is how long documents are kept after their last update, by the flat
	// name of their collection or a glob over collection paths. Defaults to for
	// ever.
	Keep map[string]time.Duration
	// Triggers begin the domain's work. Users can replace Triggers, but not
	// Reactions. Moments are what a user is warned about whose triggers leave it
	// undone.
	Triggers, Reactions []nestor.Trigger
	Moments             []trigger.Moment
	// Handlers do the work.
	Handlers []Handler[T]
	// Interrupts say what leaves no reason for work that the handlers have under way.
	Interrupts []interrupt.Rule
	// Rules is an access rules file whose rules are added to the others.
	Rules []byte
	// Routes are added to the API. Schemas are those that they name beside those
	// of Go types, and the names of Go types in the API that are not their own. Tag is
	// the part of the API that they belong to, and defaults to one of the module's name.
	Routes  []Route[T]
	Schemas openapi.Schemas
	Tag     openapi.Tag
	// Doors are calls in protocols of others, outside of the API.
	Doors []Door[T]
	// Tools are offered to agents, and in the API and the terminal.
	Tools func(T) ([]*tool.Tool, error)
	// NodeTypes can be drawn into agent graphs.
	NodeTypes func(T) ([]*node.Type, error)
	// Participants can answer in chats.
	Participants func(T) []Participants
	// Commands are added to the command line.
	Commands []Command
	// Metrics are shown at /metrics.
	Metrics func(T) []prometheus.Collector
	// Open makes the T, before anything runs.
	Open func(context.Context, Host) (T, error)
	// Committed is told of every commit of this process. It must not block.
	Committed func(T, store.Commit)
	// Run works beside the handlers, until the context ends.
	Run func(T, context.Context) error
	// Drained is called when nothing of the server runs any more and the store is still
	// open.
	Drained func(T, context.Context) error
}

// Handler is a stage and what is done about one of its jobs; see [worker.Handler].
type Handler[T any] struct {
	trigger.Stage
	// Prompt says that all that Run does is in its effect; see [worker.Handler].
	Prompt    bool
	Run       func(T, context.Context, *nestor.Job) (worker.Effect, error)
	Exhausted func(T, *nestor.Job, error) worker.Effect
}

// Route is a call of the API; see [httpapi.Route].
type Route[T any] struct {
	httpapi.Route
	Do func(T, *httpapi.Request) (any, error)
}

// Door is a call in a protocol of others; see [httpapi.Door].
type Door[T any] struct {
	httpapi.Door
	Serve func(T, *httpapi.Request, http.ResponseWriter) error
}

// Command is something that the program does when it is called with its name. It
// talks to a server as any client does.
type Command struct {
	// Name is one word or two.
	Name string
	// Args is what follows, for the usage, and Detail is more help.
	Args, Summary, Detail string
	// Run does it.
	Run Run
	// Flags is for a command with flags of its own, instead of Run: it adds them and
	// returns what runs when they have been read.
	Flags func(*flag.FlagSet) Run
}

// Run is what a command does. An error is printed, and the program fails.
type Run = func(context.Context, *Call) error

// Call is one call of a command.
type Call struct {
	// Client talks to the server.
	Client *client.Client
	// Args are the arguments that are no flags.
	Args []string
	In   io.Reader
	Out  io.Writer
	// Progress takes what is of interest only while the command runs. It is a
	// terminal, where a line can be replaced, or leads nowhere.
	Progress io.Writer
}

// Host is the server that a module is opened in.
type Host struct {
	Store store.Store
	Feed  *feed.Feed
	// Running has the work that can be interrupted, as the Interrupts of the modules say.
	Running *interrupt.Running
	// Triggers are the triggers of the server.
	Triggers *trigger.Set
	// Models and Tools can be used when jobs run, not yet by Open.
	Models Models
	Tools  Tools
	// Embedders, too, can be used when jobs run. Nil if there are no connections.
	Embedders Embedders
	// Metrics takes measurements. Nil if nobody does.
	Metrics Metrics
	// Participants are those of all modules. They, too, can be asked for when jobs
	// run.
	Participants func() []Participants
	// Files keeps what users attach and tools return.
	Files *file.Library
	// Room reports why nothing more should be made of the document at a path: its user
	// or account has no room on the disk. Nil if there is room for all.
	Room func(nestor.Path) error
	// UserBudget bounds what each user may use in all.
	UserBudget nestor.Budget
	// NodeTypes are those of the modules that were opened before this one.
	NodeTypes []*node.Type
	Logger    *slog.Logger
}

// Metrics takes measurements of handlers and of what runs beside them.
type Metrics interface {
	// Record adds a point to the metrics of a user. It never waits: points are written
	// together a little later, so a crash can lose those of the last moments. What cannot
	// be recorded is dropped, and counted at /metrics.
	Record(userID, name string, dimensions map[string]string, value float64)
}

// Models opens the model behind a connection of a user; "" is the one the user chose as default.
type Models interface {
	Open(ctx context.Context, userID, connectionID string) (llm.Model, error)
}

// Embedders opens what makes vectors behind a connection of a user; "" is the
// default one. It returns nil, without an error, if the connection has none.
// What it takes is charged to the user.
type Embedders interface {
	Embedder(ctx context.Context, userID, connectionID string) (llm.Embedder, error)
}

// Tools makes the tools of one run. Nil patterns ask for what is configured for
// the role; others are names and globs.
type Tools interface {
	ForRole(ctx context.Context, role string, patterns []string) *tool.Registry
}

// Module is a described domain.
type Module interface {
	// Describe tells what there is without a server.
	Describe() Description
	// Start opens the module.
	Start(context.Context, Host) (*Running, error)
}

// Description is the part of a module that needs no server.
type Description struct {
	Name        string
	Collections []*store.Collection
	OldTables   bool
	Migrations  fs.FS
	Keep        map[string]time.Duration
	Triggers    trigger.BuiltIn
	Interrupts  []interrupt.Rule
	Rules       []byte
	Routes      []httpapi.Route // without handlers yet
	Schemas     openapi.Schemas
	Commands    []Command
}

// Running is a module that was opened.
type Running struct {
	Handlers  map[string]worker.Handler
	Routes    []httpapi.Route
	Doors     []httpapi.Door
	Tools     []*tool.Tool
	NodeTypes []*node.Type
	// Participants are those that the module adds.
	Participants []Participants
	Metrics      []prometheus.Collector
	Committed    func(store.Commit)          // nil: it does not listen
	Run          func(context.Context) error // nil: nothing runs beside the handlers
	Drained      func(context.Context) error // nil: it has nothing to do at the end
}

// Describe implements [Module].
func (m Of[T]) Describe() Description {
	d := Description{
		Name: m.Name, Collections: m.Collections, OldTables: m.OldTables, Migrations: m.Migrations, Keep: m.Keep, Interrupts: m.Interrupts, Rules: m.Rules, Schemas: m.Schemas, Commands: m.Commands,
		// Cloned, so that a caller who changes its triggers changes nobody else's.
		Triggers: trigger.BuiltIn{Triggers: slices.Clone(m.Triggers), Reactions: slices.Clone(m.Reactions), Moments: m.Moments},
	}
	for _, h := range m.Handlers {
		d.Triggers.Stages = append(d.Triggers.Stages, h.Stage)
	}
	for _, r := range m.Routes {
		d.Routes = append(d.Routes, m.tagged(r.Route))
	}
	return d
}

// tagged is a route with the tag that it has in the description of the API.
func (m Of[T]) tagged(r httpapi.Route) httpapi.Route {
	r.Tag = cmp.Or(r.Tag, m.Tag, openapi.Tag{Name: m.Name})
	return r
}

// Start implements [Module].
func (m Of[T]) Start(ctx context.Context, host Host) (*Running, error) {
	var t T
	if m.Open != nil {
		var err error
		if t, err = m.Open(ctx, host); err != nil {
			return nil, err
		}
	}
	r := &Running{Handlers: map[string]worker.Handler{}}
	for _, h := range m.Handlers {
		r.Handlers[h.Name] = h.bind(t)
	}
	for _, route := range m.Routes {
		bound := m.tagged(route.Route)
		bound.Do = func(req *httpapi.Request) (any, error) { return route.Do(t, req) }
		r.Routes = append(r.Routes, bound)
	}
	for _, door := range m.Doors {
		bound := door.Door
		bound.Serve = func(req *httpapi.Request, w http.ResponseWriter) error { return door.Serve(t, req, w) }
		r.Doors = append(r.Doors, bound)
	}
	if m.Tools != nil {
		var err error
		if r.Tools, err = m.Tools(t); err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", m.Name, err)
		}
	}
	if m.NodeTypes != nil {
		var err error
		if r.NodeTypes, err = m.NodeTypes(t); err != nil {
			return nil, fmt.Errorf("the node types of %s: %w", m.Name, err)
		}
	}
	if m.Metrics != nil {
		r.Metrics = m.Metrics(t)
	}
	if m.Participants != nil {
		r.Participants = m.Participants(t)
	}
	if m.Committed != nil {
		r.Committed = func(c store.Commit) { m.Committed(t, c) }
	}
	if m.Run != nil {
		r.Run = func(ctx context.Context) error { return m.Run(t, ctx) }
	}
	if m.Drained != nil {
		r.Drained = func(ctx context.Context) error { return m.Drained(t, ctx) }
	}
	return r, nil
}

func (h Handler[T]) bind(t T) worker.Handler {
	bound := worker.Handler{Run: func(ctx context.Context, j *nestor.Job) (worker.Effect, error) { return h.Run(t, ctx, j) }}
	if h.Prompt {
		bound.Prompt = func(*nestor.Job) bool { return true }
	}
	if h.Exhausted != nil {
		bound.Exhausted = func(j *nestor.Job, cause error) worker.Effect { return h.Exhausted(t, j, cause) }
	}
	return bound
}

// Handlers binds handlers without the rest of their module, as tests need them.
func Handlers[T any](t T, handlers []Handler[T]) map[string]worker.Handler {
	all := map[string]worker.Handler{}
	for _, h := range handlers {
		all[h.Name] = h.bind(t)
	}
	return all
}
