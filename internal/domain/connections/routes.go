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

func routes() []route { return append(modelRoutes(), recordRoutes()...) }

func modelRoutes() []route {
	return []route{
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/models", ID: "listModels", Summary: "The model connections",
			Description: "The one of the environment is read-only, and exactly one of all is the default. Secrets are never shown: hasSecret says whether there is one.",
			Answer:      connection.Connection{}, Lists: true,
		}, Do: (*Connections).listModels},
		{Route: httpapi.Route{
			Pattern: "PUT /api/v1/models/{id}", ID: "putModel", Summary: "Write a model connection",
			Description: "A secret that is left out stays as long as accessFormat and baseUrl do, and an empty one removes it.",
			Example:     `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`,
			More: openapi.Operation{
				Names: "mine", IfMatch: true, Body: openapi.Ref("ModelConnectionInput"), Answers: openapi.CreatesOrFinds("ModelConnection"),
			},
		}, Do: (*Connections).putModel},
		{Route: httpapi.Route{
			Pattern: "DELETE /api/v1/models/{id}", ID: "deleteModel", Summary: "Delete a model connection",
			Description: "Its secret goes, too. If it was the default, that of the environment is again.",
			More:        openapi.Operation{Names: "mine", IfMatch: true},
		}, Do: (*Connections).deleteModel},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/models/{id}/test", ID: "testModel", Summary: "Make a real call to a model",
			Description: "The call is made without retries and fallback, within 30 seconds, and counts as used by the caller. A failure is an answer with ok false, which says which field to look at.",
			Answer:      tested{},
			More:        openapi.Operation{Names: "default", Fails: []int{http.StatusPaymentRequired}},
		}, Do: (*Connections).testModel},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/models/test", ID: "testUnsavedModel",
			Summary:     "Make a real call to a model as it would be saved, and save nothing; with the id of a connection, secrets that are left out are its own",
			Description: "What saving would refuse is refused. The call itself is that of a test of a saved connection.",
			Example:     `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`, Answer: tested{},
			More: openapi.Operation{Body: openapi.Ref("NewModelConnection"), Fails: []int{http.StatusPaymentRequired}},
		}, Do: (*Connections).testUnsavedModel},
		{Route: httpapi.Route{
			Pattern: "POST /api/v1/models/{id}/default", ID: "makeModelDefault",
			Summary:     "Call a model connection wherever the caller names none",
			Description: "The id default chooses the connection of the environment again.",
			Answer:      connection.Connection{},
			More:        openapi.Operation{Names: "default"},
		}, Do: (*Connections).makeDefault},
		{Route: httpapi.Route{
			Pattern: "GET /api/v1/models/{id}/models", ID: "listOfferedModels", Summary: "The models that the provider of a connection offers",
			Description: "The provider is asked while the caller waits, with the connection's own secret.",
			Answer:      connection.OfferedModel{}, Lists: true, More: openapi.Operation{Names: "default", Fails: []int{http.StatusTooManyRequests}},
		}, Do: (*Connections).offeredModels},
	}
}

const example = `"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"https://models.example/v1","secret":"sk-example"`

