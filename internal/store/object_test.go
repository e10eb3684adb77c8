package store

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

// sameObject checks the short way against that through JSON.
func sameObject(t rapid.TB, body any) {
	short, ok := objectOf(reflect.ValueOf(body), 0)
	text, err := json.Marshal(body)
	if err != nil {
		if ok {
			t.Fatalf("%#v has no JSON form, and yet an object %v", body, short)
		}
		return
	}
	long, err := decodeObject(text)
	if ok && (err != nil || !reflect.DeepEqual(short, long)) {
		t.Fatalf("%s\nbecomes %v\n    not %v (%v)", text, short, long, err)
	}
}

func TestAnObjectIsTheOneThatItsJSONWouldGive(t *testing.T) {
	raw := rapid.Custom(func(t *rapid.T) json.RawMessage {
		text, err := json.Marshal(jsonValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		return rapid.SampledFrom([]json.RawMessage{
			text, nil, json.RawMessage("{"), json.RawMessage(" 1.0 "), json.RawMessage("123456789012345678901"), json.RawMessage(`"\u0000"`),
		}).Draw(t, "raw")
	})
	rapid.Check(t, func(t *rapid.T) {
		sameObject(t, rapid.Make[nestor.Chat]().Draw(t, "chat"))
		sameObject(t, rapid.Make[nestor.Task]().Draw(t, "task"))
		sameObject(t, rapid.Make[*nestor.SubAgent]().Draw(t, "agent"))
		call := rapid.Make[nestor.ToolCall]().Draw(t, "call")
		call.Args = raw.Draw(t, "args")
		sameObject(t, call)
		message := rapid.Make[nestor.SubAgentMessage]().Draw(t, "message")
		if message.Metadata != nil {
			message.Metadata.Reasoning = raw.Draw(t, "reasoning")
		}
		sameObject(t, message)
	})
}

func TestAnObjectIsFoundForEveryBuiltInDocument(t *testing.T) {
	for _, c := range DefaultCatalogue.All() {
		body := reflect.New(c.schema.of)
		if _, ok := objectOf(body, 0); !ok {
			t.Errorf("%s go the long way", c.Name)
		}
	}
}

func TestWhatJSONMaySeeDifferentlyIsLeftToIt(t *testing.T) {
	for _, body := range []any{
		nil, 5,
		map[string]any{},
		(*nestor.Task)(nil),
		nestor.Task{Name: "\xff"},
		nestor.Task{Name: "a\x00"},
		struct{ A int }{},
		struct {
			A int `json:"a,string"`
		}{},
		struct {
			A float64 `json:"a"`
		}{},
		struct {
			A nestor.Duration `json:"a"`
		}{},
		nestor.ToolCall{Args: json.RawMessage("{")},
	} {
		if m, ok := objectOf(reflect.ValueOf(body), 0); ok {
			t.Errorf("%#v becomes %v", body, m)
		}
	}
}

// loud is a text with an encoding of its own, shout one whose pointer has it.
type (
	loud   string
	shout  string
	joined []string
	inner  struct {
		A int `json:"a"`
	}
	other struct {
		A int `json:"b"`
	}
	link struct {
		Next *link `json:"next"`
	}
)

func (l loud) MarshalText() ([]byte, error)   { return []byte(strings.ToUpper(string(l))), nil }
func (s *shout) MarshalText() ([]byte, error) { return []byte(strings.ToUpper(string(*s))), nil }
func (l joined) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Join(l, " ")) }

