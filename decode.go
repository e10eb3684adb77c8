package nestor

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Decode fills v, a pointer to a struct such as [Task], with the flat form.
func (d *Document) Decode(v any) error {
	if err := d.decode(v); err != nil {
		return Errorf(CodeInternal, "decode %s: %w", d.Path, err)
	}
	return nil
}

func (d *Document) decode(v any) error {
	into := reflect.ValueOf(v)
	if into.Kind() == reflect.Pointer && !into.IsNil() && len(d.Data) > 0 {
		// The flat form is a copy of the document. Most types have the reserved
		// fields in a Meta, or do not ask for them, and need none.
		if by := decodingOf(into.Type().Elem()); by.direct {
			if err := json.Unmarshal(d.Data, v); err != nil {
				return err
			}
			if by.meta >= 0 {
				*into.Elem().Field(by.meta).Addr().Interface().(*Meta) = d.Meta()
			}
			return nil
		}
	}
	b, err := d.MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// decoding says how documents become values of a type.
type decoding struct {
	// direct: the reserved fields have no place in the type but its Meta.
	direct bool
	meta   int // the field that is its Meta, or -1
}

var decodings sync.Map // by reflect.Type

func decodingOf(t reflect.Type) decoding {
	if by, ok := decodings.Load(t); ok {
		return by.(decoding)
	}
	by := decoding{meta: -1}
	if t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(unmarshaler) {
		by.direct = true
		for i := range t.NumField() {
			if f := t.Field(i); f.Type == metaType && f.Anonymous && f.Tag == "" {
				by.meta = i
			} else if mayTakeReserved(f) {
				by.direct = false
			}
		}
	}
	decodings.Store(t, by)
	return by
}

var (
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	metaType    = reflect.TypeFor[Meta]()
)

// mayTakeReserved reports whether a reserved field may end up in the field f of a
// struct, or inside of it if it is embedded.
func mayTakeReserved(f reflect.StructField) bool {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Anonymous && name == "" {
		if f.Type.Kind() != reflect.Struct || reflect.PointerTo(f.Type).Implements(unmarshaler) {
			return true
		}
		for i := range f.Type.NumField() {
			if in := f.Type.Field(i); in.Type == metaType || mayTakeReserved(in) {
				return true
			}
		}
		return false
	}
	if name == "" {
		name = f.Name
	}
	return slices.ContainsFunc(Reserved, func(r string) bool { return strings.EqualFold(r, name) })
}
