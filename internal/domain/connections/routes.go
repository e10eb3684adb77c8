package connections

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
)

type route = module.Route[*Connections]

func routes() []route {
	return []route{
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/models", ID: "listModels", Summary: "The model connections", Answer: connection.Connection{}, Lists: true,
		}, Do: (*Connections).listModels},
		{Route: httpapi.Route{
			Pattern: "PUT /api/v1/models/{id}", ID: "putModel", Summary: "Write a model connection",
			Example: `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`,
			More: openapi.Operation{
				Names: "mine", IfMatch: true, Body: openapi.Ref("ModelConnectionInput"), Answers: openapi.CreatesOrFinds("ModelConnection"),
			},
		}, Do: (*Connections).putModel},
		{Route: httpapi.Route{
			Pattern: "DELETE /api/v1/models/{id}", ID: "deleteModel", Summary: "Delete a model connection",
			More: openapi.Operation{Names: "mine", IfMatch: true},
		}, Do: (*Connections).deleteModel},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/models/{id}/test", ID: "testModel", Summary: "Make a real call to a model", Answer: tested{},
			More: openapi.Operation{Names: "default", Fails: []int{http.StatusPaymentRequired}},
		}, Do: (*Connections).testModel},
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/models/{id}/models", ID: "listOfferedModels", Summary: "The models that the provider of a connection offers",
			Answer: connection.OfferedModel{}, Lists: true, More: openapi.Operation{Names: "default", Fails: []int{http.StatusTooManyRequests}},
		}, Do: (*Connections).offeredModels},
	}
}

func schemas() openapi.Schemas {
	return openapi.Schemas{Types: map[string]reflect.Type{
		"ModelConnection": reflect.TypeFor[connection.Connection](),
		"ModelTest":       reflect.TypeFor[tested](),
		"OfferedModel":    reflect.TypeFor[connection.OfferedModel](),
	}, Others: map[string]*jsonschema.Schema{"ModelConnectionInput": input()}}
}

// input is what a client says about a connection; the name defaults to its id.
func input() *jsonschema.Schema {
	known := openapi.Schemas{
		Types:   map[string]reflect.Type{"RetryPolicy": reflect.TypeFor[nestor.RetryPolicy]()},
		Special: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}},
	}
	s := known.Derive("ModelConnectionInput", reflect.TypeFor[modelConnection]())
	s.Required = []string{"accessFormat", "modelId"}
	for _, field := range append(openapi.ServersFields(), "hasSecret", "headerNames", "readOnly") {
		delete(s.Properties, field)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return name == field })
	}
	return s
}
