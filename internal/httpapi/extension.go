package httpapi

import (
	"net/http"
	"reflect"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Route is a call that a module adds to the API. It is for whoever may do what it
// does: a handler reads and writes through its [Request], which asks the rules about
// each document.
type Route struct {
	// Pattern is a method and a path, such as POST /api/v1/shelves/{shelf}/loans.
	Pattern string
	// ID is the name of the call in generated clients, and Summary says what it
	// does.
	ID, Summary string
	// Body and Answer are values of the types that the handler decodes and
	// returns, nil for none. Example is a request's body with every field.
	Body, Answer any
	Example      string
	// Creates: success is 201 Created.
	Creates bool
	Do      func(*Request) (any, error)
}

// Request is a request to a route of a module.
type Request struct {
	*http.Request
	server *server
}

// UserID is who is asking.
func (r *Request) UserID() string { return callerOf(r.Request).UserID }

// Decode reads the body into v, strictly: a misspelt field is an error.
func (r *Request) Decode(v any) error { return web.Read(r.Request, v) }

// View reads what the caller may read.
func (r *Request) View(fn func(store.Reader) error) error { return r.server.view(r.Request, fn) }

// Update writes what the caller may write.
func (r *Request) Update(fn func(store.Tx) error) error { return r.server.update(r.Request, fn) }

// Act runs fn in a transaction that the rules do not limit, if the caller may act
// on the document at p. It is for handlers that know what may change.
func (r *Request) Act(p nestor.Path, fn func(store.Tx) error) error {
	return r.server.act(r.Request, p, fn)
}

// extension is the area of the routes of modules.
func extension(routes []Route) area {
	a := area{Schemas: openapi.Schemas{Types: map[string]reflect.Type{}}}
	for _, r := range routes {
		a.routes = append(a.routes, r.route(a.Types))
	}
	return a
}

// route is r as the server has it. It adds the types of r to those that have a
// schema.
func (r Route) route(types map[string]reflect.Type) route {
	o := openapi.Operation{ID: r.ID, Summary: r.Summary, Example: r.Example, Answers: openapi.GivesNothing()}
	if r.Body != nil {
		o.Body = openapi.Ref(named(types, r.Body))
	}
	status := http.StatusOK
	if r.Creates {
		status = http.StatusCreated
	}
	if r.Answer != nil {
		o.Answers = openapi.Answers{status: openapi.Ref(named(types, r.Answer))}
	}
	do := func(s *server, req *http.Request) (response, error) {
		body, err := r.Do(&Request{req, s})
		return response{status: status, body: body}, err
	}
	return route{r.Pattern, documents, do, o}
}

// named is the name of the schema of a value's type.
func named(types map[string]reflect.Type, v any) string {
	t := reflect.TypeOf(v)
	name := store.TypeName(t)
	types[name] = t
	return name
}

// Description is the API in OpenAPI, with what modules add to it.
func Description(kinds *store.Catalogue, routes []Route) []byte {
	return describe(append(areas(kinds), extension(routes)))
}
