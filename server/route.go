package server

import (
	"context"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Route is a call that a module adds to the API. Whoever may do what it does may
// call it: the access rules are asked about each document that its handler reads and
// writes.
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
	// Do answers a request with a value that becomes JSON. An error with a code
	// becomes that status.
	Do func(*Request) (any, error)
}

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

func (r Route) describe() module.Route[store.Store] {
	return module.Route[store.Store]{
		Route: httpapi.Route{
			Pattern: r.Pattern, ID: r.ID, Summary: r.Summary, Body: r.Body, Answer: r.Answer, Example: r.Example, Creates: r.Creates,
		},
		Do: func(_ store.Store, req *httpapi.Request) (any, error) { return r.Do(&Request{req}) },
	}
}
