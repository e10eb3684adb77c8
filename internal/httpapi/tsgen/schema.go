package tsgen

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schema is a JSON Schema as far as types can say it.
type schema struct {
	Ref         string `json:"$ref"`
	Description string
	Type        types
	Enum        []string
	AnyOf       []*schema
	Items       *schema
	Properties  map[string]*schema
	Required    []string
	// AdditionalProperties is nil also when there must be none.
	AdditionalProperties *schema
	Not                  *schema
}

// UnmarshalJSON also reads the schemas true, which allows everything, and
// false.
func (s *schema) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		return nil
	case "false":
		s.Not = &schema{}
		return nil
	}
	type plain schema
	return json.Unmarshal(b, (*plain)(s))
}

// types are one name or several.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = types{""}
	return json.Unmarshal(b, &(*t)[0])
}

// typescript is the type of the values that the schema allows.
func (s *schema) typescript(indent string) string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.AnyOf != nil:
		return union(s.AnyOf, func(s *schema) string { return s.typescript(indent) })
	case s.Enum != nil:
		return union(s.Enum, strconv.Quote)
	case s.Type == nil:
		return "unknown"
	}
	return union(s.Type, func(name string) string { return s.ofType(name, indent) })
}

func (s *schema) ofType(name, indent string) string {
	switch name {
	case "integer":
		return "number"
	case "array":
		return "Array<" + s.Items.typescript(indent) + ">"
	case "object":
		return s.object(indent)
	}
	return name // string, boolean, number, null
}

func (s *schema) object(indent string) string {
	more := s.AdditionalProperties
	if more != nil && more.Not != nil {
		more = nil
	}
	switch {
	case s.Properties == nil && more != nil:
		return "Record<string, " + more.typescript(indent) + ">"
	case s.Properties == nil:
		return "Record<string, unknown>"
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if p.Description != "" {
			b.WriteString(indent + "  /** " + p.Description + " */\n")
		}
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		b.WriteString(indent + "  " + name + optional + ": " + p.typescript(indent+"  ") + ";\n")
	}
	if more != nil {
		b.WriteString(indent + "  [field: string]: " + more.typescript(indent+"  ") + ";\n")
	}
	return b.String() + indent + "}"
}

// union joins types; null comes last.
func union[T any](of []T, typescript func(T) string) string {
	var all []string
	for _, one := range of {
		all = append(all, typescript(one))
	}
	slices.SortStableFunc(all, func(a, b string) int {
		switch {
		case a == "null" && b != "null":
			return 1
		case b == "null" && a != "null":
			return -1
		}
		return 0
	})
	return strings.Join(all, " | ")
}
