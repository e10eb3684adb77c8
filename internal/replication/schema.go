package replication

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/nestorhq/nestor/internal/store"
)

const (
	// maxSafe is the largest integer that JavaScript holds exactly.
	maxSafe = 1<<53 - 1
	// lastMoment is the last time that JavaScript knows, in Unix milliseconds.
	lastMoment = 8_640_000_000_000_000
	// maxIndexed is how long a text may be that RxDB has an index of.
	maxIndexed = 2048
)

// Schema is the RxDB schema of a flat collection, derived from its JSON Schema:
// the same fields with the same rules, and what RxDB wants besides. It keeps to
// RxDB's subset: fields with an index are bounded and required, and every field has a
// type. A required field that is not for the client to say has a default, which RxDB
// fills in when a client inserts a document.
func Schema(c *store.Collection) json.RawMessage { return formOf(c).schema }

// Shape is the fingerprint of the RxDB schema of a flat collection, less its version.
func Shape(c *store.Collection) string { return formOf(c).shape }

// form is what replication derives from a collection.
type form struct {
	schema json.RawMessage
	shape  string
	// filled are the fields with an index that documents may lack. RxDB wants a value
	// for each, so clients get and send an empty text instead.
	filled []string
	// blank is the JSON of required fields that a tombstone has no value for.
	blank []byte
}

// forms has what formOf returned, by collection.
var forms sync.Map

func formOf(c *store.Collection) *form {
	if known, ok := forms.Load(c); ok {
		return known.(*form)
	}
	f := &form{blank: blank(nil, nil)} // of a collection of the user's own
	if c.Schema() != nil {
		f = derive(c)
	}
	forms.Store(c, f)
	return f
}

func derive(c *store.Collection) *form {
	var s map[string]any
	if err := json.Unmarshal(c.Schema(), &s); err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err)) // the catalogue made it
	}
	properties := part(s, "properties")
	for _, stamp := range []string{"version", "seq", "createdSeq", "createdAt", "updatedAt"} {
		properties[stamp] = map[string]any{"type": "integer", "minimum": 0, "maximum": maxSafe, "multipleOf": 1}
	}
	for stamp, last := range unstamped {
		part(properties, stamp)["default"] = last
	}
	demanded := texts(s, "required")
	required := append([]string{"id"}, demanded...)
	for _, k := range c.Keys {
		required = append(required, k.Field)
	}
	f := &form{}
	all := indexes(c, properties)
	for _, field := range slices.Concat(all...) {
		if slices.Contains(required, field) {
			continue
		}
		required = append(required, field)
		if _, ok := unstamped[field]; !ok {
			f.filled = append(f.filled, field)
			p := part(properties, field)
			p["default"] = ""
			delete(p, "minLength")
		}
	}
	f.blank = blank(properties, append(demanded, f.filled...))
	s["primaryKey"], s["required"], s["indexes"] = "id", required, all
	anything(s)
	f.shape = fingerprint(encode(s))
	s["version"] = version(shapes(c), f.shape)
	f.schema = encode(s)
	return f
}

// unstamped are the stamps that lists are ordered by, as they are in a document that the
// server has not seen yet: it is the newest.
var unstamped = map[string]int64{"createdSeq": maxSafe, "createdAt": lastMoment, "updatedAt": lastMoment}

// indexes are those that clients need: for the order of lists, for each id on the path,
// and for each text that the server has an index of, if it is short enough.
func indexes(c *store.Collection, properties map[string]any) [][]string {
	all := [][]string{order(c)}
	for _, k := range c.Keys {
		if k.Field != all[0][0] {
			all = append(all, []string{k.Field})
		}
	}
	for _, fields := range slices.Concat(c.Unique, c.Indexes) {
		p := part(properties, fields[0])
		if n := number(p, "maxLength"); len(fields) == 1 && p["type"] == "string" && p["enum"] == nil && 0 < n && n <= maxIndexed {
			all = append(all, fields)
		}
	}
	return all
}

// order is the index by which lists are read: chats by their latest write,
// everything else within its parent by its creation.
func order(c *store.Collection) []string {
	if c.Parent == nil {
		return []string{"updatedAt", "createdSeq"}
	}
	return []string{c.Keys[len(c.Keys)-1].Field, "createdAt", "createdSeq"}
}

// anything spells out true, the schema of any value, which RxDB does not know.
func anything(v any) {
	switch v := v.(type) {
	case map[string]any:
		properties := part(v, "properties")
		for field, schema := range properties {
			if schema == true {
				properties[field] = map[string]any{}
			}
		}
		for _, inner := range v {
			anything(inner)
		}
	case []any:
		for _, inner := range v {
			anything(inner)
		}
	}
}

// part is what a schema has under a name, nil if that is no object.
func part(schema map[string]any, name string) map[string]any {
	found, _ := schema[name].(map[string]any)
	return found
}

func texts(schema map[string]any, name string) (list []string) {
	found, _ := schema[name].([]any)
	for _, v := range found {
		list = append(list, v.(string))
	}
	return list
}

func number(schema map[string]any, name string) float64 {
	n, _ := schema[name].(float64)
	return n
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return text
}
