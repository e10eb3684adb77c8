package replication

import (
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// appendTombstone says that the document at p is gone.
func (s *server) appendTombstone(b []byte, p nestor.Path, version, seq, at int64) []byte {
	c := s.kinds.Of(p)
	return appendDeleted(b, c, c.KeyValues(p), p.ID(), version, seq, at)
}

// appendDeleted writes what is left of a deleted document. It has a value for
// every field that the schema requires: some clients check even deleted
// documents.
func appendDeleted(b []byte, c *store.Collection, keys []string, id string, version, seq, at int64) []byte {
	b = appendText(append(b, `{"id":`...), id)
	for i, k := range c.Keys {
		b = append(b, `,"`...)
		b = append(b, k.Field...)
		b = appendText(append(b, `":`...), keys[i])
	}
	b = append(b, formOf(c).blank...)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, version, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"updatedAt":`...)
	b = strconv.AppendInt(b, at, 10)
	return append(b, `,"_deleted":true}`...)
}

// blank gives fields a value that their schemas accept.
func blank(properties map[string]any, fields []string) []byte {
	b := []byte(`,"createdSeq":0,"createdAt":0`)
	for _, name := range fields {
		b = appendText(append(b, ','), name)
		b = append(append(b, ':'), encode(least(part(properties, name)))...)
	}
	return b
}

// least is a value that a schema accepts.
func least(schema map[string]any) any {
	if enum, ok := schema["enum"].([]any); ok {
		return enum[0]
	}
	switch schema["type"] {
	case "string":
		return strings.Repeat("-", int(number(schema, "minLength")))
	case "integer", "number":
		return number(schema, "minimum")
	case "boolean":
		return false
	case "object":
		v := map[string]any{}
		for _, name := range texts(schema, "required") {
			v[name] = least(part(part(schema, "properties"), name))
		}
		return v
	}
	return nil // of any type, or of several, of which null is one
}
