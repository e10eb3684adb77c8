package openai

import (
	"encoding/json"
	"testing"
)

// A text is read as encoding/json does, whichever way it takes.
func TestTextsAreDecodedAsTheStandardDoes(t *testing.T) {
	for _, data := range []string{
		`""`, `"plain"`, `"Größe 😀"`, `"a\"b"`, `"\u00e9\n"`, `"\ud83d\ude00"`, "\"broken \xff\"", "\"\u2028\"", `"`, `null`, `5`,
	} {
		var want, got string
		failure := json.Unmarshal([]byte(data), &want)
		if err := decodeText([]byte(data), &got); got != want || (err == nil) != (failure == nil) {
			t.Errorf("%s is read as %q, %v, not %q, %v", data, got, err, want, failure)
		}
	}
}
