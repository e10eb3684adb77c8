package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi"
)

// documented fails a test in which a route answers with a status that the
// description of the API does not have for it. All tests of this package talk to
// a server within it.
func documented(t testing.TB, next http.Handler) http.Handler {
	routes, statuses := describedStatuses()
	var missing sync.Map
	t.Cleanup(func() {
		missing.Range(func(what, _ any) bool {
			t.Errorf("%v, which is not documented", what)
			return true
		})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := routes.Handler(r) // before the server has changed the request
		o := &observed{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(o, r)
		key := strconv.Itoa(o.status)
		if o.status >= http.StatusInternalServerError {
			key = "5XX"
		}
		if known := statuses[pattern]; known != nil && !known[key] && o.status != statusCancelled && o.status != http.StatusTemporaryRedirect {
			missing.Store(pattern+" answers "+key, true)
		}
	})
}

// statusCancelled is for a client that went away and does not see it. A redirect
// leads to the same address, spelled as it should be.
const statusCancelled = 499

// describedStatuses are those of every route by its pattern, and what finds the
// pattern of a request.
var describedStatuses = sync.OnceValues(func() (*http.ServeMux, map[string]map[string]bool) {
	var doc struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(openAPI(), &doc); err != nil {
		panic(err)
	}
	mux, statuses := http.NewServeMux(), map[string]map[string]bool{}
	for _, pattern := range httpapi.Patterns(routes) {
		mux.Handle(pattern, http.NotFoundHandler())
		method, path, _ := strings.Cut(strings.ReplaceAll(pattern, "...}", "}"), " ")
		statuses[pattern] = map[string]bool{}
		for status := range doc.Paths[path][strings.ToLower(method)].Responses {
			statuses[pattern][status] = true
		}
	}
	return mux, statuses
})

// observed notes the status of an answer.
type observed struct {
	http.ResponseWriter
	status int
}

func (o *observed) WriteHeader(status int) {
	if status >= http.StatusOK { // what is said before the answer does not count
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }
