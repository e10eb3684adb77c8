package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// Need is what a route asks of its caller before it looks at the request. Every
// route says which: one that says nothing lets nobody in.
type Need int

const (
	// nothing: it is for callers who have not shown yet who they are.
	nothing Need = iota + 1
	// somebody: the answer is the same for all, or says who the caller is.
	somebody
	// documents: it asks the rules about each document that it reads, writes or
	// acts on, and does nothing else. So a credential for some documents is enough.
	documents
	// whole: there is no document that rules could decide about, so a credential
	// for some documents is not enough.
	whole
	// administrator: like whole, for administrators.
	administrator
)

// What routes of modules can need beside the default, which is that the rules
// decide about each document. Anyone is for routes that know by other means whom they
// answer; see [Request.ViewAs].
const (
	Anyone        = nothing
	Whole         = whole
	Administrator = administrator
)

func (n Need) check(c access.Caller) error {
	switch n {
	case somebody, documents:
		return c.RequireUser()
	case whole:
		return c.RequireWhole()
	case administrator:
		return c.RequireAdmin()
	}
	return nestor.Errorf(nestor.CodeInternal, "the route does not say what it needs")
}

// ids passes a request on to h if it has one id, or name, at each placeholder
// of the route's pattern. Otherwise an id with an escaped slash would lead to
// another document than the one that the rules were asked about.
func ids(pattern string, h http.Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	names := openapi.Placeholders(pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range names {
			if err := nestor.CheckID(r.PathValue(name)); err != nil {
				fail(w, r, nestor.Errorf(nestor.CodeInvalid, "{%s} in the address: %w", name, err).With("field", name))
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// complete has h refuse bodies that lack something that their schema requires.
func complete(body *jsonschema.Schema, schemas openapi.Schemas, h http.Handler) http.Handler {
	required := sync.OnceValue(func() *openapi.Required { return schemas.Requires(body) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, web.Checking(r, func(body []byte) error { return required().Check(body) }))
	})
}

// parameters passes a request on to h if there is every parameter that its query has, and
// its query has every one that is required. A misspelt one would else be left out, and the
// answer would not be what was asked for.
func parameters(known []Parameter, h http.Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	names, families, required := make([]string, len(known)), []string{}, []string{}
	for i, p := range known {
		if names[i] = p.Name; p.Family {
			families = append(families, p.Name)
		}
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" && len(required) == 0 {
			h.ServeHTTP(w, r)
			return
		}
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			fail(w, r, nestor.Errorf(nestor.CodeInvalid, "the query of the address cannot be read: %.100s", err))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if family, _, _ := strings.Cut(name, "."); slices.Contains(names, name) || slices.Contains(families, family) {
				continue
			}
			there := "it has none"
			if len(names) > 0 {
				there = "there are: " + strings.Join(names, ", ")
			}
			name = fmt.Sprintf("%.60s", name)
			fail(w, r, nestor.Errorf(nestor.CodeInvalid, "%s %s has no parameter %q; %s", r.Method, r.URL.Path, name, there).With("field", name))
			return
		}
		for _, name := range required {
			if !values.Has(name) {
				fail(w, r, nestor.Errorf(nestor.CodeInvalid, "the parameter %s is missing", name).With("field", name))
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}
