package httpapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
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
	// Query are the parameters in the URL beside those in the path.
	Query []Parameter
	// Body and Answer are values of the types that the handler decodes and
	// returns, nil for none. Example is a request's body with every field.
	Body, Answer any
	Example      string
	// Lists: the handler returns a [List] of Answers.
	Lists bool
	// Creates: success is 201 Created.
	Creates bool
	// Status is what an Answer comes with, if that is another: 202 for what is only
	// begun.
	Status int
	// Upload: a request may be a file instead of JSON, of this many bytes at most.
	// The handler reads it with [Request.Upload]. Defaults to no files.
	Upload int64
	// Events are values of the types that the events of a stream carry, by the
	// names of the events. The handler returns a [Stream].
	Events map[string]any
	// Fails are the failures that are the route's own.
	Fails []Failure
	Do    func(*Request) (any, error)
}

// Parameter is a part of the URL's query.
type Parameter = openapi.Parameter

// Failure is a way in which a call fails that a program can tell from others of
// the same code: details.reason has its reason. See [Because].
type Failure = openapi.Reason

// List is the answer of a route that lists: all, or a page with the cursor of the
// next one.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// Because gives an error the reason that programs tell it by.
func Because(reason string, err *nestor.Error) *nestor.Error { return err.With("reason", reason) }

// TextParameter describes a parameter that is any text.
func TextParameter(name, description, example string) Parameter {
	return Parameter{Name: name, Description: description, Schema: openapi.Text(), Example: example}
}

// Paging are the parameters that [Request.Page] reads.
func Paging() []Parameter { return pagingOf() }

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
	o := openapi.Operation{
		ID: r.ID, Summary: r.Summary, Query: slices.Clone(r.Query), Example: r.Example, Upload: r.Upload, Reasons: r.Fails, Answers: r.answers(types),
	}
	if r.Body != nil {
		o.Body = openapi.Ref(named(types, r.Body))
	}
	if r.Upload > 0 {
		o.Query = append(o.Query, TextParameter(fileNameParameter, "The name of the file, if the file itself is the request.", "plan.md"))
	}
	if r.Events == nil {
		return route{r.Pattern, documents, r.answer, o}
	}
	o.Answers, o.Events = nil, map[string]*jsonschema.Schema{}
	for _, name := range slices.Sorted(maps.Keys(r.Events)) {
		o.Events[name] = openapi.Ref(named(types, r.Events[name]))
	}
	o.Events["resync"] = openapi.Ref("Resync")
	return route{r.Pattern, documents, streaming(r.stream), o}
}

// answers are the schemas of what r answers with.
func (r Route) answers(types map[string]reflect.Type) openapi.Answers {
	switch {
	case r.Answer == nil:
		return openapi.GivesNothing()
	case r.Lists:
		return openapi.Answers{r.status(): openapi.Page(named(types, r.Answer))}
	}
	return openapi.Answers{r.status(): openapi.Ref(named(types, r.Answer))}
}

func (r Route) status() int {
	switch {
	case r.Status != 0:
		return r.Status
	case r.Creates:
		return http.StatusCreated
	}
	return http.StatusOK
}

// answer is the handler of r.
func (r Route) answer(s *server, req *http.Request) (response, error) {
	body, err := r.Do(&Request{req, s})
	return response{status: r.status(), body: body}, err
}

// stream is the handler of r if it answers with events.
func (r Route) stream(s *server, req *http.Request) (response, error) {
	if err := s.events.Check(req); err != nil {
		return response{}, err
	}
	told, err := r.Do(&Request{req, s})
	if err != nil {
		return response{}, err
	}
	about, ok := told.(Stream)
	if !ok {
		return response{}, nestor.Errorf(nestor.CodeInternal, "the handler of %s returned no stream", r.Pattern)
	}
	send, err := s.events.Told(req, about)
	return response{stream: send}, err
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
