package xmlcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// arguments makes the JSON object of a call. The error lists everything that is
// wrong with it; the object then still holds all that was written.
func (spec *toolSpec) arguments(values []value) (json.RawMessage, error) {
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	seen := make(map[string]bool, len(values))
	var object bytes.Buffer
	object.WriteByte('{')
	for _, v := range values {
		if seen[v.param] {
			problem("parameter %q is given twice", v.param)
			continue
		}
		seen[v.param] = true
		schema := &jsonschema.Schema{}
		if p := spec.named(v.param); p != nil {
			schema = p.schema
		} else if !allowsOthers(spec.schema) {
			problem("there is no parameter %q", v.param)
		}
		converted, err := convert(v.plain(), schema)
		if err != nil {
			problem("parameter %q %v", v.param, err)
		}
		if object.Len() > 1 {
			object.WriteByte(',')
		}
		object.Write(quoteJSON(v.param))
		object.WriteByte(':')
		object.Write(converted)
	}
	object.WriteByte('}')
	for _, p := range spec.params {
		if p.required && !seen[p.name] {
			problem("required parameter %q is missing (%s)", p.name, describePlace(p.place))
		}
	}
	if problems != nil {
		return object.Bytes(), nestor.Errorf(nestor.CodeInvalid, "%s", strings.Join(problems, "; "))
	}
	return object.Bytes(), nil
}

// describePlace says how to write a parameter, for the prompt and for errors.
func describePlace(p llm.XMLPlace) string {
	switch p.Kind {
	case llm.XMLAttribute:
		return fmt.Sprintf("attribute %s", p.Name)
	case llm.XMLElement:
		return fmt.Sprintf("child element <%s>", p.Name)
	case llm.XMLRoot:
		return "everything between the tags, as it is, without escaping"
	}
	return "text of the element"
}

// plain is the value without layout and entities.
func (v value) plain() string {
	s := v.text
	if !v.exact {
		s = trimLayout(s)
	}
	if v.raw {
		return s
	}
	return unescape(s)
}

// trimLayout removes the line breaks next to the tags and, if one line is left,
// the whitespace around it. Lines of a longer value keep their indentation.
func trimLayout(s string) string {
	trimmed := strings.Trim(s, whitespace)
	if !strings.Contains(trimmed, "\n") {
		return trimmed
	}
	if i := strings.IndexByte(s, '\n'); strings.Trim(s[:i], whitespace) == "" {
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, '\n'); strings.Trim(s[i:], whitespace) == "" {
		s = strings.TrimSuffix(s[:i], "\r")
	}
	return s
}

// convert makes a JSON value of the text, of the first type of the schema that
// it fits. On an error it is the text as a JSON string.
func convert(text string, s *jsonschema.Schema) (json.RawMessage, error) {
	types := typesOf(s)
	if len(types) == 0 {
		if trimmed := strings.TrimSpace(text); json.Valid([]byte(trimmed)) {
			return compact(trimmed), nil
		}
		return quoteJSON(text), nil
	}
	for _, t := range []string{"null", "boolean", "integer", "number", "array", "object", "string"} {
		if !slices.Contains(types, t) {
			continue
		}
		if v, ok := convertTo(text, t); ok {
			return v, nil
		}
	}
	return quoteJSON(text), fmt.Errorf("must be of type %s, not %s", strings.Join(types, " or "), quoteJSON(shorten(text)))
}

func convertTo(text, jsonType string) (json.RawMessage, bool) {
	if jsonType == "string" {
		return quoteJSON(text), true
	}
	text = strings.TrimSpace(text)
	switch jsonType {
	case "null", "boolean":
		text = strings.ToLower(text)
		return json.RawMessage(text), text == "null" && jsonType == "null" ||
			(text == "true" || text == "false") && jsonType == "boolean"
	case "integer":
		return convertInteger(text)
	case "number":
		return json.RawMessage(text), isNumber(text)
	case "array", "object":
		open := byte('[')
		if jsonType == "object" {
			open = '{'
		}
		if text == "" || text[0] != open || !json.Valid([]byte(text)) {
			return nil, false
		}
		return compact(text), true
	}
	return nil, false
}

// convertInteger keeps the digits as written, so that no precision is lost, and
// accepts a fraction of zero, which JSON Schema counts as an integer too.
func convertInteger(text string) (json.RawMessage, bool) {
	if !isNumber(text) {
		return nil, false
	}
	if !strings.ContainsAny(text, ".eE") {
		return json.RawMessage(text), true
	}
	f, err := strconv.ParseFloat(text, 64)
	const exact = 1 << 53
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(f), 10), true
}

// isNumber reports whether text is a number as JSON writes it.
func isNumber(text string) bool {
	return text != "" && strings.IndexByte("-0123456789", text[0]) >= 0 && json.Valid([]byte(text))
}

func compact(text string) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return quoteJSON(text)
	}
	return b.Bytes()
}

// quoteJSON writes s as a JSON string without escaping for HTML.
func quoteJSON(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func shorten(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

var entities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// unescape replaces XML's five entities and character references. Others, and
// stray ampersands, stay as they are.
func unescape(s string) string {
	amp := strings.IndexByte(s, '&')
	if amp < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; amp >= 0; amp = strings.IndexByte(s, '&') {
		b.WriteString(s[:amp])
		s = s[amp:]
		const longest = len("&#x0010FFFF;")
		end := strings.IndexByte(s[:min(len(s), longest)], ';')
		if end > 0 {
			if r, ok := entity(s[1:end]); ok {
				b.WriteString(r)
				s = s[end+1:]
				continue
			}
		}
		b.WriteByte('&')
		s = s[1:]
	}
	b.WriteString(s)
	return b.String()
}

func entity(name string) (string, bool) {
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		r, ok := entities[name]
		return r, ok
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return "", false
	}
	return string(rune(n)), true
}
