package xmlcall

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// example writes a call with plausible values: the required parameters, or the
// first one if none is required.
func (spec *toolSpec) example() string {
	var members []member
	for _, p := range spec.params {
		if !p.required && len(members) > 0 {
			break
		}
		if v, err := json.Marshal(exampleValue(spec.schema, p.schema, p.name, 0)); err == nil {
			members = append(members, member{name: p.name, value: v})
		}
	}
	var b strings.Builder
	spec.write(&b, members)
	return b.String()
}

// exampleValue is a value that s accepts, as far as that can be told without
// solving patterns and conditions. What the schema's author wrote comes first.
func exampleValue(root, s *jsonschema.Schema, name string, depth int) any {
	s = resolve(root, s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Default != nil:
		return s.Default
	}
	types := slices.DeleteFunc(slices.Clone(typesOf(s)), func(t string) bool { return t == "null" })
	if len(types) == 0 {
		return "some " + words(name)
	}
	const deepest = 4
	switch types[0] {
	case "boolean":
		return true
	case "integer", "number":
		return exampleNumber(s)
	case "array":
		if depth == deepest {
			return []any{}
		}
		items := []any{}
		for range max(1, value0(s.MinItems)) {
			items = append(items, exampleValue(root, s.Items, strings.TrimSuffix(name, "s"), depth+1))
		}
		return items
	case "object":
		object := map[string]any{}
		for _, required := range s.Required {
			if depth < deepest {
				object[required] = exampleValue(root, s.Properties[required], required, depth+1)
			}
		}
		return object
	}
	return exampleString(s, name)
}

func exampleString(s *jsonschema.Schema, name string) string {
	switch s.Format {
	case "date":
		return "2026-01-31"
	case "date-time":
		return "2026-01-31T09:30:00Z"
	case "time":
		return "09:30:00Z"
	case "uri", "url":
		return "https://example.org/"
	case "email":
		return "ada@example.org"
	}
	text := "some " + words(name)
	if n := value0(s.MinLength); len(text) < n {
		text += strings.Repeat("x", n-len(text))
	}
	if s.MaxLength != nil && len(text) > *s.MaxLength {
		text = strings.Repeat("x", *s.MaxLength)
	}
	return text
}

func exampleNumber(s *jsonschema.Schema) float64 {
	n := 1.0
	if s.Minimum != nil {
		n = max(n, math.Ceil(*s.Minimum))
	}
	if s.ExclusiveMinimum != nil {
		n = max(n, math.Floor(*s.ExclusiveMinimum)+1)
	}
	if s.Maximum != nil {
		n = min(n, math.Floor(*s.Maximum))
	}
	if s.ExclusiveMaximum != nil {
		n = min(n, math.Ceil(*s.ExclusiveMaximum)-1)
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		n = math.Ceil(n / *s.MultipleOf) * *s.MultipleOf
	}
	return n
}

// words turns a parameter's name into words: maxItems and max_items, max items.
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			b.WriteByte(' ')
		case 'A' <= r && r <= 'Z' && i > 0:
			b.WriteByte(' ')
			b.WriteRune(r + 'a' - 'A')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func value0(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
