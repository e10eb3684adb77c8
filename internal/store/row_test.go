package store

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestTheKindOfADocumentFollowsFromItsPath(t *testing.T) {
	for _, tt := range []struct {
		path nestor.Path
		want *Collection
		keys []string
	}{
		{"users/u1/orch-chats/c1", Chats, []string{"u1"}},
		{"users/u1/orch-chats/c1/messages/m1", Messages, []string{"u1", "c1"}},
		{"users/u1/orch-chats/c1/tasks/t1", Tasks, []string{"u1", "c1"}},
		{"users/u1/orch-chats/c1/sub-agents/a1", SubAgents, []string{"u1", "c1"}},
		{"users/u1/orch-chats/c1/sub-agents/a1/messages/m1", SubAgentMessages, []string{"u1", "c1", "a1"}},
		{"users/u1/orch-chats/c1/sub-agents/a1/tool-calls/k1", SubAgentToolCalls, []string{"u1", "c1", "a1"}},

		{"users/u1", UserDocuments, nil},
		{"users/u1/notes/n1", UserDocuments, nil},
		{"people/u1/orch-chats/c1", UserDocuments, nil},
		{"users/u1/Orch-Chats/c1", UserDocuments, nil},
		{"users/u1/orch-chats/c1/notes/n1", UserDocuments, nil},
		{"users/u1/orch-chats/c1/messages/m1/notes/n1", UserDocuments, nil},
		{"users/u1/notes/orch-chats/x/c1", UserDocuments, nil},
		{"users/u1/orch-chats/c1/sub-agents/a1/tasks/t1", UserDocuments, nil},
	} {
		t.Run(string(tt.path), func(t *testing.T) {
			c := DefaultCatalogue.Of(tt.path)
			if c != tt.want {
				t.Fatalf("it is one of %s, want %s", c.Name, tt.want.Name)
			}
			if keys := c.KeyValues(tt.path); len(keys) != len(tt.keys) || strings.Join(keys, " ") != strings.Join(tt.keys, " ") {
				t.Errorf("its keys are %v, want %v", keys, tt.keys)
			}
		})
	}
}

func TestWhereTheDocumentsBelowAPathAre(t *testing.T) {
	for _, tt := range []struct {
		name  string
		kind  *Collection
		below nestor.Path
		ids   []any
		ok    bool
	}{
		{"chats lie below a user", Chats, "users/u1", []any{"u1"}, true},
		{"messages lie below a user", Messages, "users/u1", []any{"u1"}, true},
		{"messages lie below a chat", Messages, "users/u1/orch-chats/c1", []any{"u1", "c1"}, true},
		{"tool calls lie below an agent", SubAgentToolCalls, "users/u1/orch-chats/c1/sub-agents/a1", []any{"u1", "c1", "a1"}, true},
		{"a chat does not lie below a chat", Chats, "users/u1/orch-chats/c1", nil, false},
		{"messages do not lie below a task", Messages, "users/u1/orch-chats/c1/tasks/t1", nil, false},
		{"messages do not lie below a note", Messages, "users/u1/notes/c1", nil, false},
		{"tool calls do not lie below a message", SubAgentToolCalls, "users/u1/orch-chats/c1/messages/m1", nil, false},
		{"nothing built in lies outside users", Chats, "people/u1", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ids, ok := tt.kind.Under(tt.below)
			if ok != tt.ok || !reflect.DeepEqual(ids, tt.ids) {
				t.Errorf("got %v, %v", ids, ok)
			}
		})
	}
}

