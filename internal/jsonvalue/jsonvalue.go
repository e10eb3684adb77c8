// Package jsonvalue reads the JSON values that documents hold on every engine: numbers
// are 64-bit integers or floats, texts have no U+0000, and nesting has a limit.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// MaxDepth bounds the nesting of a document, so that no later step recurses deeply.
const MaxDepth = 64

// Decode reads the JSON value at some depth of a document. Numbers become int64 or
// float64. The error says what no document can hold.
func Decode(raw []byte, depth int) (any, error) {
	if !utf8.Valid(raw) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the JSON is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the text is not JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "there is text after the JSON value")
	}
	return canonical(v, depth)
}

// canonical replaces numbers and refuses what one of the engines cannot hold.
func canonical(v any, depth int) (any, error) {
	if depth > MaxDepth {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the value is nested more than %d levels deep", MaxDepth)
	}
	switch v := v.(type) {
	case json.Number:
		return Number(v)
	case string:
		return v, CheckText(v)
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
			if err := CheckText(k); err != nil {
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

// Number is a number as documents hold it: int64 or float64.
func Number(n json.Number) (any, error) {
	s := n.String()
	if !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return i, nil
		}
		// A float64 up to 1e21 is written without an exponent.
		if f, err := strconv.ParseFloat(s, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == s {
			return Float(f), nil
		}
		return nil, nestor.Errorf(nestor.CodeInvalid, "the integer %.40s does not fit in 64 bits: write it as text", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the number %.40s is out of range", s)
	}
	return Float(f), nil
}

// Float makes whole numbers integers, so that 1.0 and 1 are one value.
func Float(f float64) any {
	if f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return f
}

// CheckText reports why no document can hold a text.
func CheckText(s string) error {
	if !utf8.ValidString(s) {
		return nestor.Errorf(nestor.CodeInvalid, "text must be valid UTF-8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return nestor.Errorf(nestor.CodeInvalid, "text must not contain the character U+0000")
	}
	return nil
}
