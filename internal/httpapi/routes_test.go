package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// A server whose routes contradict each other does not start.
func TestARouteIsDeclaredOnceAndWhole(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/things/{thing}"
	thing := route{"GET " + path, documents, (*server).getMe, openapi.Operation{ID: "getThing", Summary: "A thing"}}
	with := func(change func(*route)) []route {
		other := thing
		other.pattern, other.ID = "PUT "+path, "putThing"
		change(&other)
		return []route{thing, other}
	}
	for name, tt := range map[string]struct {
		routes []route
		want   string
	}{
		"another method":               {with(func(*route) {}), ""},
		"the same pattern":             {with(func(r *route) { r.pattern = thing.pattern }), "is declared twice"},
		"another name for a part":      {with(func(r *route) { r.pattern = "GET /api/v1/things/{id}" }), "is declared twice"},
		"the same id":                  {with(func(r *route) { r.ID = thing.ID }), "has the id of another"},
		"no method":                    {with(func(r *route) { r.pattern = path }), "lacks"},
		"a path that is not the API's": {with(func(r *route) { r.pattern = "GET /things" }), "lacks"},
		"no need":                      {with(func(r *route) { r.needs = 0 }), "lacks"},
		"no handler":                   {with(func(r *route) { r.do = nil }), "lacks"},
		"no id":                        {with(func(r *route) { r.ID = "" }), "lacks"},
		"no summary":                   {with(func(r *route) { r.Summary = "" }), "lacks"},
	} {
		err := check(routesOf([]area{{routes: tt.routes[:1]}, {routes: tt.routes[1:]}}))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// An area is all that it takes to be answered and described.
func TestAnAreaIsDescribedWithoutAServer(t *testing.T) {
	t.Parallel()
	toy := area{routes: []route{{"GET /api/v1/toys/{id}", documents, (*server).getMe, openapi.Operation{ID: "getToy", Summary: "A toy", Answers: openapi.Gives(openapi.Ref("Me"))}}}}
	text := string(describe(slices.Concat(areas(store.DefaultCatalogue), []area{toy}), access.PublicURL{}))
	if !strings.Contains(text, `"/api/v1/toys/{id}"`) || !strings.Contains(text, `"operationId":"getToy"`) {
		t.Error("the description does not have the route")
	}
}
