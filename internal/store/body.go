package store

import (
	"encoding/json"
	"maps"
	"reflect"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// Object turns the body of a write into a decoded JSON object. It does not
// change the body.
func Object(body any) (map[string]any, error) {
	var raw []byte
	switch b := body.(type) {
	case json.RawMessage:
		raw = b
	case []byte:
		raw = b
	default:
		if m, ok := objectOf(reflect.ValueOf(body), 0); ok {
			return m, nil
		}
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the body cannot be written as JSON: %w", err)
		}
	}
	return decodeObject(raw)
}

// decodeObject reads one JSON object. Numbers become int64 or float64: both
// engines compare those alike, and an integer that fits neither is refused
// rather than rounded.
func decodeObject(raw []byte) (map[string]any, error) {
	v, err := jsonvalue.Decode(raw, 0)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body must be a JSON object")
	}
	return m, nil
}

// CheckField reports why a JSON value cannot be a field of a document.
func CheckField(raw []byte) error {
	_, err := jsonvalue.Decode(raw, 1)
	return err
}

// Merge applies a JSON merge patch (RFC 7396) without changing its arguments.
func Merge(target, patch map[string]any) map[string]any {
	out := maps.Clone(target)
	if out == nil {
		out = map[string]any{}
	}
	for k, p := range patch {
		if p == nil {
			delete(out, k)
			continue
		}
		if pm, ok := p.(map[string]any); ok {
			tm, _ := out[k].(map[string]any)
			out[k] = Merge(tm, pm)
			continue
		}
		out[k] = p
	}
	return out
}
