package replication

import (
	"encoding/json"
	"fmt"

	"github.com/nestorhq/nestor/internal/store"
)

// maxSafe is the largest integer that JavaScript holds exactly.
const maxSafe = 1<<53 - 1

// Schema is the RxDB schema of a flat collection, derived from its JSON Schema:
// the same fields with the same rules, and what RxDB wants besides. It keeps to
// RxDB's subset: indexed fields are bounded, and every field has a type.
func Schema(c *store.Collection) json.RawMessage {
	var s map[string]any
	if err := json.Unmarshal(c.Schema(), &s); err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err)) // the catalogue made it
	}
	s["version"] = 0
	s["primaryKey"] = "id"
	s["required"] = required(c, s["required"])
	s["indexes"] = [][]string{order(c)}
	properties := s["properties"].(map[string]any)
	for _, stamp := range stamps {
		properties[stamp] = map[string]any{"type": "integer", "minimum": 0, "maximum": maxSafe, "multipleOf": 1}
	}
	text, err := json.Marshal(anything(s))
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	return text
}

// stamps are the server's numbers in every document.
var stamps = []string{"version", "seq", "createdSeq", "createdAt", "updatedAt"}

// required are the fields that a client must have a value for: those that the
// server demands, those on the path, and those that are indexed.
func required(c *store.Collection, demanded any) []any {
	fields := []any{"id"}
	for _, k := range c.Keys {
		fields = append(fields, k.Field)
	}
	for _, stamp := range stamps {
		fields = append(fields, stamp)
	}
	list, _ := demanded.([]any)
	return append(fields, list...)
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
func anything(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, part := range v {
			if properties, ok := part.(map[string]any); ok && name == "properties" {
				for field, schema := range properties {
					if schema == true {
						properties[field] = map[string]any{}
					}
				}
			}
			v[name] = anything(part)
		}
	case []any:
		for i := range v {
			v[i] = anything(v[i])
		}
	}
	return v
}
