package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// ExtraFields encodes fields that are added to every request, in a fixed order
// and without the braces around them. None gives nothing.
func ExtraFields(fields map[string]json.RawMessage) ([]byte, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	text, err := EncodeJSON(fields)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the extra fields of the request are not JSON")
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{")), []byte("}")), nil
}

// EncodeJSON encodes for a model: it writes <, not its escape, which is harder
// to read.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return slices.Clip(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

// Authorizes reports whether headers say who is asking, so that no API key is
// needed.
func Authorizes(headers map[string]string) bool {
	for name := range headers {
		switch strings.ToLower(name) {
		case "authorization", "x-api-key", "api-key", "x-goog-api-key":
			return true
		}
	}
	return false
}
