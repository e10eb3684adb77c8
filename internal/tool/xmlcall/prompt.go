package xmlcall

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// rules say how calls are written. RESULT stands for the tag of results.
//
// The prompt is put together without text/template: templates call methods by
// names that they learn when they run, and a program with a single one must keep
// every method of every type. That is megabytes of code that nobody calls.
//
//go:embed prompt.md
var rules string

// prompt is the section of the system prompt that teaches the model its tools.
// choice is the request's ToolChoice. Equal tools give equal text, so that a
// provider may cache it.
func (g *grammar) prompt(choice string) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(rules, "RESULT", resultTag))
	switch choice {
	case "":
	case "required":
		b.WriteString("- This reply must call at least one tool.\n")
	default:
		fmt.Fprintf(&b, "- This reply must call %s.\n", choice)
	}
	for _, t := range g.tools {
		fmt.Fprintf(&b, "\n## %s\n\n", t.Name)
		if t.Description != "" {
			fmt.Fprintf(&b, "%s\n\n", t.Description)
		}
		if len(t.params) == 0 {
			b.WriteString("It takes no parameters.\n")
		}
		for _, p := range t.params {
			b.WriteString(p.describe())
		}
		fmt.Fprintf(&b, "\nExample:\n\n%s\n", t.example())
	}
	return b.String()
}

// describe is the line of a parameter.
func (p param) describe() string {
	needed := "optional"
	if p.required {
		needed = "required"
	}
	line := fmt.Sprintf("- %s (%s, %s; %s)", p.name, describeType(p.schema), needed, describePlace(p.place))
	if p.schema.Description != "" {
		line += ": " + p.schema.Description
	}
	return line + "\n"
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
