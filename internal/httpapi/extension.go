package httpapi

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Route is a call that a module adds to the API. Its handler reads and writes
// through a [Request], which asks the rules about each document.
type Route struct {
	// Pattern is a method and a path, such as POST /api/v1/shelves/{shelf}/loans.
	Pattern string
	// ID is the name of the call in generated clients, Summary says what it does, and
	// Description what else a reader needs to know.
	ID, Summary, Description string
	// Tag is the part of the API that it belongs to. Defaults to that of its module.
	Tag Tag
	// Needs is what it asks of its caller. Defaults to what the rules say about
	// each document.
	Needs Need
	// Query are the parameters in the URL beside those in the path.
	Query []Parameter
	// Body and Answer are values of the types that the handler decodes and
	// returns, nil for none. Example is a request's body with every field.
	Body, Answer any
	Example      string
	// Lists: the handler returns a [List] of Answers, in pages if Query has the
	// parameters for them; see [Paging].
	Lists bool
	// Creates: success is 201 Created.
	Creates bool
	// Status is that of success, if it is neither 200 nor 201: 202 for what is
	// only begun.
	Status int
	// Upload: a request may be a file instead of JSON, of this many bytes at most.
	// The handler reads it with [Request.Upload]. Defaults to no files.
	Upload int64
	// File: the handler returns a [Content].
	File bool
	// Events are values of the types that the events of a stream carry, by the
	// names of the events. The handler returns a [Stream].
	Events map[string]any
	// Fails are the failures that are the route's own.
	Fails []Failure
	// More is what else there is to describe: headers that the route obeys,
	// schemas without a Go type, answers with several statuses.
	More openapi.Operation
	Do   func(*Request) (any, error)
}

// Parameter is a part of the URL's query.
type Parameter = openapi.Parameter

// Tag is a part of the API, as its description has it.
type Tag = openapi.Tag

// Failure is a failure that a program can tell from others of the same code, by
// details.reason. See [Because].
type Failure = openapi.Reason

// List is the answer of a route that lists: all, or a page with the cursor of the
// next one.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// Answered is an answer with another status than that of its route.
type Answered struct {
	Status int
	Body   any
}

// Because gives an error the reason by which programs tell it from others.
func Because(reason string, err *nestor.Error) *nestor.Error { return err.With("reason", reason) }

// TextParameter describes a parameter that is any text.
func TextParameter(name, description, example string) Parameter {
	return Parameter{Name: name, Description: description, Schema: openapi.Text(), Example: example}
}

// RequiredParameter describes one that must be there.
func RequiredParameter(name, description, example string) Parameter {
	p := TextParameter(name, description, example)
	p.Required = true
	return p
}

// extension is the area of the modules' routes. Schemas has the names that
// modules give to the schemas of their types.
func extension(routes []Route, schemas openapi.Schemas) area {
	a := area{Schemas: schemas}
	a.Types = maps.Clone(schemas.Types)
	if a.Types == nil {
		a.Types = map[string]reflect.Type{}
	}
	for _, r := range routes {
		a.routes = append(a.routes, r.route(a.Schemas))
	}
	return a
}

// route makes r a route of the server. It adds the types of r to those that
// have a schema.
func (r Route) route(schemas openapi.Schemas) route {
	needs := cmp.Or(r.Needs, documents)
	o := r.More
	o.ID, o.Summary, o.Description, o.Tag = r.ID, r.Summary, r.Description, r.Tag
	o.Query, o.Example, o.Upload, o.File, o.Reasons = slices.Clone(r.Query), r.Example, r.Upload, r.File, r.Fails
	if o.Answers == nil {
		o.Answers = r.answers(schemas)
	}
	if r.Body != nil {
		o.Body = openapi.Ref(named(schemas, r.Body))
	}
	if r.Upload > 0 {
		o.Query = append(o.Query, TextParameter(fileNameParameter, "The name of the file, if the file itself is the request.", "plan.md"))
	}
	if r.Events == nil {
		return route{r.Pattern, needs, r.answer, o}
	}
	o.Answers, o.Events = nil, map[string]*jsonschema.Schema{}
	for _, name := range slices.Sorted(maps.Keys(r.Events)) {
		o.Events[name] = openapi.Ref(named(schemas, r.Events[name]))
	}
	o.Events["resync"] = openapi.Ref("Resync")
	o.Query = append(o.Query, fromParameter)
	return route{r.Pattern, needs, streaming(r.stream), o}
}

// answers are the schemas of what r answers with.
func (r Route) answers(schemas openapi.Schemas) openapi.Answers {
	switch {
	case r.File:
		return openapi.Answers{}
	case r.Answer == nil:
		return openapi.GivesNothing()
	case r.Lists:
		if slices.ContainsFunc(r.Query, func(p Parameter) bool { return p.Name == cursorParameter.Name }) {
			return openapi.Answers{r.status(): openapi.Page(named(schemas, r.Answer))}
		}
		return openapi.Answers{r.status(): openapi.List(named(schemas, r.Answer))}
	}
	return openapi.Answers{r.status(): openapi.Ref(named(schemas, r.Answer))}
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
	asked := newRequest(req, s)
	body, err := r.Do(asked)
	if c, ok := body.(Content); ok && err == nil {
		res, err := c.response(req, s.answers, web.UserOf(req, s.Gate))
		if send := res.stream; send != nil { // it may take long
			res.stream = func(w http.ResponseWriter, req *http.Request) { send(&judged{ResponseWriter: w, req: asked}, req) }
		}
		return res, err
	}
	res := response{status: r.status(), body: body}
	if other, ok := body.(Answered); ok {
		res = response{status: other.Status, body: other.Body}
	}
	if d, ok := res.body.(*nestor.Document); ok && d != nil {
		res.etag = document(d).etag
	}
	return res, err
}

// stream is the handler of r if it answers with events.
func (r Route) stream(s *server, req *http.Request) (response, error) {
	if err := s.events.Check(req); err != nil {
		return response{}, err
	}
	told, err := r.Do(newRequest(req, s))
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
func named(schemas openapi.Schemas, v any) string {
	t := reflect.TypeOf(v)
	for _, known := range []map[string]reflect.Type{schemas.Types, schemas.Documents} {
		for name, of := range known {
			if of == t {
				return name
			}
		}
	}
	name := store.TypeName(t)
	schemas.Types[name] = t
	return name
}

// Description is the API in OpenAPI, with what modules add to it.
func Description(kinds *store.Catalogue, routes []Route, schemas openapi.Schemas) []byte {
	return describe(append(areas(kinds), extension(routes, schemas)), access.PublicURL{})
}
