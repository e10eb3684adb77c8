package httpapi

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/httpapi/openapi"
)

// toolsArea is about the tools of agents.
func toolsArea() area {
	return area{tag: Tag{Name: "Tools", Description: "What agents can do besides talking."}, routes: toolRoutes(), Schemas: openapi.Schemas{Types: map[string]reflect.Type{
		"Tool":       reflect.TypeFor[toolInfo](),
		"NewToolRun": reflect.TypeFor[newCall](),
		"ToolRun":    reflect.TypeFor[called](),
	}}}
}

func toolRoutes() []route {
	return []route{
		{"GET /api/v1/tools", whole, (*server).listTools, openapi.Operation{
			ID: "listTools", Summary: "The tools that agents can have, and what is wrong with sources of tools",
			Description: "Under problems it says which sources of tools could not be asked, and which tools are not offered, with the reason.",
			Answers:     openapi.Gives(toolList()),
		}},
		{"POST /api/v1/tools/{name}/call", administrator, (*server).callTool, openapi.Operation{
			ID: "callTool", Summary: "Call a tool",
			Description: "It runs at once and outside of any chat, for the caller, whose request counts as the approval. A call that fails is an answer with the status failed.",
			Body:        openapi.Ref("NewToolRun"), Answers: openapi.Gives(openapi.Ref("ToolRun")),
			Example: `{"arguments":{"expression":"6*7"}}`,
		}},
	}
}

func toolList() *jsonschema.Schema {
	s := openapi.List("Tool")
	s.Properties["problems"] = &jsonschema.Schema{Type: "array", Items: openapi.Text()}
	return s
}
