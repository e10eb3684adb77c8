package httpapi

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

// modelsArea is about the model connections and the tools of agents.
func modelsArea() area {
	return area{routes: modelRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"ModelConnection": reflect.TypeFor[connection.Connection](),
		"ModelTest":       reflect.TypeFor[tested](),
		"OfferedModel":    reflect.TypeFor[connection.OfferedModel](),
		"Tool":            reflect.TypeFor[toolInfo](),
		"NewToolRun":      reflect.TypeFor[newCall](),
		"ToolRun":         reflect.TypeFor[called](),
	}, Others: map[string]*jsonschema.Schema{"ModelConnectionInput": modelConnectionInput()}}}
}

func modelRoutes() []route {
	return []route{
		{"GET /api/v1/models", documents, (*server).listModels, openapi.Operation{
			ID: "listModels", Summary: "The model connections", Answers: openapi.Gives(openapi.List("ModelConnection")),
		}},
		{"PUT /api/v1/models/{id}", documents, (*server).putModel, openapi.Operation{
			ID: "putModel", Names: "mine", Summary: "Write a model connection", IfMatch: true,
			Body: openapi.Ref("ModelConnectionInput"), Answers: openapi.CreatesOrFinds("ModelConnection"),
			Example: `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`,
		}},
		{"DELETE /api/v1/models/{id}", documents, (*server).deleteModel, openapi.Operation{
			ID: "deleteModel", Names: "mine", Summary: "Delete a model connection", IfMatch: true, Answers: openapi.GivesNothing(),
		}},
		{"POST /api/v1/models/{id}/test", documents, (*server).testModel, openapi.Operation{
			ID: "testModel", Names: "default", Summary: "Make a real call to a model", Fails: []int{http.StatusPaymentRequired}, Answers: openapi.Gives(openapi.Ref("ModelTest")),
		}},
		{"GET /api/v1/models/{id}/models", documents, (*server).offeredModels, openapi.Operation{
			ID: "listOfferedModels", Names: "default", Summary: "The models that the provider of a connection offers", Fails: []int{http.StatusTooManyRequests},
			Answers: openapi.Gives(openapi.List("OfferedModel")),
		}},
		{"GET /api/v1/tools", whole, (*server).listTools, openapi.Operation{
			ID: "listTools", Summary: "The tools that agents can have, and what is wrong with sources of tools", Answers: openapi.Gives(toolList()),
		}},
		{"POST /api/v1/tools/{name}/call", administrator, (*server).callTool, openapi.Operation{
			ID: "callTool", Summary: "Call a tool", Body: openapi.Ref("NewToolRun"), Answers: openapi.Gives(openapi.Ref("ToolRun")),
			Example: `{"arguments":{"expression":"6*7"}}`,
		}},
	}
}

// modelConnectionInput is what a client has to say about a connection; the name
// defaults to its id.
func modelConnectionInput() *jsonschema.Schema {
	s := commonArea().Derive("ModelConnectionInput", reflect.TypeFor[modelConnection]())
	s.Required = []string{"accessFormat", "modelId"}
	for _, field := range append(openapi.ServersFields(), "hasSecret", "headerNames", "readOnly") {
		delete(s.Properties, field)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return name == field })
	}
	return s
}

func toolList() *jsonschema.Schema {
	s := openapi.List("Tool")
	s.Properties["problems"] = &jsonschema.Schema{Type: "array", Items: openapi.Text()}
	return s
}
