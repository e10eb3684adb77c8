package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
)

// Required is what a schema requires of a value: the properties that objects must have, at
// any depth.
type Required struct {
	names      []string             // of the properties that must be there
	properties map[string]*Required // by name
	others     *Required            // of properties by any other name
	items      *Required
	nullable   bool
}

// anything is a value of which nothing is required.
var anything = &Required{nullable: true}

// Requires finds out what a schema requires, with those that it refers to. Of alternatives
// one at most may be an object, and one an array.
func (s Schemas) Requires(schema *jsonschema.Schema) *Required {
	return s.requires(schema, map[string]*Required{})
}

func (s Schemas) requires(schema *jsonschema.Schema, seen map[string]*Required) *Required {
	r := &Required{}
	if name, refers := refersTo(schema); refers {
		if known := seen[name]; known != nil {
			return known
		}
		seen[name] = r
		schema = s.body(name)
	}
	s.add(r, schema, seen)
	return r
}

func (s Schemas) add(r *Required, schema *jsonschema.Schema, seen map[string]*Required) {
	r.nullable = r.nullable || schema.Type == "null" || slices.Contains(schema.Types, "null") || isAny(schema)
	r.names = append(r.names, schema.Required...)
	for name, property := range schema.Properties {
		if r.properties == nil {
			r.properties = map[string]*Required{}
		}
		r.properties[name] = s.requires(property, seen)
	}
	if schema.AdditionalProperties != nil {
		r.others = s.requires(schema.AdditionalProperties, seen)
	}
	if schema.Items != nil {
		r.items = s.requires(schema.Items, seen)
	}
	for _, one := range schema.AnyOf {
		if name, refers := refersTo(one); refers {
			one = s.body(name)
		}
		s.add(r, one, seen)
	}
}

// Check reports the first thing that is missing in a value that is JSON, or null in place of
// it. The detail "field" has its path, such as nodes[0].id. A property that is not required
// may always be null, which says as much as leaving it out.
func (r *Required) Check(text []byte) error {
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		text = []byte("{}") // nothing is there
	}
	return r.check(json.NewDecoder(bytes.NewReader(text)), "", false)
}

// check reads the next value, which is called path.
func (r *Required) check(in *json.Decoder, path string, required bool) error {
	token, err := r.token(in)
	if err != nil {
		return err
	}
	switch token {
	case nil:
		if required && !r.nullable {
			return missing(path, "must not be null")
		}
	case json.Delim('{'):
		return r.checkObject(in, path)
	case json.Delim('['):
		items := cmp.Or(r.items, anything)
		for i := 0; in.More(); i++ {
			if err := items.check(in, fmt.Sprintf("%s[%d]", path, i), true); err != nil {
				return err
			}
		}
		_, err = in.Token()
	}
	return err
}

// token reads what the next value begins with or, if nothing within it is required, all of it.
func (r *Required) token(in *json.Decoder) (json.Token, error) {
	if r.names != nil || r.properties != nil || r.others != nil || r.items != nil {
		return in.Token()
	}
	var whole json.RawMessage
	if err := in.Decode(&whole); err != nil || string(whole) == "null" {
		return nil, err
	}
	return whole[0], nil
}

func (r *Required) checkObject(in *json.Decoder, path string) error {
	var there []string
	for in.More() {
		token, err := in.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		property := cmp.Or(r.properties[name], r.others, anything)
		required := slices.Contains(r.names, name)
		if required {
			there = append(there, name)
		}
		if err := property.check(in, strings.TrimPrefix(path+"."+name, "."), required); err != nil {
			return err
		}
	}
	for _, name := range r.names {
		if !slices.Contains(there, name) {
			return missing(strings.TrimPrefix(path+"."+name, "."), "is missing")
		}
	}
	_, err := in.Token()
	return err
}

func missing(path, what string) error {
	return nestor.Errorf(nestor.CodeInvalid, "%s %s", path, what).With("field", path)
}