// document draws a document of any kind, as a session would make it. Its body
// need not follow the schema.
func document() *rapid.Generator[*nestor.Document] {
	return rapid.Custom(func(t *rapid.T) *nestor.Document {
		id := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`)
		p := nestor.Path("users/" + id.Draw(t, "user") + "/notes/" + id.Draw(t, "note"))
		kinds := DefaultCatalogue.Tables()
		c := rapid.SampledFrom(kinds).Draw(t, "kind")
		if c != UserDocuments {
			keys := rapid.SliceOfN(id, len(c.Keys), len(c.Keys)).Draw(t, "keys")
			p = c.Path(keys, id.Draw(t, "id"))
		}
		withoutSchema := *c
		withoutSchema.schema = nil
		row, err := withoutSchema.body(p, jsonObject(2).Draw(t, "body"), false, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return &nestor.Document{
			Path: p, Data: c.Data(p, row), Version: rapid.Int64Min(1).Draw(t, "version"), Seq: rapid.Int64Min(1).Draw(t, "seq"), CreatedSeq: rapid.Int64Min(1).Draw(t, "createdSeq"),
			CreatedAt: rapid.Int64Min(0).Draw(t, "createdAt"), UpdatedAt: rapid.Int64Min(0).Draw(t, "updatedAt"),
		}
	})
}

func TestARowHoldsTheBodyWithoutTheIdsOnThePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := document().Draw(t, "document")
		c := DefaultCatalogue.Of(d.Path)
		if got := c.Path(c.KeyValues(d.Path), d.Path.ID()); c != UserDocuments && got != d.Path {
			t.Fatalf("%s comes together as %s", d.Path, got)
		}
		want := read(t, string(d.Data))
		for i, k := range c.Keys {
			if want[k.Field] != c.KeyValues(d.Path)[i] {
				t.Fatalf("the document at %s does not carry %s: %s", d.Path, k.Field, d.Data)
			}
			delete(want, k.Field)
		}
		row := c.RowBody(d)
		if string(row) != write(t, want) {
			t.Fatalf("the row of %s is %s", d.Data, row)
		}
		if data := c.Data(d.Path, row); string(data) != string(d.Data) {
			t.Fatalf("%s comes back as %s", d.Data, data)
		}
	})
}

func TestTheLogKeepsReplacedDocumentsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := document().Draw(t, "document")
		change := nestor.Change{Type: nestor.Update, Path: d.Path, Seq: d.Seq + 1, Version: d.Version + 1, At: 7, Before: d}
		entry := DefaultCatalogue.LogEntry(&change)
		if *entry.Replaces != d.Seq {
			t.Fatalf("the entry says that it replaces %d, not %d", *entry.Replaces, d.Seq)
		}
		got, err := DefaultCatalogue.Change(&entry, nil)
		if err != nil || !reflect.DeepEqual(got, change) {
			t.Fatalf("%+v was kept as %q and is read as %+v, %v", change, entry.Replaced, got, err)
		}
		entry.Path, entry.Replaced = []byte(d.Path), DefaultCatalogue.EncodeReplaced(d)
		if got, err = DefaultCatalogue.Change(&entry, nil); err != nil || !reflect.DeepEqual(got, change) {
			t.Fatalf("%+v, as older programs kept it, is read as %+v, %v", change, got, err)
		}
	})
}

func TestADamagedLogEntryIsNamed(t *testing.T) {
	for _, text := range []string{``, `{`, `[]`, `{"version":"1"}`, "\x01", "\x01\x02\x02\x02\x02", "\x01\x02\x02\x02\x02\x02", "\x01\x02\x02\x02\x02\x02{\x1e\xff", "\x01\x02\x02\x02\x02\x02\x1f1"} {
		_, err := DefaultCatalogue.UnpackReplaced("users/u1/notes/n1", []byte(text))
		wantCode(t, err, nestor.CodeInternal)
		if !strings.Contains(err.Error(), "users/u1/notes/n1") {
			t.Errorf("the error does not name the document: %v", err)
		}
	}
}

func TestAJobKeepsTheDocumentsItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := document().Draw(t, "document")
		j := &nestor.Job{Change: nestor.Change{Path: d.Path}}
		if rapid.Bool().Draw(t, "before") {
			j.Change.Before = d
		}
		if rapid.Bool().Draw(t, "after") {
			j.Change.After = d
		}
		text := DefaultCatalogue.JobDocuments(j)
		if (text == nil) != (j.Change.Before == nil && j.Change.After == nil) {
			t.Fatalf("the column is %v", text)
		}
		got := nestor.Change{Path: d.Path}
		if text != nil {
			if err := DefaultCatalogue.decodeJobDocuments(&got, *text); err != nil {
				t.Fatal(err)
			}
		}
		if !sameDocument(t, got.Before, j.Change.Before) || !sameDocument(t, got.After, j.Change.After) {
			t.Fatalf("read back %+v", got)
		}
	})
}

// sameDocument compares the flat forms as values: a job's text may escape
// characters that the document's does not.
func sameDocument(t rapid.TB, a, b *nestor.Document) bool {
	if a == nil || b == nil {
		return a == b
	}
	var flat [2]any
	for i, d := range []*nestor.Document{a, b} {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		flat[i] = read(t, string(text))
	}
	return a.Path == b.Path && reflect.DeepEqual(flat[0], flat[1])
}
