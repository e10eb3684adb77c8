package store

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// objectOf is [Object] for Go structs, without the way through JSON text:
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
	size := 0 // most structs have many fields, and few that are set
	for i := range p.fields {
		if !p.fields[i].omitted(v) {
			size++
		}
	}
	m := make(map[string]any, size)
	for i := range p.fields {
		f := &p.fields[i]
		if f.omitted(v) {
			continue
		}
		e, ok := valueOf(v.FieldByIndex(f.index), depth+1)
		if !ok {
			return nil, false
		}
		m[f.name] = e
	}
	return m, true
}

func valueOf(v reflect.Value, depth int) (any, bool) {
	if depth > jsonvalue.MaxDepth {
		return nil, false
	}
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
			e, err := jsonvalue.Decode(v.Bytes(), depth)
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
	case reflect.Map:
		return mapOf(v, depth)
	}
	return nil, false
}

func mapOf(v reflect.Value, depth int) (any, bool) {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return nil, v.IsNil()
	}
	m := make(map[string]any, v.Len())
	for entries := v.MapRange(); entries.Next(); {
		name, ok := valueOf(entries.Key(), depth+1)
		if !ok {
			return nil, false
		}
		if m[name.(string)], ok = valueOf(entries.Value(), depth+1); !ok {
			return nil, false
		}
	}
	return m, true
}

var (
	rawMessage    = reflect.TypeFor[json.RawMessage]()
	jsonNumber    = reflect.TypeFor[json.Number]()
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// isEmpty is what omitempty means.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
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

// omitted reports whether JSON of the struct v leaves the field out.
func (f *planned) omitted(v reflect.Value) bool {
	return f.omitEmpty && isEmpty(v.FieldByIndex(f.index))
}

var plans sync.Map // by reflect.Type

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{unusual: encodesItself(t)}
	p.add(t, nil, map[string]bool{})
	plans.Store(t, p)
	return p
}

// add plans the fields of a struct, and of those embedded in it. Which of two
// fields of one name counts is for encoding/json to say.
func (p *plan) add(t reflect.Type, at []int, names map[string]bool) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clip(at), i)
		if f.Anonymous && f.Tag == "" && f.Type.Kind() == reflect.Struct {
			p.add(f.Type, index, names)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p.unusual = p.unusual || !f.IsExported() || f.Anonymous || !plainName(name) || names[name] ||
			options != "" && options != "omitempty" || encodesItself(f.Type)
		names[name] = true
		p.fields = append(p.fields, planned{name, index, options == "omitempty"})
	}
}

// plainName reports whether a name in a tag is one that encoding/json takes as it
// is: it ignores a name with certain marks in it.
func plainName(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// encodesItself reports whether a type, or what it points to or is a list or map of,
// has an encoding of its own. The types of a struct's fields are looked at when
// that struct is planned.
func encodesItself(t reflect.Type) bool {
	for {
		switch {
		case t == rawMessage:
			return false // valueOf knows it
		case t == jsonNumber:
			return true
		}
		for _, own := range []reflect.Type{marshaler, textMarshaler} {
			if t.Implements(own) || reflect.PointerTo(t).Implements(own) {
				return true
			}
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			t = t.Elem()
		case reflect.Map:
			if encodesItself(t.Key()) {
				return true
			}
			t = t.Elem()
		default:
			return false
		}
	}
}
