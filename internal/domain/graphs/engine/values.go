package engine

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
)

// MaxValue bounds what goes through a port, in bytes of JSON.
const MaxValue = 96 << 10

// encode is outputs as they are stored.
func encode(out Outputs) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for port, v := range out {
		value, err := json.Marshal(v)
		if err == nil {
			value, err = storable(value)
		}
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the output %q is no JSON: %v", port, err)
		}
		if len(value) > MaxValue {
			return nil, nestor.Errorf(nestor.CodeTooLarge, "the output %q has %d bytes, more than %d", port, len(value), MaxValue)
		}
		all[port] = value
	}
	return all, nil
}

// storable is JSON without what no database takes: NUL, and halves of pairs of
// surrogates, which decoding replaces.
func storable(value json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte(`\u`)) {
		return value, nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(withoutNUL(v))
}

func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return storableText(v)
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, x := range v {
			made[storableText(name)] = withoutNUL(x)
		}
		return made
	}
	return v
}

func storableText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
