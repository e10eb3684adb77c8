package xmlcall

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed prompt.tmpl
var promptText string

var promptTemplate = template.Must(template.New("prompt").Parse(promptText))

type promptData struct {
	ResultTag string
	Choice    string
	Tools     []promptTool
}

type promptTool struct {
	Name, Description, Example string
	Params                     []promptParam
}

type promptParam struct {
	Name, Type, Place, Description string
	Required                       bool
}

// prompt is the section of the system prompt that teaches the model its tools.
// choice is the request's ToolChoice. Equal tools give equal text, so that a
// provider may cache it.
func (g *grammar) prompt(choice string) (string, error) {
	data := promptData{ResultTag: resultTag}
	switch choice {
	case "":
	case "required":
		data.Choice = "This reply must call at least one tool."
	default:
		data.Choice = fmt.Sprintf("This reply must call %s.", choice)
	}
	for _, spec := range g.tools {
		t := promptTool{Name: spec.Name, Description: spec.Description, Example: spec.example()}
		for _, p := range spec.params {
			t.Params = append(t.Params, promptParam{
				Name: p.name, Type: describeType(p.schema), Place: p.place.describe(),
				Description: p.schema.Description, Required: p.required,
			})
		}
		data.Tools = append(data.Tools, t)
	}
	var b strings.Builder
	if err := promptTemplate.Execute(&b, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// describeType names the types and, where there are few, the values allowed.
func describeType(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		values := make([]string, 0, len(s.Enum))
		for _, v := range s.Enum {
			text, err := json.Marshal(v)
			if err != nil {
				continue
			}
			values = append(values, textOf(text, &jsonschema.Schema{}))
		}
		return "one of " + strings.Join(values, ", ")
	}
	types := typesOf(s)
	if len(types) == 0 {
		return "any"
	}
	return strings.Join(types, " or ")
}
