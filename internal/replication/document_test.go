package replication

import (
	"encoding/json"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

func FuzzParseCheckpoint(f *testing.F) {
	for _, seed := range []string{"", "0", "12", "12-5", "12-12", "-1", "1-", "9223372036854775808", "١"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseCheckpoint(text)
		if err != nil {
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		var checkpoint struct{ Seq string }
		if err := json.Unmarshal(appendCheckpoint(nil, p), &checkpoint); err != nil {
			t.Fatal(err)
		}
		if again, err := parseCheckpoint(checkpoint.Seq); err != nil || again != p || p.Seq < 0 || p.Read < 0 {
			t.Errorf("%q is %+v and then %+v, %v", text, p, again, err)
		}
	})
}

type shelf struct {
	nestor.Meta
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Floor  int    `json:"floor"`
	Full   bool   `json:"full"`
	Kind   string `json:"kind"`
	Size   struct {
		Width int      `json:"width"`
		Tags  []string `json:"tags"`
	} `json:"size"`
	Place string `json:"place,omitempty"`
}

func TestATombstoneHasAllThatItsSchemaRequires(t *testing.T) {
	c := store.NewCollection[shelf]("shelves", nil, "users/{userId}/shelves/{id}", store.Column[string]("name").Chars(2, 5),
		store.Column[string]("floor").Between(-3, 9), store.Column("kind", "oak", "pine"), store.Column[string]("place").Chars(1, 9))
	c.Indexes = [][]string{{"place"}}
	want := `{"id":"s","userId":"u","createdSeq":0,"createdAt":0,"name":"--","floor":-3,"full":false,"kind":"oak","size":{"tags":null,"width":0},"place":"",` +
		`"version":3,"seq":2,"updatedAt":1,"_deleted":true}`
	if got := string(appendDeleted(nil, c, []string{"u"}, "s", 3, 2, 1)); got != want {
		t.Errorf("it is\n%s, want\n%s", got, want)
	}
}

// FuzzState feeds pushes with any text: only an object is taken for a document,
// and its content is its fields without those that are not the client's.
func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{"id":"m","chatId":"c","role":"user","content":"x","_deleted":false,"seq":1}`,
		`{"id":5}`, `{"_deleted":"yes"}`, `null`, `[]`, `{"a":1e999}`, `{"a":{"b":[null,1.0]}}`, `{"ID":"m","_Deleted":true}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readState(store.Messages, json.RawMessage(text))
		if err != nil {
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !s.equal(s) || len(s.fields) != len(s.values) {
			t.Errorf("%q is not equal to itself", text)
		}
		for name := range s.fields {
			if nestor.IsReserved(name) || name[:min(1, len(name))] == "_" || name == "userId" || name == "chatId" {
				t.Errorf("%q: %s is part of the content", text, name)
			}
		}
		if gone := appendDeleted(nil, store.Messages, s.keys, s.id, 0, 0, 0); !json.Valid(gone) {
			t.Errorf("%q: its tombstone is %s", text, gone)
		}
	})
}
