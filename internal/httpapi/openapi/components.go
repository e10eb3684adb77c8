package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schemas are those that routes name.
type Schemas struct {
	// Types are what handlers decode and encode, by the names of their schemas.
	Types map[string]reflect.Type
	// Documents are the types of stored documents, which have the server's fields,
	// too, when they are read.
	Documents map[string]reflect.Type
	// Others are schemas without a Go type.
	Others map[string]*jsonschema.Schema
	// Special are the schemas of types whose JSON is not what their Go type says.
	// They stand wherever such a type is part of another.
	Special map[reflect.Type]*jsonschema.Schema
}

// Join puts schemas together.
func Join(all ...Schemas) Schemas {
	sum := Schemas{
		Types: map[string]reflect.Type{}, Documents: map[string]reflect.Type{},
		Others: map[string]*jsonschema.Schema{}, Special: map[reflect.Type]*jsonschema.Schema{},
	}
	for _, s := range all {
		maps.Copy(sum.Types, s.Types)
		maps.Copy(sum.Documents, s.Documents)
		maps.Copy(sum.Others, s.Others)
		maps.Copy(sum.Special, s.Special)
	}
	return sum
}

// components are all schemas that have a name.
func components(all []Schemas) map[string]*jsonschema.Schema {
	known := Join(all...)
	schemas := known.Others
	for name, body := range known.Types {
		schemas[name] = known.Derive(name, body)
	}
	for name, body := range known.Documents {
		s := known.Derive(name, body)
		s.Required = append(ServersFields(), s.Required...)
		schemas[name] = s
	}
	for _, s := range schemas {
		describeAny(s)
	}
	return schemas
}

// describeAny gives a text to the schemas that allow everything. Without one they
// are written as true, which generators of code do not expect there.
func describeAny(s *jsonschema.Schema) {
	within := slices.Concat(slices.Collect(maps.Values(s.Properties)), s.AnyOf)
	if s.Items != nil {
		within = append(within, s.Items)
	}
	for _, child := range within {
		if reflect.DeepEqual(child, &jsonschema.Schema{}) {
			child.Description = "Any JSON value."
		}
		describeAny(child)
	}
	if s.AdditionalProperties != nil { // itself it may be true, as generators know it
		describeAny(s.AdditionalProperties)
	}
}

// Derive makes the schema of a Go type. It refers to the types within it that
// have a name, and takes the schemas of special ones.
func (s Schemas) Derive(name string, body reflect.Type) *jsonschema.Schema {
	known := maps.Clone(s.Special)
	for name, t := range s.Types {
		if !embeds(body, t) {
			known[t] = Ref(name)
		}
	}
	delete(known, body)
	derived, err := jsonschema.ForType(body, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", name, err)) // a defect that every start would meet
	}
	for name, property := range derived.Properties {
		if property.Ref != "" && property.Types != nil { // a pointer to a named type
			derived.Properties[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: property.Ref}, {Type: "null"}}}
		}
	}
	return derived
}

// embeds reports whether the fields of one struct are among those of another.
func embeds(t, in reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous && f.Type == in })
}
