package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

type toy struct {
	Name string `json:"name"`
}

// A list that is read has pages, one of what was made has none, a type has the name that
// its module gives it, and what a route needs decides about its failures.
func TestARouteOfAModuleIsDescribedAsItSays(t *testing.T) {
	t.Parallel()
	routes := []Route{
		{Pattern: "GET /api/v1/toys", ID: "listToys", Summary: "Toys", Answer: toy{}, Lists: true},
		{Pattern: "POST /api/v1/toys", ID: "postToys", Summary: "Toys", Body: toy{}, Example: `{"name":"x"}`, Answer: toy{}, Lists: true},
		{Pattern: "PUT /api/v1/toys", ID: "putToy", Summary: "A toy", Body: toy{}, Example: `{"name":"x"}`, Needs: Administrator, More: openapi.Operation{
			IfMatch: true, Fails: []int{http.StatusPaymentRequired}, Answers: openapi.CreatesOrFinds("Plaything"),
		}},
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct{ Properties map[string]any }
				}
			}
		}
		Components struct{ Schemas map[string]any }
	}
	text := Description(store.DefaultCatalogue, routes, openapi.Schemas{Types: map[string]reflect.Type{"Plaything": reflect.TypeFor[toy]()}})
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Components.Schemas["Plaything"] == nil || doc.Components.Schemas["Toy"] != nil {
		t.Error("the type has another name than its module gave it")
	}
	for method, paged := range map[string]bool{"get": true, "post": false} {
		fields := doc.Paths["/api/v1/toys"][method].Responses["200"].Content["application/json"].Schema.Properties
		if fields["items"] == nil || (fields["next"] != nil) != paged {
			t.Errorf("%s answers with %v", method, fields)
		}
	}
	for _, status := range []string{"200", "201", "402", "412"} {
		if _, ok := doc.Paths["/api/v1/toys"]["put"].Responses[status]; !ok {
			t.Errorf("putToy does not have %s", status)
		}
	}
	all := routesOf([]area{extension(routes, openapi.Schemas{})})
	needs := []Need{all[0].needs, all[1].needs, all[2].needs}
	if !slices.Equal(needs, []Need{documents, documents, administrator}) {
		t.Errorf("the routes need %v", needs)
	}
}
