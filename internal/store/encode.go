package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Encode writes canonical JSON: keys sorted, nothing escaped for HTML, so that
// equal bodies are equal text on both engines.
//
// The text is that of encoding/json, which looks at every value by reflection and
// makes a dozen times as much garbage, while a body is made of a few types.
func Encode(m map[string]any) (json.RawMessage, error) {
	b, err := appendObject(make([]byte, 0, roomFor(m)), m)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body cannot be written as JSON: %w", err)
	}
	return b, nil
}

// roomFor is about how long the text of a value is, rather more than less.
func roomFor(v any) int {
	n := 16 // for a number, and what stands around a value
	switch v := v.(type) {
	case string:
		n += len(v) + len(v)/16
	case map[string]any:
		for name, inner := range v {
			n += len(name) + roomFor(inner)
		}
	case []any:
		for _, inner := range v {
			n += roomFor(inner)
		}
	}
	return n
}

func appendObject(b []byte, m map[string]any) (_ []byte, err error) {
	var few [16]string
	names := slices.AppendSeq(few[:0], maps.Keys(m))
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		if b, err = appendValue(b, m[name]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendValue(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		return appendText(b, v), nil
	case map[string]any:
		if v != nil {
			return appendObject(b, v)
		}
	case []any:
		if v != nil {
			b = append(b, '[')
			for i, e := range v {
				if i > 0 {
					b = append(b, ',')
				}
				if b, err = appendValue(b, e); err != nil {
					return nil, err
				}
			}
			return append(b, ']'), nil
		}
	}
	// Numbers with a fraction, and what only tests write.
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err = enc.Encode(v)
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), err
}

// appendText quotes valid UTF-8.
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0 // what comes before it is written
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !special[c] {
			continue
		}
		if c == lineSeparator[0] && !strings.HasPrefix(s[i:], lineSeparator) && !strings.HasPrefix(s[i:], paragraphSeparator) {
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case lineSeparator[0]:
			b = append(b, `\u202`...)
			b = append(b, hex[s[i+2]&0xf])
			i += 2
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&0xf])
		}
		from = i + 1
	}
	return append(append(b, s[from:]...), '"')
}

// special are the bytes with which something may begin that is escaped.
var special = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = true
	}
	is['"'], is['\\'], is[lineSeparator[0]] = true, true, true
	return is
}()

// These end a line in JavaScript, so encoding/json escapes them.
const (
	lineSeparator      = "\u2028"
	paragraphSeparator = "\u2029"
)
