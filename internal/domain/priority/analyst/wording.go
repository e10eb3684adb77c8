package analyst

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// excerpt is at most n characters of s in one line, with a mark where it is cut.
func excerpt(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// storable is a text without the character that no database takes.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// storable is what a model gave a tool as an object that a document can hold, with the ids of
// tasks. Text that is none is wrapped: see [tool.Recorded].
func (n *names) storable(text string) json.RawMessage {
	text = storable(text)
	// A document holds no NUL and no half of a pair of surrogates, however they are
	// written: decoding replaces the latter.
	v, ok := decoded(text)
	if !ok {
		return tool.Recorded(text)
	}
	return tool.Recorded(string(n.idsIn(encode(withoutNUL(v)))))
}

// decoded is the one JSON value that a text is, with its numbers as they are written.
func decoded(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil && !dec.More()
}

func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return storable(v)
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
	case map[string]any:
		for k, x := range v {
			delete(v, k)
			v[storable(k)] = withoutNUL(x)
		}
	}
	return v
}

// encode writes plain data, which cannot fail, as JSON.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage(`null`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// reason is why a session failed, in words for its user.
func reason(job *nestor.Job, err error) string {
	text, ok := nestor.PublicText(err)
	if !ok {
		return "something went wrong inside Nestor; its log says what (reference " + job.ID + ")"
	}
	return storable(text)
}
