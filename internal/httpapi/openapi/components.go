package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/store"
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
	// Kinds are kinds of documents, whose schemas have the names of their Go types.
	Kinds []*store.Collection
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
		sum.Kinds = append(sum.Kinds, s.Kinds...)
	}
	return sum
}

// all are the schemas that have a name. Bodies are those of requests.
func (s Schemas) all(bodies []*jsonschema.Schema) map[string]*jsonschema.Schema {
	schemas := map[string]*jsonschema.Schema{}
	for _, body := range bodies {
		s.addBody(body, schemas)
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(s.Types)), maps.Keys(s.Documents))
	names = slices.AppendSeq(names, maps.Keys(s.Others))
	for _, kind := range s.Kinds {
		names = append(names, kind.TypeName())
	}
	for _, name := range names {
		if schemas[name] == nil {
			schemas[name] = s.named(name)
		}
	}
	for _, s := range schemas {
		describeAny(s)
	}
	return schemas
}

// addBody adds what a part of a request refers to.
func (s Schemas) addBody(part *jsonschema.Schema, to map[string]*jsonschema.Schema) {
	if name, refers := refersTo(part); refers {
		if to[name] != nil {
			return
		}
		part = s.body(name)
		to[name] = part
	}
	for _, within := range parts(part) {
		s.addBody(within, to)
	}
}

// named is the schema of a name, which allows everything if nobody has it.
func (s Schemas) named(name string) *jsonschema.Schema {
	if t, is := s.Documents[name]; is {
		read := s.Derive(name, t)
		read.Required = append(ServersFields(), read.Required...)
		return read
	}
	if t, is := s.Types[name]; is {
		return s.Derive(name, t)
	}
	if other := s.Others[name]; other != nil {
		return other.CloneSchemas()
	}
	if i := slices.IndexFunc(s.Kinds, func(c *store.Collection) bool { return c.TypeName() == name }); i >= 0 {
		return stored(s.Kinds[i])
	}
	return &jsonschema.Schema{}
}

// body is the same for a part of requests. Null cannot stand for what a Go type requires,
// though a pointer or a slice could hold it.
func (s Schemas) body(name string) *jsonschema.Schema {
	schema := s.named(name)
	if s.Types[name] != nil {
		refuseNull(schema)
	}
	return schema
}

func refuseNull(s *jsonschema.Schema) {
	for _, name := range s.Required {
		property := s.Properties[name]
		if len(property.Types) == 2 && property.Types[0] == "null" {
			property.Type, property.Types = property.Types[1], nil
		}
		if len(property.AnyOf) == 2 && property.AnyOf[1].Type == "null" { // see pointTo
			s.Properties[name] = property.AnyOf[0]
		}
	}
	for _, within := range parts(s) {
		refuseNull(within)
	}
}

// parts are the schemas within a schema.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	within := slices.Concat(slices.Collect(maps.Values(s.Properties)), s.AnyOf)
	for _, one := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if one != nil {
			within = append(within, one)
		}
	}
	return within
}

// describeAny gives a text to the schemas that allow everything. Without one they
// are written as true, which generators of code do not expect there.
func describeAny(s *jsonschema.Schema) {
	for _, within := range parts(s) {
		if within != s.AdditionalProperties && isAny(within) { // itself it may be true, as generators know it
			within.Description = "Any JSON value."
		}
		describeAny(within)
	}
}

func isAny(s *jsonschema.Schema) bool { return reflect.DeepEqual(s, &jsonschema.Schema{}) }

// Derive makes the schema of a Go type. It refers to the types within it that
// have a name, and takes the schemas of special ones.
func (s Schemas) Derive(name string, body reflect.Type) *jsonschema.Schema {
	known, embedded := maps.Clone(s.Special), embeds(body)
	for name, t := range s.Types {
		if !slices.Contains(embedded, t) {
			known[t] = Ref(name)
		}
	}
	delete(known, body)
	derived, err := jsonschema.ForType(body, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", name, err)) // a defect that every start would meet
	}
	pointTo(derived)
	return derived
}

// pointTo describes pointers to types that have a name.
func pointTo(s *jsonschema.Schema) {
	for _, within := range parts(s) {
		if within.Ref != "" && within.Types != nil {
			*within = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: within.Ref}, {Type: "null"}}}
		}
		pointTo(within)
	}
}

// embeds are the types whose fields are among those of a struct.
func embeds(in reflect.Type) (all []reflect.Type) {
	if in.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(in) {
		if f.Anonymous {
			all = append(all, f.Type)
		}
	}
	return all
}
