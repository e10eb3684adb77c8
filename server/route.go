package server

import (
	"context"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Route is a call that a module adds to the API. The access rules are asked
// about each document that its handler reads and writes.
type Route struct {
	// Pattern is a method and a path, such as POST /api/v1/shelves/{shelf}/loans.
	Pattern string
	// ID is the name of the call in generated clients, Summary says what it does, and
	// Description what else a reader needs to know.
	ID, Summary, Description string
	// Body and Answer are values of the types that the handler decodes and
	// returns, nil for none. Example is a request's body with every field.
	Body, Answer any
	Example      string
	// Query are the parameters in the URL beside those in the path.
	Query []Parameter
	// Lists: the handler returns a [List] of Answers.
	Lists bool
	// Creates: success is 201 Created.
	Creates bool
	// Status is that of success, if it is neither 200 nor 201: 202 for what is
	// only begun.
	Status int
	// Upload: a request may be a file instead of JSON, of this many bytes at most,
	// see [Request.Upload]. Defaults to no files.
	Upload int64
	// Events are values of the types that the events of a stream carry, by the
	// names of the events. The handler returns a [Stream].
	Events map[string]any
	// Fails are the failures that are the route's own.
	Fails []Failure
	// Do answers a request with a value that becomes JSON. An error with a code
	// becomes that status.
	Do func(*Request) (any, error)
}

// Parameter is a part of the URL's query, with any text as its value. A request without one
// that is Required is refused.
type Parameter struct {
	Name, Description, Example string
	Required                   bool
}

type (
	// Failure is a failure that programs can tell from others of the same code, by
	// its reason; see [Because].
	Failure = httpapi.Failure
	// List is the answer of a route that lists.
	List[T any] = httpapi.List[T]
	// Stream tells what happens to a document and to those below it, and Event is
	// a part of that.
	Stream = httpapi.Stream
	Event  = httpapi.Event
	// Upload is a file that a request brings.
	Upload = httpapi.Upload
)

// Because gives an error the reason by which programs tell it from others:
// details.reason.
func Because(reason string, err *nestor.Error) *nestor.Error { return httpapi.Because(reason, err) }

// Request is a request to a route.
type Request struct{ r *httpapi.Request }

// Context ends when the client goes away.
func (r *Request) Context() context.Context { return r.r.Context() }

// HTTP is the request itself.
func (r *Request) HTTP() *http.Request { return r.r.Request }

// PathValue is what stands in place of {name} in the route's pattern: one id.
func (r *Request) PathValue(name string) string { return r.r.PathValue(name) }

// UserID is who is asking.
func (r *Request) UserID() string { return r.r.UserID() }

// Decode reads the body into v, strictly: a misspelt field is an error.
func (r *Request) Decode(v any) error { return r.r.Decode(v) }

// Upload returns the file of a request, nil for one that is JSON.
func (r *Request) Upload() (*Upload, error) { return r.r.Upload() }

// View reads what the caller may read.
func (r *Request) View(fn func(Reader) error) error {
	return r.r.View(func(all store.Reader) error { return fn(all) })
}

// Update writes what the caller may write.
func (r *Request) Update(fn func(Tx) error) error {
	return r.r.Update(func(tx store.Tx) error { return fn(tx) })
}

// Act runs fn in a transaction that the rules do not limit, if the caller may act
// on the document at p. It is for handlers that know what may change.
func (r *Request) Act(p nestor.Path, fn func(Tx) error) error {
	return r.r.Act(p, func(tx store.Tx) error { return fn(tx) })
}

func (r Route) describe() module.Route[module.Host] {
	var query []httpapi.Parameter
	for _, p := range r.Query {
		described := httpapi.TextParameter(p.Name, p.Description, p.Example)
		described.Required = p.Required
		query = append(query, described)
	}
	return module.Route[module.Host]{
		Route: httpapi.Route{
			Pattern: r.Pattern, ID: r.ID, Summary: r.Summary, Description: r.Description, Query: query, Body: r.Body, Answer: r.Answer, Example: r.Example, Lists: r.Lists,
			Creates: r.Creates, Status: r.Status, Upload: r.Upload, Events: r.Events, Fails: r.Fails,
		},
		Do: func(_ module.Host, req *httpapi.Request) (any, error) { return r.Do(&Request{req}) },
	}
}