// recordRoutes are the calls that records of every kind have.
func recordRoutes() []route {
	const all, one = "/api/v1/records/model_connections", "/api/v1/records/model_connections/{id}"
	shown := connection.Connection{}
	return []route{
		{Do: (*Connections).postRecord, Route: httpapi.Route{
			Pattern: "POST " + all, ID: "createModelConnection", Summary: "Make a model connection; an id that is taken is a conflict",
			Description: "Without an id the server makes one. The secret and the headers are sealed and never shown again.",
			Example:     `{"id":"first",` + example + `}`, Creates: true, Answer: shown, More: openapi.Operation{Body: openapi.Ref("NewModelConnection")},
		}},
		{Do: (*Connections).postRecords, Route: httpapi.Route{
			Pattern: "POST " + all + "/batch", ID: "createManyModelConnections", Summary: "Make several model connections, all or none",
			Description: "At most 100 are made. If one of them is wrong, details.index says which.",
			Example:     `{"records":[{"id":"second",` + example + `}]}`, Creates: true, Answer: shown, Lists: true,
			More: openapi.Operation{Body: openapi.Ref("NewModelConnectionBatch")},
		}},
		{Do: (*Connections).listRecords, Route: httpapi.Route{
			Pattern: "GET " + all, ID: "listModelConnections", Summary: "The caller's own model connections, oldest first, without their secrets",
			Description: "The connection of the environment is no record, so it is not among them.",
			Query:       httpapi.Paging(), Answer: shown, Lists: true,
		}},
		{Do: (*Connections).countRecords, Route: httpapi.Route{
			Pattern: "GET " + all + "/count", ID: "countModelConnections", Summary: "How many model connections the caller has",
			Description: "The connection of the environment is not counted.",
			Answer:      httpapi.RecordCount{},
		}},
		{Do: (*Connections).streamRecords, Route: httpapi.Route{
			Pattern: "GET " + all + "/stream", ID: "followModelConnections", Summary: "What becomes of the caller's model connections, as it happens",
			Description: "It tells what happens from now on. To miss nothing, open it first and list then.",
			Events:      map[string]any{"created": shown, "updated": shown, "deleted": httpapi.DeletedRecord{}},
		}},
		{Do: (*Connections).getRecord, Route: httpapi.Route{
			Pattern: "GET " + one, ID: "getModelConnection", Summary: "A model connection, without its secrets",
			Description: "hasSecret and headerNames say what secrets there are.",
			Answer:      shown,
			More:        openapi.Operation{Names: "spare", IfNoneMatch: true},
		}},
		{Do: (*Connections).patchRecord, Route: httpapi.Route{
			Pattern: "PATCH " + one, ID: "updateModelConnection", Summary: "Change fields of a model connection; its secrets stay unless they are sent",
			Description: "Fields that are left out stay, the secret and the headers among them.",
			Example:     `{"name":"Yours","concurrency":4}`, Answer: shown, More: openapi.Operation{Names: "spare", IfMatch: true, Body: openapi.Ref("ModelConnectionChange")},
		}},
		{Do: (*Connections).deleteModel, Route: httpapi.Route{
			Pattern: "DELETE " + one, ID: "deleteModelConnection", Summary: "Delete a model connection and its secrets",
			Description: "If it was the default, that of the environment is again.",
			More:        openapi.Operation{Names: "spare", IfMatch: true},
		}},
		{Do: (*Connections).cloneRecord, Route: httpapi.Route{
			Pattern: "POST " + one + "/clone", ID: "cloneModelConnection", Summary: "Make a copy of a model connection with its secrets, which stay on the server",
			Description: "It has an id of its own, or that of the body.",
			Body:        httpapi.CloneRequest{}, Example: `{"id":"copy"}`, Answer: shown, Creates: true, More: openapi.Operation{Names: "spare", BodyOptional: true},
		}},
	}
}

func schemas() openapi.Schemas {
	return openapi.Schemas{Types: map[string]reflect.Type{
		"ModelConnection": reflect.TypeFor[connection.Connection](),
		"ModelTest":       reflect.TypeFor[tested](),
		"OfferedModel":    reflect.TypeFor[connection.OfferedModel](),
	}, Others: map[string]*jsonschema.Schema{
		"ModelConnectionInput": input("accessFormat"), "ModelConnectionChange": input(),
		"NewModelConnection":      withID(input("accessFormat")),
		"NewModelConnectionBatch": openapi.Object(map[string]*jsonschema.Schema{"records": openapi.Array("NewModelConnection")}),
	}}
}

// input is what a client says about a connection; the name defaults to its id, and the model to
// the only one of a format that has one.
func input(required ...string) *jsonschema.Schema {
	known := openapi.Schemas{
		Types:   map[string]reflect.Type{"RetryPolicy": reflect.TypeFor[nestor.RetryPolicy]()},
		Special: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}},
	}
	s := known.Derive("ModelConnectionInput", reflect.TypeFor[modelConnection]())
	s.Required = required
	for _, field := range append(openapi.ServersFields(), "default", "hasSecret", "headerNames", "readOnly") {
		delete(s.Properties, field)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return name == field })
	}
	return s
}

// withID adds the id, which the server makes if it is left out.
func withID(s *jsonschema.Schema) *jsonschema.Schema {
	s.Properties["id"] = openapi.Text()
	s.PropertyOrder = slices.Insert(s.PropertyOrder, 0, "id")
	return s
}
