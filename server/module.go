package server

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	internaltool "github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
	"github.com/nestorhq/nestor/node"
	"github.com/nestorhq/nestor/tool"
)

// Module is a domain: everything that it adds to a server. Every field but Name
// may be left out.
type Module struct {
	// Name is for errors, and for the table of migrations: never change it. It is the tag of
	// the routes in the description of the API, where Description says what they are about.
	Name, Description string
	// Collections are kinds of documents with a table each, parents before
	// children. The tables are made as the collections say; a column or an index
	// that is new is added.
	Collections []*Collection
	// Migrations has a folder for each engine, sqlite and postgres, with the
	// files NNNN_name.sql, for what a collection cannot say.
	Migrations fs.FS
	// Keep is how long documents of a collection, by its name, are kept after
	// their last update. Defaults to for ever.
	Keep map[string]time.Duration
	// Triggers begin the domain's work, and Handlers do it.
	Triggers []nestor.Trigger
	Handlers map[string]Handler
	// Rules is an access rules file whose rules are added to the built-in ones.
	Rules []byte
	// Routes are added to the API, and to its description.
	Routes []Route
	// Tools are what agents can call.
	Tools []*tool.Tool
	// Nodes are types of nodes that users can draw into their agent graphs.
	Nodes []*node.Type
	// Commands are added to the command line of a program; see [Main].
	Commands []Command
}

// Collection is a kind of documents with a table of its own; see [NewCollection].
type Collection = store.Collection

// Field is a field of a document's body that the table has a column for.
type Field = store.Field

// NewCollection describes documents of the Go type T, a struct that embeds
// [nestor.Meta] and has a field for each id on the path. The pattern is that of
// their paths, such as users/{userId}/shelves/{shelfId}/books/{id}. It panics if they
// do not fit.
func NewCollection[T any](name string, parent *Collection, pattern string, fields ...Field) *Collection {
	c := store.NewCollection[T](name, parent, pattern, fields...)
	c.Schema() // derived now, so that a type that does not fit is found at the start
	return c
}

// Column makes a field that the table has a column for, which takes only certain
// values if some are given.
func Column(name string, values ...string) Field { return store.Column(name, values...) }

// Handler does the work of a trigger. It does what is slow first and returns what
// to write, nil for nothing: that is committed together with the end of the job, or
// not at all. When the process ends before, the handler is called again with the
// same job. An error is tried again as the trigger says.
type Handler func(ctx context.Context, job *Job) (Effect, error)

// Job is what a handler is to do: a document has changed.
type Job struct {
	*nestor.Job
	ctx  context.Context
	host module.Host
}

// Record adds a point to the metrics of the user whose document changed. It never
// waits: points are written within a second, and a crash can lose those of the last
// one. A handler that is called again records again.
func (j *Job) Record(name string, dimensions map[string]string, value float64) {
	j.host.Metrics.Record(j.Change.Path.UserID(), name, dimensions, value)
}

// View reads documents as they are now, before the slow part. Whatever an effect
// depends on it reads again from its Tx.
func (j *Job) View(fn func(Reader) error) error {
	return j.host.Store.View(j.ctx, func(r store.Reader) error { return fn(r) })
}

// Effect writes the results of a handler. It may run more than once, so it only
// uses the Tx.
type Effect func(Tx) error

// Reader reads documents, all as they are at one moment.
type Reader interface {
	// Get returns the document at p, or an error of [nestor.CodeNotFound].
	Get(p nestor.Path) (*nestor.Document, error)
	// Query returns one page of documents.
	Query(q Query) (Page, error)
}

// Tx reads and writes documents in one transaction.
type Tx interface {
	Reader
	// Create writes a new document. The body of a write is a Go value or JSON
	// text of an object.
	Create(p nestor.Path, body any) (*nestor.Document, error)
	// Put writes a whole document, new or not. A version other than AnyVersion
	// must be the one that the document has now.
	Put(p nestor.Path, body any, version int64) (*nestor.Document, error)
	// Patch changes an existing document by a JSON merge patch: null removes a
	// field.
	Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error)
	// Delete removes a document and everything below it.
	Delete(p nestor.Path, version int64) error
}

// AnyVersion says that a write does not depend on the version that it replaces.
const AnyVersion = store.AnyVersion

// Query asks for documents of one collection, and Page is a part of the answer.
type (
	Query = store.Query
	Page  = store.Page
)

func describe(modules []Module) module.List {
	list := make(module.List, len(modules))
	for i, m := range modules {
		list[i] = m.describe()
	}
	return list
}

// describe is the module as the server's parts take it.
func (m Module) describe() module.Module {
	d := module.Of[module.Host]{
		Name: m.Name, Tag: httpapi.Tag{Name: m.Name, Description: m.Description}, Collections: m.Collections, Migrations: m.Migrations, Keep: m.Keep, Rules: m.Rules, Triggers: m.Triggers,
		Tools:     func(module.Host) ([]*internaltool.Tool, error) { return m.Tools, nil },
		NodeTypes: func(module.Host) ([]*node.Type, error) { return m.Nodes, nil },
		Open:      func(_ context.Context, host module.Host) (module.Host, error) { return host, nil },
	}
	for _, c := range m.Commands {
		d.Commands = append(d.Commands, c.describe())
	}
	for _, r := range m.Routes {
		d.Routes = append(d.Routes, r.describe())
	}
	for _, name := range slices.Sorted(maps.Keys(m.Handlers)) {
		d.Handlers = append(d.Handlers, module.Handler[module.Host]{Stage: trigger.Stage{Name: name}, Run: m.Handlers[name].run})
	}
	return d
}

func (h Handler) run(host module.Host, ctx context.Context, j *nestor.Job) (worker.Effect, error) {
	effect, err := h(ctx, &Job{Job: j, ctx: ctx, host: host})
	if effect == nil || err != nil {
		return nil, err
	}
	return func(tx store.Tx) error { return effect(tx) }, nil
}
