package openai

import (
	"bytes"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// toolSpec is a tool of the caller. Chat completions have its function in a field,
// responses have the same beside the type.
type toolSpec struct {
	Type     string    `json:"type"`
	Function *function `json:"function"`
	function
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolsOf are the tools that a request offers.
func toolsOf(specs []toolSpec, choice json.RawMessage) ([]clientTool, error) {
	switch choice = bytes.TrimSpace(choice); string(choice) {
	case "", "null", `"auto"`:
	case `"none"`:
		return nil, nil
	default:
		return nil, unsupported("tool_choice", "tool_choice is auto or none: an agent decides itself what it calls")
	}
	var tools []clientTool
	for _, s := range specs {
		if s.Type != "function" {
			return nil, unsupported("tools", "a tool is a function, not a %.100q: participants have tools of their own", s.Type)
		}
		f := s.function
		if s.Function != nil {
			f = *s.Function
		}
		tools = append(tools, clientTool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	return tools, nil
}

type clientTool struct {
	Name, Description string
	Parameters        json.RawMessage
}

func setTools(*httpapi.ChatFields, *ask) error { return nil }

func changeTools(*httpapi.Request, nestor.Path, *nestor.Chat, *ask) error { return nil }

func callsOf(nestor.Path, []runs.Event) []called { return nil }

func (d *Door) resume(*httpapi.Request, *ask) (b begun, err error) {
	return b, nestor.Errorf(nestor.CodeInvalid, "no tools")
}
