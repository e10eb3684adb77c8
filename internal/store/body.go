package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// maxDepth bounds the nesting of a body, so that no later step recurses deeply.
const maxDepth = 64

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
	v, err := decodeValue(raw, 0)
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
	_, err := decodeValue(raw, 1)
	return err
}

// decodeValue reads the JSON value at some depth of a body.
func decodeValue(raw []byte, depth int) (any, error) {
	if !utf8.Valid(raw) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body is not JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body has text after the JSON object")
	}
	return canonical(v, depth)
}

// canonical replaces numbers and refuses what one of the engines cannot hold.
func canonical(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the body is nested more than %d levels deep", maxDepth)
	}
	switch v := v.(type) {
	case json.Number:
		return canonicalNumber(v)
	case string:
		return v, checkText(v)
	case []any:
		for i := range v {
			c, err := canonical(v[i], depth+1)
			if err != nil {
				return nil, err
			}
			v[i] = c
		}
	case map[string]any:
		for k, e := range v {
			if err := checkText(k); err != nil {
				return nil, err
			}
			c, err := canonical(e, depth+1)
			if err != nil {
				return nil, err
			}
			v[k] = c
		}
	}
	return v, nil
}

func canonicalNumber(n json.Number) (any, error) {
	s := n.String()
	if !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return i, nil
		}
		// A float64 up to 1e21 is written without an exponent.
		if f, err := strconv.ParseFloat(s, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == s {
			return canonicalFloat(f), nil
		}
		return nil, nestor.Errorf(nestor.CodeInvalid, "the integer %.40s does not fit in 64 bits: store it as text", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the number %.40s is out of range", s)
	}
	return canonicalFloat(f), nil
}

// canonicalFloat makes whole numbers integers, so that 1.0 and 1 are one value.
func canonicalFloat(f float64) any {
	if f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return f
}

func checkText(s string) error {
	if !utf8.ValidString(s) {
		return nestor.Errorf(nestor.CodeInvalid, "text must be valid UTF-8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return nestor.Errorf(nestor.CodeInvalid, "text must not contain the character U+0000")
	}
	return nil
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
