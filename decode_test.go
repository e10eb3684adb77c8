package nestor_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/nestorhq/nestor"
)

type (
	withMeta struct {
		nestor.Meta
		Title string `json:"title"`
	}
	metaBelow  struct{ withMeta }
	namedMeta  struct{ Meta nestor.Meta }
	ownID      struct{ ID string }
	ownVersion struct {
		nestor.Meta
		Count int64 `json:"version"`
	}
	partly struct {
		Title string `json:"title"`
	}
	partBelow struct {
		partly
		At int64 `json:"updatedAt"`
	}
	byItself struct{ text string }
)

func (b *byItself) UnmarshalJSON(text []byte) error {
	b.text = string(text)
	return nil
}

// Whatever a type asks for, it gets what it would get from the flat form.
func TestDecodingIsThatOfTheFlatForm(t *testing.T) {
	decodesAsFlat[withMeta](t)
	decodesAsFlat[metaBelow](t)
	decodesAsFlat[namedMeta](t)
	decodesAsFlat[ownID](t)
	decodesAsFlat[ownVersion](t)
	decodesAsFlat[partly](t)
	decodesAsFlat[partBelow](t)
	decodesAsFlat[byItself](t)
	decodesAsFlat[*withMeta](t)
	decodesAsFlat[map[string]any](t)
	decodesAsFlat[any](t)
	decodesAsFlat[json.RawMessage](t)
	decodesAsFlat[nestor.SubAgentMessage](t)
}

func decodesAsFlat[T any](t *testing.T) {
	t.Helper()
	for _, data := range []string{`{"title":"Hello","content":"x"}`, `{}`, ``, ` { "title" : "Hello" } `} {
		d := &nestor.Document{
			Path: "users/u1/notes/n1", Version: 2, Seq: 9, CreatedSeq: 7, CreatedAt: 100, UpdatedAt: 200, Data: json.RawMessage(data),
		}
		got, err := nestor.As[T](d)
		if err != nil {
			t.Errorf("%T of %q: %v", got, data, err)
		}
		flat, err := d.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var want T
		if err := json.Unmarshal(flat, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%T of %q is %+v, want %+v, %v", got, data, got, want, err)
		}
	}
}
