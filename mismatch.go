package nestor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Mismatch words an error of encoding/json about a value of another type than
// its field has, in terms of JSON: "content must be a string, not a JSON
// number". It calls the value whole if it is not a field. Other errors are
// reported as false.
func Mismatch(err error, whole string) (string, bool) {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return "", false
	}
	if mismatch.Field != "" {
		whole = mismatch.Field
	}
	return fmt.Sprintf("%s must be %s, not a JSON %s", whole, jsonKind(mismatch.Type), mismatch.Value), true
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
