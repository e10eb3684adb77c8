package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// schema is a collection's JSON Schema, derived from its Go struct. It
// validates writes and is what clients are told: one source of truth. It is made
// when it is first needed, since a program that starts needs few of them.
type schema struct {
	of   reflect.Type
	made func() derived
}

type derived struct {
	text     json.RawMessage
	resolved *jsonschema.Resolved
}

// Schema is the JSON Schema of the collection's documents in their flat form,
// nil for collections of the user's own.
func (c *Collection) Schema() json.RawMessage {
	if c.schema == nil {
		return nil
	}
	return c.schema.made().text
}

// TypeName is the name of the documents' Go type, with a capital.
func (c *Collection) TypeName() string { return TypeName(c.schema.of) }

// TypeName is the name of a Go type, with a capital.
func TypeName(t reflect.Type) string {
	name := t.Name()
	return strings.ToUpper(name[:1]) + name[1:]
}

// schemaFor is the schema of the documents of a T.
func schemaFor[T any](c *Collection) *schema {
	return &schema{reflect.TypeFor[T](), sync.OnceValue(func() derived { return derive[T](c) })}
}

// derive makes the schema. A failure is a defect of the catalogue, so it panics; a
// test derives the schemas of all modules.
func derive[T any](c *Collection) derived {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}},
	})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	s.Title = c.Name
	s.Properties["id"].MaxLength = jsonschema.Ptr(nestor.MaxIDLength)
	for _, k := range c.Keys {
		p := s.Properties[k.Field]
		if p == nil {
			panic(fmt.Sprintf("schema of %s: no field %s, which is on the path", c.Name, k.Field))
		}
		p.MaxLength = jsonschema.Ptr(nestor.MaxIDLength)
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == k.Field }) // the path says it
	}
	for _, f := range c.Fields {
		p := s.Properties[f.Name]
		if p == nil {
			panic(fmt.Sprintf("schema of %s: no field %s", c.Name, f.Name))
		}
		for _, v := range f.Enum {
			p.Enum = append(p.Enum, v)
		}
		if b := f.Length; b != nil {
			p.MinLength, p.MaxLength = jsonschema.Ptr(int(b.Least)), jsonschema.Ptr(int(b.Most))
		}
		if b := f.Range; b != nil {
			p.Minimum, p.Maximum = &b.Least, &b.Most
		}
		if f.Default != "" {
			p.Default, _ = json.Marshal(f.Default) // a string always can be
		}
	}
	if b := s.Properties["budget"]; b != nil {
		notNegative(b)
	}
	if m := s.Properties["metadata"]; m != nil {
		// What a provider reports differs; more is welcome here.
		m.AdditionalProperties = nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	return derived{text: text, resolved: resolved}
}

// notNegative bounds the numbers of a budget, and of its allowances.
func notNegative(budget *jsonschema.Schema) {
	for _, limit := range budget.Properties {
		if len(limit.Properties) > 0 {
			notNegative(limit)
			continue
		}
		limit.Minimum = jsonschema.Ptr(0.0)
	}
}

// negative does the same for a typed body.
func negative(budget map[string]any) bool {
	for _, limit := range budget {
		switch limit := limit.(type) {
		case int64:
			if limit < 0 {
				return true
			}
		case map[string]any:
			if negative(limit) {
				return true
			}
		}
	}
	return false
}

// typed reports whether a body is of the type that the schema is derived from.
func (c *Collection) typed(body any) bool {
	if c.schema == nil || body == nil {
		return false
	}
	v := reflect.ValueOf(body)
	return v.Type() == c.schema.of || v.Kind() == reflect.Pointer && v.Type().Elem() == c.schema.of && !v.IsNil()
}

// validate checks a body against the collection's schema.
func (c *Collection) validate(p nestor.Path, body map[string]any) error {
	if c.schema == nil {
		return nil
	}
	if err := c.schema.made().resolved.Validate(body); err != nil {
		text, field := jsonvalue.Violation(err)
		wrong := nestor.Errorf(nestor.CodeInvalid, "%s is not a valid document of %s: %s", p, c.Name, text)
		if field != "" {
			wrong = wrong.With("field", field)
		}
		return wrong
	}
	for _, f := range c.Fields {
		if v, ok := body[f.Name].(string); ok && f.Unlike != "" && v == body[f.Unlike] {
			return nestor.Errorf(nestor.CodeInvalid, "%s is not a valid document of %s: %s and %s are the same", p, c.Name, f.Unlike, f.Name)
		}
	}
	return nil
}

// validateTyped does the same for a typed body, which can only be wrong in a
// field that takes certain values, and in a budget.
func (c *Collection) validateTyped(p nestor.Path, body map[string]any) error {
	if budget, ok := body["budget"].(map[string]any); ok && negative(budget) {
		return nestor.Errorf(nestor.CodeInvalid, "%s is not a valid document of %s: its budget is negative", p, c.Name)
	}
	for _, f := range c.Fields {
		if v, ok := body[f.Name].(string); !f.plain() || ok && !f.fits(v) {
			return c.validate(p, body)
		}
	}
	return nil
}
