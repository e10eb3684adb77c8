package store

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

// sameObject checks the short way against that through JSON.
func sameObject(t *rapid.T, body any) {
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
	for _, c := range Catalogue {
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
