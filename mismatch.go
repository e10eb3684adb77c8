package nestor

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Mismatch words an error of encoding/json about a value of another type than
// its field has, in terms of JSON: "content must be a string, not a JSON
// number". It tells the path of the field, too. It calls the value whole, and names no
// field, if it is not one of into, which was decoded and may be nil if it embeds no struct.
// Other errors are reported as false.
func Mismatch(err error, into any, whole string) (text, field string, ok bool) {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return "", "", false
	}
	if mismatch.Field != "" {
		if field = withoutGoNames(mismatch.Field); into != nil {
			field = jsonField(reflect.TypeOf(into), mismatch.Field)
		}
	}
	name := cmp.Or(field, whole)
	if number, ok := strings.CutPrefix(mismatch.Value, "number "); ok { // one that the type cannot hold
		return fmt.Sprintf("%s must be %s, not %.40s", name, numberKind(mismatch.Type), number), field, true
	}
	return fmt.Sprintf("%s must be %s, not a JSON %s", name, jsonKind(mismatch.Type), mismatch.Value), field, true
}

// plain returns args with other words for each error that uses those of Go's decoders: the
// names of types, fields and functions of a program mean nothing to people and models.
func plain(args []any) []any {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			if text, said := plainText(err, err.Error()), err.Error(); text != said {
				args = slices.Clone(args)
				args[i] = worded{text, err}
			}
		}
	}
	return args
}

// worded is an error in other words.
type worded struct {
	text string
	error
}

func (w worded) Error() string { return w.text }
func (w worded) Unwrap() error { return w.error }

// plainText replaces in text, which quotes err, the words of each decoder's error that
// err wraps.
func plainText(err error, text string) string {
	switch e := err.(type) {
	case nil:
		return text
	case *json.UnmarshalTypeError:
		told, _, _ := Mismatch(e, nil, "the value")
		return strings.ReplaceAll(text, e.Error(), told)
	case *strconv.NumError:
		why := "is not a number"
		if errors.Is(e.Err, strconv.ErrRange) {
			why = "is out of range"
		}
		return strings.ReplaceAll(text, e.Error(), fmt.Sprintf("%.60q %s", e.Num, why))
	case *time.ParseError:
		return strings.ReplaceAll(text, e.Error(), fmt.Sprintf("%.60q is not a time such as 2026-01-31T12:00:00Z", strings.Trim(e.Value, `"`)))
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			text = plainText(inner, text)
		}
		return text
	}
	if inner := errors.Unwrap(err); inner != nil {
		return plainText(inner, text)
	}
	if told, ok := strings.CutPrefix(err.Error(), "json: "); ok { // such as of unknown fields
		return strings.ReplaceAll(text, err.Error(), told)
	}
	return text
}

// withoutGoNames is the path of a field without what encoding/json puts before it for
// embedded structs: the names of Go types.
func withoutGoNames(path string) string {
	names := strings.Split(path, ".")
	for len(names) > 1 && unicode.IsUpper(rune(names[0][0])) {
		names = names[1:]
	}
	return strings.Join(names, ".")
}

// jsonField is the path of a field without the names of embedded structs, which
// encoding/json puts into it and nobody sees in JSON.
func jsonField(t reflect.Type, path string) string {
	var seen []string
	for name := range strings.SplitSeq(path, ".") {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			if f, ok := t.FieldByName(name); ok && f.Anonymous && f.Tag.Get("json") == "" {
				t = f.Type
				continue
			}
			for _, f := range reflect.VisibleFields(t) {
				if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
					t = f.Type
					break
				}
			}
		}
		seen = append(seen, name)
	}
	return strings.Join(seen, ".")
}

func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return jsonKind(t.Elem())
	}
	return "a number"
}

// numberKind tells which numbers a type holds.
func numberKind(t reflect.Type) string {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Int64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	case k >= reflect.Uint && k <= reflect.Uintptr:
		return fmt.Sprintf("a whole number of %d bits that is not negative", t.Bits())
	case k == reflect.Float32 || k == reflect.Float64 || k == reflect.Interface:
		return "a number of 64 bits"
	}
	return jsonKind(t)
}
