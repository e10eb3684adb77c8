package nestor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestTheFlatFormOfADocument(t *testing.T) {
	for _, tt := range []struct {
		name string
		data string
		want string
	}{
		{
			"has the document's fields between the reserved ones", `{"text":"hi","n":1}`,
			`{"id":"n1","text":"hi","n":1,"version":2,"seq":9,"createdSeq":7,"createdAt":100,"updatedAt":200}`,
		},
		{
			"has only the reserved fields when there are no others", `{}`,
			`{"id":"n1","version":2,"seq":9,"createdSeq":7,"createdAt":100,"updatedAt":200}`,
		},
		{
			"has only the reserved fields when there is no body", ``,
			`{"id":"n1","version":2,"seq":9,"createdSeq":7,"createdAt":100,"updatedAt":200}`,
		},
		{
			"keeps values as they are written", `{"big":9007199254740993,"e":1e+300,"s":"<\u2028\"}","o":{"id":7}}`,
			`{"id":"n1","big":9007199254740993,"e":1e+300,"s":"<\u2028\"}","o":{"id":7},"version":2,"seq":9,"createdSeq":7,"createdAt":100,"updatedAt":200}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := nestor.Document{
				Path: "users/u1/notes/n1", Version: 2, Seq: 9, CreatedSeq: 7, CreatedAt: 100, UpdatedAt: 200, Data: json.RawMessage(tt.data),
			}
			got, err := d.MarshalJSON()
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

// value draws any JSON value; object any object, with fields of any name but
// the reserved ones.
func value(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.String().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.SliceOfN(value(depth-1), 0, 3).AsAny(),
		rapid.MapOfN(rapid.String(), value(depth-1), 0, 3).AsAny())...)
}

func object() *rapid.Generator[map[string]any] {
	name := rapid.String().Filter(func(s string) bool { return !nestor.IsReserved(s) })
	return rapid.MapOfN(name, value(2), 0, 6)
}

func TestADocumentReadsBackFromItsFlatForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := object().Draw(t, "body")
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		d := &nestor.Document{
			Path: documentPath().Draw(t, "path"), Data: data,
			Version: rapid.Int64().Draw(t, "version"), Seq: rapid.Int64().Draw(t, "seq"), CreatedSeq: rapid.Int64().Draw(t, "createdSeq"),
			CreatedAt: rapid.Int64().Draw(t, "createdAt"), UpdatedAt: rapid.Int64().Draw(t, "updatedAt"),
		}
		want := map[string]any{}
		for k, v := range body {
			want[k] = v
		}
		want["id"], want["version"], want["seq"], want["createdSeq"] = d.Path.ID(), d.Version, d.Seq, d.CreatedSeq
		want["createdAt"], want["updatedAt"] = d.CreatedAt, d.UpdatedAt

		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := exactly(t, text); !reflect.DeepEqual(got, exactly(t, asJSON(t, want))) {
			t.Fatalf("the flat form is %s, want %v", text, want)
		}
		decoded, err := nestor.As[map[string]any](d)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(decoded, again) {
			t.Fatalf("decoded %v, the flat form says %v, %v", decoded, again, err)
		}
	})
}

// exactly decodes JSON without rounding numbers.
func exactly(t rapid.TB, text []byte) (v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func asJSON(t rapid.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheStructsSurviveBeingStored(t *testing.T) {
	survives(t, "chat", func(v *nestor.Chat) *nestor.Meta {
		v.Metadata = json.RawMessage(`{"ticket":12345678901234567890}`)
		withSchemas(v.ClientTools)
		return &v.Meta
	})
	survives(t, "message", func(v *nestor.Message) *nestor.Meta {
		if v.Metadata != nil {
			v.Metadata.Reasoning = json.RawMessage(`[{"signature":"x"}]`)
		}
		return &v.Meta
	})
	survives(t, "task", func(v *nestor.Task) *nestor.Meta {
		v.Args, v.ResultSchema = json.RawMessage(`{"expression":"6 * 7"}`), json.RawMessage(`{"type":"object"}`)
		return &v.Meta
	})
	survives(t, "sub-agent", func(v *nestor.SubAgent) *nestor.Meta {
		withSchemas(v.ClientTools)
		v.ResultSchema = json.RawMessage(`{"type":"object"}`)
		return &v.Meta
	})
	survives(t, "sub-agent message", func(v *nestor.SubAgentMessage) *nestor.Meta {
		if v.Metadata != nil {
			v.Metadata.Reasoning = nil
		}
		return &v.Meta
	})
	survives(t, "tool call", func(v *nestor.ToolCall) *nestor.Meta {
		v.Args = json.RawMessage(`{"expression":"1 < 2"}`)
		for i := range v.Decisions {
			v.Decisions[i].Args = v.Args
		}
		return &v.Meta
	})
}

func withSchemas(tools []nestor.ClientTool) {
	for i := range tools {
		tools[i].Parameters = json.RawMessage(`{"type":"object"}`)
	}
}

// survives writes values of T as documents and reads them back. prepare gives
// raw JSON fields a value and returns the reserved ones.
func survives[T any](t *testing.T, name string, prepare func(*T) *nestor.Meta) {
	t.Run(name, func(t *testing.T) {
		values := rapid.Make[T]()
		rapid.Check(t, func(t *rapid.T) {
			in := values.Draw(t, "value")
			meta := prepare(&in)
			*meta = nestor.Meta{}
			d := &nestor.Document{
				Path: "users/u1/orch-chats/c1", Version: 2, Seq: 9, CreatedSeq: 7, CreatedAt: 100, UpdatedAt: 200, Data: asJSON(t, in),
			}
			out, err := nestor.As[T](d)
			if err != nil {
				t.Fatal(err)
			}
			*meta = nestor.Meta{ID: "c1", Version: 2, Seq: 9, CreatedSeq: 7, CreatedAt: 100, UpdatedAt: 200}
			// As text, because an empty list is written as none.
			if got, want := asJSON(t, out), asJSON(t, in); !bytes.Equal(got, want) {
				t.Fatalf("read back %s\nwritten   %s", got, want)
			}
		})
	})
}

func TestDecodingWhatDoesNotFitSaysWhere(t *testing.T) {
	d := &nestor.Document{Path: "users/u1/orch-chats/c1", Data: json.RawMessage(`{"title":5}`)}
	_, err := nestor.As[nestor.Chat](d)
	wantCode(t, err, nestor.CodeInternal)
	if !bytes.Contains([]byte(err.Error()), []byte(d.Path)) {
		t.Errorf("the error does not name the document: %v", err)
	}
}

func TestReservedFields(t *testing.T) {
	for _, f := range nestor.Reserved {
		if !nestor.IsReserved(f) {
			t.Errorf("%s is listed and not reserved", f)
		}
	}
	for _, f := range []string{"", "ID", "userId", "createdat", "path", "deletedAt"} {
		if nestor.IsReserved(f) {
			t.Errorf("%q is reserved and not listed", f)
		}
	}
	var flat map[string]any
	d := &nestor.Document{Path: "users/u1"}
	if err := d.Decode(&flat); err != nil {
		t.Fatal(err)
	}
	for f := range flat {
		if !nestor.IsReserved(f) {
			t.Errorf("the server writes %s, which is not reserved", f)
		}
	}
}

func TestAChangeShowsItsDocumentsInTheirFlatForm(t *testing.T) {
	before := &nestor.Document{Path: "users/u1/notes/n1", Version: 1, Seq: 4, CreatedSeq: 4, CreatedAt: 100, UpdatedAt: 100, Data: json.RawMessage(`{"a":1}`)}
	for _, tt := range []struct {
		name   string
		change nestor.Change
		want   string
	}{
		{
			"a delete has the document as it was",
			nestor.Change{Seq: 5, Type: nestor.Delete, Path: before.Path, Version: 2, At: 200, Before: before},
			`{"seq":5,"type":"delete","path":"users/u1/notes/n1","version":2,"at":200,` +
				`"before":{"id":"n1","a":1,"version":1,"seq":4,"createdSeq":4,"createdAt":100,"updatedAt":100}}`,
		},
		{
			"a create has the document as written",
			nestor.Change{Seq: 4, Type: nestor.Create, Path: before.Path, Version: 1, At: 100, After: before},
			`{"seq":4,"type":"create","path":"users/u1/notes/n1","version":1,"at":100,` +
				`"after":{"id":"n1","a":1,"version":1,"seq":4,"createdSeq":4,"createdAt":100,"updatedAt":100}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := asJSON(t, tt.change); string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTimesAreUnixMilliseconds(t *testing.T) {
	if got := nestor.Millis(time.Date(1970, 1, 1, 0, 0, 1, 999_999, time.UTC)); got != 1000 {
		t.Errorf("one second after the epoch is %d", got)
	}
}

func ExampleDocument_Decode() {
	d := &nestor.Document{
		Path:    "users/u1/orch-chats/c1/tasks/t1",
		Version: 3,
		Data:    json.RawMessage(`{"userId":"u1","chatId":"c1","type":"agent","name":"agent:researcher","status":"running"}`),
	}
	var task nestor.Task
	if err := d.Decode(&task); err != nil {
		panic(err)
	}
	fmt.Println(task.ID, task.Version, task.ChatID, task.Name, task.Status)
	// Output: t1 3 c1 agent:researcher running
}
