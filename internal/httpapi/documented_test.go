package httpapi_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/apitest"
)

// documented fails a test in which a route answers with a status that the
// description of the API does not have for it. All tests of this package talk to
// a server within it.
func documented(t testing.TB, next http.Handler) http.Handler {
	statuses := describedStatuses()
	var missing sync.Map
	t.Cleanup(func() {
		missing.Range(func(what, _ any) bool {
			t.Errorf("%v, which is not documented", what)
			return true
		})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pattern := statuses.Pattern(r) // before the server has changed the request
		o := &observed{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(o, r)
		if what := statuses.Missing(pattern, o.status); what != "" {
			missing.Store(what, true)
		}
	})
}

var describedStatuses = sync.OnceValue(func() *apitest.Statuses {
	s, err := apitest.Described(openAPI(), httpapi.Patterns(routes))
	if err != nil {
		panic(err)
	}
	return s
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
