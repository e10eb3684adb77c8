package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm"
)

// arguments writes the arguments of a call so that the tool's schema accepts
// them, if it is offered: parameters it does not have are left out, required
// ones that no rule knows get the plainest value.
func (sc *scene) arguments(c call) string {
	args := c.args
	if schema, ok := schemaOf(sc.tools[c.tool]); ok {
		args = fit(schema, args)
	}
	text, err := json.Marshal(args)
	if err != nil {
		return "{}" // cannot happen: these are strings and what came from JSON
	}
	return string(text)
}

func schemaOf(t llm.Tool) (*jsonschema.Schema, bool) {
	var s jsonschema.Schema
	if len(t.Parameters) == 0 || json.Unmarshal(t.Parameters, &s) != nil {
		return nil, false
	}
	return &s, true
}

func fit(s *jsonschema.Schema, args map[string]any) map[string]any {
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	fitted := make(map[string]any, len(args))
	for name, v := range args {
		p := s.Properties[name]
		if p == nil && closed {
			continue
		}
		if p != nil && len(p.Enum) > 0 && !slices.ContainsFunc(p.Enum, func(e any) bool { return jsonschema.Equal(e, v) }) {
			v = p.Enum[0]
		}
		fitted[name] = v
	}
	for _, name := range s.Required {
		if _, ok := fitted[name]; !ok {
			fitted[name] = plainest(s.Properties[name])
		}
	}
	return fitted
}

// plainest is the simplest value of a schema.
func plainest(s *jsonschema.Schema) any {
	if s == nil {
		return ""
	}
	kind := s.Type
	if kind == "" && len(s.Types) > 0 {
		kind = s.Types[0]
	}
	switch {
	case s.Const != nil:
		return *s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case kind == "null":
		return nil
	case kind == "boolean":
		return false
	case kind == "integer" || kind == "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case kind == "array":
		return []any{}
	case kind == "object":
		return fit(s, nil)
	}
	return ""
}

// textArgs passes a text to a tool that no rule knows, in every required string
// parameter.
func textArgs(t llm.Tool, text string) map[string]any {
	s, ok := schemaOf(t)
	if !ok {
		return map[string]any{}
	}
	args := make(map[string]any)
	for _, name := range s.Required {
		if p := s.Properties[name]; p != nil && p.Type == "string" {
			args[name] = text
		}
	}
	return args
}

// parseObject reads a JSON object and keeps its numbers as they are written.
func parseObject(text string) (map[string]any, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	err := dec.Decode(&object)
	return object, err == nil && object != nil
}
