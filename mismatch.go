package nestor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Mismatch words an error of encoding/json about a value of another type than
// its field has, in terms of JSON: "content must be a string, not a JSON
// number". It calls the value whole if it is not a field of into, which was decoded
// and may be nil if it embeds no struct.
// Other errors are reported as false.
func Mismatch(err error, into any, whole string) (string, bool) {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return "", false
	}
	if mismatch.Field != "" {
		if whole = mismatch.Field; into != nil {
			whole = jsonField(reflect.TypeOf(into), whole)
		}
	}
	return fmt.Sprintf("%s must be %s, not a JSON %s", whole, jsonKind(mismatch.Type), mismatch.Value), true
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
