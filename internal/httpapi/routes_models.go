package httpapi

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/connection"
)

// modelsArea is about the model connections and the tools of agents.
func modelsArea() area {
	return area{routes: modelRoutes(), types: map[string]reflect.Type{
		"ModelConnection": reflect.TypeFor[connection.Connection](),
		"ModelTest":       reflect.TypeFor[tested](),
		"OfferedModel":    reflect.TypeFor[connection.OfferedModel](),
		"Tool":            reflect.TypeFor[toolInfo](),
		"NewToolRun":      reflect.TypeFor[newCall](),
		"ToolRun":         reflect.TypeFor[called](),
	}, schemas: map[string]*jsonschema.Schema{"ModelConnectionInput": modelConnectionInput()}}
}

func modelRoutes() []route {
	return []route{
		{"GET /api/v1/models", documents, (*server).listModels, operation{
			id: "listModels", summary: "The model connections", answers: gives(listOf("ModelConnection")),
		}},
		{"PUT /api/v1/models/{id}", documents, (*server).putModel, operation{
			id: "putModel", names: "mine", summary: "Write a model connection", ifMatch: true, body: refTo("ModelConnectionInput"), answers: createsOrFinds("ModelConnection"),
			example: `{"name":"Mine","accessFormat":"openai","modelId":"small","baseUrl":"http://127.0.0.1:1/v1","secret":"sk-example"}`,
		}},
		{"DELETE /api/v1/models/{id}", documents, (*server).deleteModel, operation{
			id: "deleteModel", names: "mine", summary: "Delete a model connection", ifMatch: true, answers: givesNothing(),
		}},
		{"POST /api/v1/models/{id}/test", documents, (*server).testModel, operation{
			id: "testModel", names: "default", summary: "Make a real call to a model", fails: []int{http.StatusPaymentRequired}, answers: gives(refTo("ModelTest")),
		}},
		{"GET /api/v1/models/{id}/models", documents, (*server).offeredModels, operation{
			id: "listOfferedModels", names: "default", summary: "The models that the provider of a connection offers", fails: []int{http.StatusTooManyRequests},
			answers: gives(listOf("OfferedModel")),
		}},
		{"GET /api/v1/tools", whole, (*server).listTools, operation{
			id: "listTools", summary: "The tools that agents can have, and what is wrong with sources of tools", answers: gives(toolList()),
		}},
		{"POST /api/v1/tools/{name}/call", administrator, (*server).callTool, operation{
			id: "callTool", summary: "Call a tool", body: refTo("NewToolRun"), answers: gives(refTo("ToolRun")),
			example: `{"arguments":{"expression":"6*7"}}`,
		}},
	}
}

// modelConnectionInput is what a client has to say about a connection; the name
// defaults to its id.
func modelConnectionInput() *jsonschema.Schema {
	body := reflect.TypeFor[modelConnection]()
	s := derive("ModelConnectionInput", body, knownIn(body, commonArea().types))
	s.Required = []string{"accessFormat", "modelId"}
	for _, field := range append(serversFields(), "hasSecret", "headerNames", "readOnly") {
		delete(s.Properties, field)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return name == field })
	}
	return s
}

func toolList() *jsonschema.Schema {
	s := listOf("Tool")
	s.Properties["problems"] = &jsonschema.Schema{Type: "array", Items: textSchema()}
	return s
}
