package openapi

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/httpapi/web"
)

const components = "#/components/schemas/"

// Ref stands for the schema of a name.
func Ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: components + name} }

// refersTo is the name of the schema that s stands for.
func refersTo(s *jsonschema.Schema) (name string, refers bool) {
	return strings.CutPrefix(s.Ref, components)
}

// Text is the schema of any text.
func Text() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// Never is the schema that no value has.
func Never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// Enum is the schema of one of some texts.
func Enum[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// Array is an array of what a name stands for.
func Array(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: Ref(name)}
}

// Object has all of the properties and no others.
func Object(properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: Never()}
	for name := range properties {
		s.Required = append(s.Required, name)
	}
	slices.Sort(s.Required)
	return s
}

// List is a whole list.
func List(name string) *jsonschema.Schema {
	return Object(map[string]*jsonschema.Schema{"items": Array(name)})
}

// Page is a part of a list.
func Page(name string) *jsonschema.Schema {
	s := List(name)
	s.Properties["next"] = Next()
	return s
}

// Next is where a list goes on.
func Next() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "The cursor of the next page; absent at the end."}
}

// ObjectsByName are objects under names that vary.
func ObjectsByName() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "object"}}
}

// ErrorCodes is the schema of the codes that failures have.
func ErrorCodes() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for code := range web.Statuses {
		s.Enum = append(s.Enum, string(code))
	}
	slices.SortFunc(s.Enum, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return s
}