func TestAnAwkwardObjectIsTheOneThatItsJSONWouldGive(t *testing.T) {
	minute, l, s, n := nestor.Duration(time.Minute), loud("a"), shout("a"), json.Number("5")
	raw := json.RawMessage(`{"a":[1]}`)
	circle := &link{}
	circle.Next = circle
	for name, value := range map[string]any{
		"a list of what encodes itself":  []nestor.Duration{minute},
		"an array of it":                 [1]nestor.Duration{minute},
		"a list of pointers to it":       []*nestor.Duration{&minute},
		"a list of lists of it":          [][]nestor.Duration{{minute}},
		"a pointer to a list of it":      &[]nestor.Duration{minute},
		"a map of it":                    map[string]nestor.Duration{"a": minute},
		"a map by it":                    map[loud]int{"a": 1},
		"a map by text that is no UTF-8": map[string]int{"a\xff": 1},
		"a map by a text with a zero":    map[string]int{"a\x00": 1},
		"a map of raw messages":          map[string]json.RawMessage{"a": raw, "b": json.RawMessage("1.0")},
		"a map with none":                map[string]json.RawMessage{"a": nil},
		"a map of maps":                  map[string]map[string]inner{"a": {"b": {1}}, "c": nil},
		"a struct of it in a list": []struct {
			D []nestor.Duration `json:"d"`
		}{{[]nestor.Duration{minute}}},
		"a text of its own encoding":          l,
		"a pointer to one":                    &l,
		"a list of them":                      []loud{l},
		"a text whose pointer encodes itself": s,
		"a pointer to that":                   &s,
		"a list of those":                     []shout{s},
		"a list that encodes itself":          joined{"a", "b"},
		"a list of such lists":                []joined{{"a", "b"}},
		"a number in a text":                  n,
		"a list of numbers in texts":          []json.Number{n},
		"a list of raw messages":              []json.RawMessage{raw, raw},
		"a pointer to a raw message":          &raw,
		"bytes":                               []byte("ab"),
		"an interface": any(struct {
			V any `json:"v"`
		}{l}),
		"a time":                        time.Unix(1, 0),
		"nothing where a list could be": []loud(nil),
		"a struct that embeds a hidden name": struct {
			inner
			A int `json:"c"`
		}{inner{1}, 2},
		"a struct that embeds one name twice": struct {
			inner
			other
		}{inner{1}, other{2}},
		"a struct that embeds what encodes itself": struct {
			nestor.Duration
			A int `json:"a"`
		}{minute, 1},
		"a struct that embeds a pointer": struct{ *inner }{&inner{1}},
		"a name that JSON ignores": struct {
			A int `json:"a b"`
		}{1},
		"a name with a quote": struct {
			A int `json:"a\"b"` //lint:ignore SA5008 the tag is wrong on purpose
		}{1},
		"an array of zeros": struct {
			A [2]int `json:"a,omitempty"`
		}{},
		"a circle": circle,
	} {
		t.Run(name, func(t *testing.T) {
			field := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(value), Tag: `json:"f,omitempty"`}})
			body := reflect.New(field).Elem()
			body.Field(0).Set(reflect.ValueOf(value))
			sameObject(t, body.Interface())
			sameObject(t, value)
		})
	}
}

// plain is what a field of a built-in document may be.
var plain = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[bool](), reflect.TypeFor[nestor.Role](),
	reflect.TypeFor[nestor.Duration](), reflect.TypeFor[loud](), reflect.TypeFor[shout](), reflect.TypeFor[joined](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[uint8](), reflect.TypeFor[float64](), reflect.TypeFor[inner](), reflect.TypeFor[nestor.Usage](),
}

// keys are what a map may be by.
var keys = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[nestor.Role](), reflect.TypeFor[int](), reflect.TypeFor[loud](), reflect.TypeFor[shout]()}

func TestAnObjectOfAnyStructIsTheOneThatItsJSONWouldGive(t *testing.T) {
	kinds := rapid.Custom(func(t *rapid.T) reflect.Type {
		kind := rapid.SampledFrom(plain).Draw(t, "kind")
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			switch rapid.IntRange(0, 4).Draw(t, "wrapped") {
			case 0:
				kind = reflect.SliceOf(kind)
			case 1:
				kind = reflect.PointerTo(kind)
			case 2:
				kind = reflect.ArrayOf(2, kind)
			case 3:
				kind = reflect.MapOf(rapid.SampledFrom(keys).Draw(t, "key"), kind)
			default:
				kind = reflect.StructOf([]reflect.StructField{{Name: "V", Type: kind, Tag: `json:"v"`}})
			}
		}
		return kind
	})
	tags := rapid.SampledFrom([]reflect.StructTag{`json:"x"`, `json:"y,omitempty"`, `json:"z,string"`, `json:"-"`, `json:",omitempty"`, `json:"w,omitzero"`, ""})
	rapid.Check(t, func(t *rapid.T) {
		var fields []reflect.StructField
		for i, kind := range rapid.SliceOfN(kinds, 1, 4).Draw(t, "fields") {
			fields = append(fields, reflect.StructField{Name: string(rune('A' + i)), Type: kind, Tag: tags.Draw(t, "tag")})
		}
		body := reflect.New(reflect.StructOf(fields)).Elem()
		for i := range fields {
			fill(t, body.Field(i))
		}
		sameObject(t, body.Interface())
	})
}

// fill sets a value and all in it.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "7", "a", "é"}).Draw(t, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "truth"))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 2).Draw(t, "length"), 2))
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Map:
		if rapid.Bool().Draw(t, "set") {
			v.Set(reflect.MakeMap(v.Type()))
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(t, key)
				fill(t, value)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	}
}
