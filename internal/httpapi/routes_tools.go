package httpapi

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

// toolsArea is about the tools of agents.
func toolsArea() area {
	return area{routes: toolRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Tool":       reflect.TypeFor[toolInfo](),
		"NewToolRun": reflect.TypeFor[newCall](),
		"ToolRun":    reflect.TypeFor[called](),
	}}}
}

func toolRoutes() []route {
	return []route{
		{"GET /api/v1/tools", whole, (*server).listTools, openapi.Operation{
			ID: "listTools", Summary: "The tools that agents can have, and what is wrong with sources of tools", Answers: openapi.Gives(toolList()),
		}},
		{"POST /api/v1/tools/{name}/call", administrator, (*server).callTool, openapi.Operation{
			ID: "callTool", Summary: "Call a tool", Body: openapi.Ref("NewToolRun"), Answers: openapi.Gives(openapi.Ref("ToolRun")),
			Example: `{"arguments":{"expression":"6*7"}}`,
		}},
	}
}

func toolList() *jsonschema.Schema {
	s := openapi.List("Tool")
	s.Properties["problems"] = &jsonschema.Schema{Type: "array", Items: openapi.Text()}
	return s
}
