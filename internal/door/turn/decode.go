package turn

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
)

// Decode reads what a client sent, before an SDK does, which would name its own types to the
// client. The error calls the value whole.
func Decode(raw []byte, into any, whole string) error {
	err := json.Unmarshal(raw, into)
	if err == nil {
		return nil
	}
	if text, _, ok := nestor.Mismatch(err, into, whole); ok {
		return nestor.Errorf(nestor.CodeInvalid, "%s", text)
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s: %w", whole, err)
}
