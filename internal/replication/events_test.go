package replication

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// sighted may read what is not hidden.
type sighted struct{ Caller }

func (sighted) MayRead(_ nestor.Path, d *nestor.Document) bool {
	return !strings.Contains(string(d.Data), "hidden")
}

// history makes the changes of a document that has these contents in turn; ""
// is none.
func history(path nestor.Path, contents ...string) (changes []*nestor.Change) {
	var before *nestor.Document
	for i, content := range contents {
		c := &nestor.Change{Seq: int64(i + 1), Path: path, Version: int64(i + 1), Before: before}
		if content != "" {
			c.After = &nestor.Document{Path: path, Seq: c.Seq, Data: json.RawMessage(`{"text":"` + content + `"}`)}
		}
		before = c.After
		changes = append(changes, c)
	}
	return changes
}

func TestEventsTellTheOutcomeOfSeveralChanges(t *testing.T) {
	all, err := store.DefaultCatalogue.Scope("users/u1/notes")
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{server: &server{kinds: store.DefaultCatalogue}, caller: sighted{}, scopes: []scope{{all, "notes"}, {all, "again"}}}
	for name, c := range map[string]struct {
		contents []string
		skip     int    // how many of the changes came before
		want     string // the content, "gone", or "" for no event
	}{
		"a new document":                           {[]string{"a"}, 0, "a"},
		"an edit":                                  {[]string{"a", "b"}, 1, "b"},
		"only the last of several counts":          {[]string{"a", "b", "c"}, 0, "c"},
		"a delete":                                 {[]string{"a", ""}, 1, "gone"},
		"made and deleted: a pull may have it":     {[]string{"a", ""}, 0, "gone"},
		"deleted and made again":                   {[]string{"a", "", "b"}, 1, "b"},
		"what is hidden":                           {[]string{"hidden"}, 0, ""},
		"what becomes hidden is gone":              {[]string{"a", "hidden"}, 1, "gone"},
		"what was hidden is new":                   {[]string{"hidden", "b"}, 1, "b"},
		"a delete of what was hidden":              {[]string{"hidden", ""}, 1, ""},
		"hidden all along":                         {[]string{"hidden", "hidden too", ""}, 0, ""},
		"hidden after several: a pull may have it": {[]string{"hidden", "a", "hidden", "hidden"}, 0, "gone"},
	} {
		changes := history("users/u1/notes/n", c.contents...)[c.skip:]
		events := strings.Split(strings.TrimSuffix(string(f.events(changes)), "\n\n"), "\n\n")
		if c.want == "" {
			if len(events) != 1 || events[0] != "" {
				t.Errorf("%s: the events are %q", name, events)
			}
			continue
		}
		if len(events) != 2 {
			t.Errorf("%s: the events are %q", name, events)
			continue
		}
		for i, scope := range []string{"notes", "again"} {
			var event struct {
				Scope     string
				Documents []struct {
					Text    string
					Seq     int
					Deleted bool `json:"_deleted"`
				}
			}
			if err := json.Unmarshal([]byte(strings.TrimPrefix(events[i], "data: ")), &event); err != nil {
				t.Fatalf("%s: %v in %s", name, err, events[i])
			}
			if len(event.Documents) != 1 || event.Scope != scope {
				t.Errorf("%s: the event is %s", name, events[i])
				continue
			}
			d := event.Documents[0]
			if d.Deleted != (c.want == "gone") || !d.Deleted && d.Text != c.want || d.Seq != len(c.contents) {
				t.Errorf("%s: the event is %s", name, events[i])
			}
		}
	}
}

func TestEventsKeepTheOrderOfTheLog(t *testing.T) {
	all, err := store.DefaultCatalogue.Scope("users/u1/notes")
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{server: &server{kinds: store.DefaultCatalogue}, caller: sighted{}, scopes: []scope{{all, "notes"}}}
	var changes []*nestor.Change
	for i, id := range []string{"a", "b", "hidden", "a", "elsewhere", "c"} {
		path := nestor.Path("users/u1/notes/" + id)
		if id == "elsewhere" {
			path = "users/u1/others/x"
		}
		c := history(path, id)[0]
		c.Seq, c.After.Seq = int64(i+1), int64(i+1)
		changes = append(changes, c)
	}
	got := string(f.events(changes))
	var ids []string
	for _, part := range strings.Split(got, `{"id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	if strings.Join(ids, " ") != "b a c" || !strings.HasSuffix(got, `"checkpoint":{"seq":"6"}}`+"\n\n") {
		t.Errorf("the event is %s", got)
	}
}
