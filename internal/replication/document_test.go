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
