// Package lenient reads what models write: a part that is not of the form that was asked
// for costs that part alone, and not all the others.
package lenient

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Value is a T, or the zero value and Wrong where something else was written.
type Value[T any] struct {
	Of    T
	Wrong bool
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (v *Value[T]) UnmarshalJSON(text []byte) error {
	*v = Value[T]{}
	if json.Unmarshal(text, &v.Of) != nil {
		*v = Value[T]{Wrong: true}
	}
	return nil
}

// List is the items of a list that can be read as a T. Wrong counts the others; something
// that is no list counts as one.
type List[T any] struct {
	Items []T
	Wrong int
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (l *List[T]) UnmarshalJSON(text []byte) error {
	*l = List[T]{}
	var items []json.RawMessage
	if json.Unmarshal(text, &items) != nil {
		l.Wrong = 1
	}
	for _, item := range items {
		var v T
		if json.Unmarshal(item, &v) != nil {
			l.Wrong++
			continue
		}
		l.Items = append(l.Items, v)
	}
	return nil
}

// Number is a number, which models also write as a string.
type Number float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(text []byte) error {
	var word string
	if json.Unmarshal(text, &word) != nil {
		return json.Unmarshal(text, (*float64)(n))
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	*n = Number(f)
	return err
}

// patience is how many bytes are read for each byte of a text, so that a text full of
// braces takes no quadratic time.
const patience = 100

// Object finds the first JSON object in a text that has the key, whatever stands around it
// and however many other braces do.
func Object(text, key string) (string, bool) {
	budget := patience * len(text)
	for from := strings.IndexByte(text, '{'); from >= 0 && budget > 0; {
		var object map[string]json.RawMessage
		rest := strings.NewReader(text[from:])
		dec := json.NewDecoder(rest)
		err := dec.Decode(&object)
		if _, has := object[key]; err == nil && has {
			return text[from : from+int(dec.InputOffset())], true
		}
		budget -= len(text) - from - rest.Len()
		next := strings.IndexByte(text[from+1:], '{')
		if next < 0 {
			break
		}
		from += 1 + next
	}
	return "", false
}
