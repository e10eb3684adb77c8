package store

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// objectOf is [toObject] for Go structs, without the way through JSON text:
// most writes come from handlers, and that way would be half of their cost. It
// reports false for whatever encoding/json might see differently.
func objectOf(v reflect.Value, depth int) (map[string]any, bool) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil, false
	}
	p := planOf(v.Type())
	if p.unusual {
		return nil, false
	}
	m := make(map[string]any, len(p.fields))
	for _, f := range p.fields {
		value := v.FieldByIndex(f.index)
		if f.omitEmpty && isEmpty(value) {
			continue
		}
		e, ok := valueOf(value, depth+1)
		if !ok {
			return nil, false
		}
		m[f.name] = e
	}
	return m, true
}

func valueOf(v reflect.Value, depth int) (any, bool) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		return s, utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
	case reflect.Bool:
		return v.Bool(), true
	case reflect.Int, reflect.Int64:
		return v.Int(), true
	case reflect.Pointer:
		if v.IsNil() {
			return nil, true
		}
		return valueOf(v.Elem(), depth)
	case reflect.Struct:
		return objectOf(v, depth)
	case reflect.Slice:
		if v.Type() == rawMessage {
			e, err := decodeValue(v.Bytes(), depth)
			return e, err == nil
		}
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return nil, v.IsNil()
		}
		list := make([]any, v.Len())
		for i := range list {
			e, ok := valueOf(v.Index(i), depth+1)
			if !ok {
				return nil, false
			}
			list[i] = e
		}
		return list, true
	}
	return nil, false
}

var (
	rawMessage = reflect.TypeFor[json.RawMessage]()
	marshaler  = reflect.TypeFor[json.Marshaler]()
)

// isEmpty is what omitempty means.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// plan is how the fields of a struct appear in JSON.
type plan struct {
	fields  []planned
	unusual bool
}

type planned struct {
	name      string
	index     []int
	omitEmpty bool
}

var plans sync.Map // by reflect.Type

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{unusual: t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)}
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Tag == "" && f.Type.Kind() == reflect.Struct {
			continue // its fields are among those visible
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p.unusual = p.unusual || !f.IsExported() || f.Anonymous || name == "" || name == "-" || names[name] ||
			options != "" && options != "omitempty" ||
			f.Type != rawMessage && (f.Type.Implements(marshaler) || reflect.PointerTo(f.Type).Implements(marshaler))
		names[name] = true
		p.fields = append(p.fields, planned{name, f.Index, options == "omitempty"})
	}
	plans.Store(t, p)
	return p
}
