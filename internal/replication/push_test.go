package replication_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// row is one write of a client.
func row(next, assumed args) args {
	r := args{"newDocumentState": next}
	if assumed != nil {
		r["assumedMasterState"] = assumed
	}
	return r
}

// push sends rows and returns the masters that came back, as id and title,
// deleted ones with a minus.
func (f *fixture) push(user, path string, rows ...args) (masters []string) {
	f.Helper()
	body, err := json.Marshal(rows)
	if err != nil {
		f.Fatal(err)
	}
	code, text := f.request(user, "POST", path, string(body))
	var docs []map[string]any
	if err := json.Unmarshal([]byte(text), &docs); err != nil || code != "" {
		f.Fatalf("%s: %v %s", path, err, text)
	}
	for _, d := range docs {
		if d["_deleted"] == true {
			masters = append(masters, "-"+d["id"].(string))
			continue
		}
		masters = append(masters, fmt.Sprint(d["id"], ":", d["title"]))
	}
	return masters
}

func TestAPushIsAcceptedWhenTheMasterIsWhatTheClientAssumed(t *testing.T) {
	there := args{"id": "c1", "title": "A chat", "version": 1, "seq": 1, "createdAt": 5, "updatedAt": 5, "_deleted": false}
	changed := func(title string, more ...any) args {
		doc := args{}
		for k, v := range there {
			doc[k] = v
		}
		doc["title"] = title
		for i := 0; i < len(more); i += 2 {
			doc[more[i].(string)] = more[i+1]
		}
		return doc
	}
	gone := changed("A chat", "_deleted", true)
	cases := map[string]struct {
		before  []string // what else happened to the document, in order
		row     args
		master  string // what comes back
		title   string // what is stored then, "" for nothing
		version int64
	}{
		"an edit": {nil, row(changed("new"), there), "", "new", 2},
		"an edit on top of one's own, not seen back": {[]string{"mine"}, row(changed("new"), changed("mine")), "", "new", 3},
		"an edit of what is older":                   {[]string{"theirs"}, row(changed("new"), there), "c1:theirs", "theirs", 2},
		"an edit that came before":                   {[]string{"new"}, row(changed("new"), there), "", "new", 2},
		"an edit of what is gone":                    {[]string{""}, row(changed("new"), there), "-c1", "", 0},
		"an edit of the server's stamps only":        {nil, row(changed("A chat", "seq", 99, "createdAt", 1), there), "", "A chat", 1},
		"a delete":                                   {nil, row(gone, there), "", "", 0},
		"a delete of what is older":                  {[]string{"theirs"}, row(gone, there), "c1:theirs", "theirs", 2},
		"a delete that came before":                  {[]string{""}, row(gone, there), "", "", 0},
		"a new one where there is one":               {nil, row(changed("new"), nil), "c1:A chat", "A chat", 1},
		"a new one that is there already":            {nil, row(changed("A chat"), nil), "", "A chat", 1},
		"a new one that came before and was deleted": {[]string{""}, row(changed("A chat"), nil), "-c1", "", 0},
		"one that was deleted is made again":         {[]string{""}, row(changed("back"), gone), "", "back", 3},
		"one is made again that is there":            {nil, row(changed("back"), gone), "c1:A chat", "A chat", 1},
		"one that never was is deleted":              {nil, row(args{"id": "none", "_deleted": true}, nil), "", "A chat", 1},
		"a field is added":                           {nil, row(changed("A chat", "projectId", "p"), there), "", "A chat", 2},
		"an assumed state that is null":              {nil, args{"newDocumentState": changed("new"), "assumedMasterState": nil}, "c1:A chat", "A chat", 1},
	}
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		users := 0
		for name, c := range cases {
			users++
			user := fmt.Sprint("u", users)
			chat := f.chat(user, "c1")
			for _, title := range c.before {
				if title == "" {
					f.delete(chat)
					continue
				}
				f.put(chat, nestor.Chat{Title: title})
			}
			for range 2 { // doing it again changes nothing
				if got := strings.Join(f.push(user, "/chats/push", c.row), " "); got != c.master {
					t.Errorf("%s: %q came back, want %q", name, got, c.master)
				}
				d := f.get(chat)
				if d == nil {
					d = &nestor.Document{Data: []byte(`{}`)}
				}
				if stored, err := nestor.As[nestor.Chat](d); err != nil || stored.Title != c.title || d.Version != c.version {
					t.Errorf("%s: stored is %q at version %d, want %q at %d", name, stored.Title, d.Version, c.title, c.version)
				}
			}
		}
	})
}

// A field with an index has a value in every document of a client, an empty text if the
// server has none.
func TestAFieldThatADocumentLacksIsAnEmptyTextToClientsAlone(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		bare := func(id string) args {
			return args{"id": id, "chatId": "c1", "type": "tool", "name": "tool:x", "instruction": "triggerMessageId", "status": "pending"}
		}
		stored := func(id string, version int64, message any) {
			t.Helper()
			d := f.get(chat.Child("tasks", id))
			var fields map[string]any
			if err := json.Unmarshal(d.Data, &fields); err != nil || d.Version != version || fields["triggerMessageId"] != message {
				t.Errorf("stored is %s at version %d, want it with %v at %d", d.Data, d.Version, message, version)
			}
		}
		f.put(chat.Child("tasks", "pulled"), bare("pulled"))
		f.push("u1", "/tasks/push", row(args{"triggerMessageId": "", "id": "mine", "chatId": "c1", "type": "tool", "name": "tool:x", "instruction": "x", "status": "pending"}, nil))
		stored("mine", 1, nil)

		pulled := args(f.pull("u1", "/tasks/pull?chatId=c1").Documents[0])
		if pulled["id"] != "pulled" || pulled["triggerMessageId"] != "" {
			t.Fatalf("pulled is %v", pulled)
		}
		with := func(field, value string) args {
			doc := maps.Clone(pulled)
			doc[field] = value
			return doc
		}
		for _, step := range []struct {
			next, assumed args
			version       int64
			message       any
		}{
			{pulled, pulled, 1, nil},
			{with("instruction", "another"), pulled, 2, nil},
			{with("triggerMessageId", "m1"), with("instruction", "another"), 3, "m1"},
			{pulled, with("triggerMessageId", "m1"), 4, nil},
		} {
			if got := f.push("u1", "/tasks/push", row(step.next, step.assumed)); len(got) > 0 {
				t.Errorf("%v came back", got)
			}
			stored("pulled", step.version, step.message)
		}
		conflict := f.push("u1", "/tasks/push", row(with("instruction", "third"), with("instruction", "unheard-of")))
		if code, text := f.request("u1", "POST", "/tasks/push", `[{"newDocumentState":{"id":"pulled","chatId":"c1"}}]`); code != "" || len(conflict) != 1 || !strings.Contains(text, `"triggerMessageId":""`) {
			t.Errorf("%v came back, and %s", conflict, text)
		}
	})
}

func TestWhatAClientInventsAsAStampCountsNowhere(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		before := time.Now().UnixMilli()
		invented := args{"id": "c1", "title": "one", "version": 99, "seq": 99, "createdSeq": 99, "createdAt": 99, "updatedAt": 99, "deleted": true}
		f.push("u1", "/chats/push", row(invented, nil))
		first := *f.get(chatPath("u1", "c1"))
		edited := maps.Clone(invented)
		edited["title"], edited["createdAt"], edited["version"] = "two", 1, 1
		f.push("u1", "/chats/push", row(edited, invented))
		second := f.get(chatPath("u1", "c1"))
		if first.Version != 1 || first.CreatedAt < before || first.UpdatedAt < before || first.Seq == 99 || string(first.Data) != `{"userId":"u1","title":"one"}` {
			t.Errorf("it was made as %+v: %s", first, first.Data)
		}
		if second.Version != 2 || second.CreatedAt != first.CreatedAt || second.CreatedSeq != first.CreatedSeq || second.Seq <= first.Seq || string(second.Data) != `{"userId":"u1","title":"two"}` {
			t.Errorf("it became %+v: %s", second, second.Data)
		}
	})
}

func TestEachRowOfAPushStandsAlone(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		f.chat("u2", "theirs")
		message := func(id, role string, more args) args {
			doc := args{"id": id, "chatId": "c1", "role": role, "content": "x", "_deleted": false}
			for k, v := range more {
				doc[k] = v
			}
			return row(doc, nil)
		}
		got := f.push("u1", "/messages/push",
			message("first", "user", nil),
			message("forged", "assistant", nil),
			message("wrong-type", "user", args{"content": 5}),
			message("unheard-of", "user", args{"field": 1}),
			message("orphan", "user", args{"chatId": "nowhere"}),
			message("foreign", "user", args{"userId": "u2", "chatId": "theirs"}),
			message("no/id", "user", nil),
			message("no-chat", "user", args{"chatId": "a/b"}),
			message("long", "user", args{"content": strings.Repeat("x", 1<<20)}),
			message("last", "user", nil),
		)
		if want := "-forged -wrong-type -unheard-of -orphan -foreign -no/id -no-chat -long"; strings.Join(got, " ") != want {
			t.Errorf("came back %v", got)
		}
		for _, id := range []string{"first", "last"} {
			if f.get(chat.Child("messages", id)) == nil {
				t.Errorf("%s was not written", id)
			}
		}
		if p := f.pull("u1", "/messages/pull?chatId=c1"); len(p.Documents) != 2 {
			t.Errorf("the messages are %v", p.ids())
		}
		if p := f.pull("u2", "/messages/pull?chatId=theirs"); len(p.Documents) != 0 {
			t.Errorf("the other user has %v", p.ids())
		}
	})
}

func TestAPushTellsNothingOfWhatMayNotBeRead(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		theirs := f.chat("u2", "c1")
		f.put(chatPath("u1", "c2"), nestor.Chat{Title: "hidden"})
		for _, id := range []string{"c1", "c2"} {
			user := "u" + map[string]string{"c1": "2", "c2": "1"}[id]
			for _, title := range []string{"A chat", "hidden", "guess"} {
				doc := args{"id": id, "userId": user, "title": title}
				for _, r := range []args{row(doc, nil), row(doc, doc)} {
					if got := f.push("u1", "/chats/push", r); fmt.Sprint(got) != "[-"+id+"]" {
						t.Errorf("%v came back for %v", got, r)
					}
				}
				// A hidden document is answered for as if it were gone already.
				gone := row(args{"id": id, "userId": user, "_deleted": true}, doc)
				if got := f.push("u1", "/chats/push", gone); len(got) != 0 {
					t.Errorf("%v came back for %v", got, gone)
				}
			}
		}
		if f.get(chatPath("u1", "c2")) == nil {
			t.Error("what is hidden was deleted")
		}
		if f.get(theirs).Version != 1 {
			t.Error("another's chat was written")
		}
	})
}

func TestFieldsThatAClientDidNotTouchKeepTheirExactValue(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		f.put("users/u1/notes/n", json.RawMessage(`{"big":9007199254740993,"deep":{"list":[1,null,"x"]},"none":null,"text":"a"}`))
		rounded := args{"id": "n", "big": 9007199254740992, "deep": args{"list": []any{1, nil, "x"}}, "none": nil, "text": "a"}
		next := args{"id": "n", "big": 9007199254740992, "deep": args{"list": []any{1, nil, "x"}}, "text": "b"}
		if got := f.push("u1", "/documents/push?collection=users/u1/notes", row(next, rounded)); len(got) != 0 {
			t.Errorf("came back %v", got)
		}
		if d := f.get("users/u1/notes/n"); string(d.Data) != `{"big":9007199254740993,"deep":{"list":[1,null,"x"]},"text":"b"}` {
			t.Errorf("stored is %s", d.Data)
		}
	})
}

func TestPushesThatMakeNoSenseAreRefused(t *testing.T) {
	f := serveWith(t, engines.SQLite(t), replication.Options{MaxRows: 3, MaxBody: 1000}, nil)
	state := `{"newDocumentState":{"id":"c","title":"x"}}`
	for body, want := range map[string]nestor.Code{
		``:                                     nestor.CodeInvalid,
		`{}`:                                   nestor.CodeInvalid,
		`[1]`:                                  nestor.CodeInvalid,
		`[{}]`:                                 nestor.CodeInvalid,
		`[null]`:                               nestor.CodeInvalid,
		`[{"newDocumentState":null}]`:          nestor.CodeInvalid,
		`[{"newDocumentState":{"title":"x"}}]`: nestor.CodeInvalid,
		`[{"newDocumentState":{"id":5}}]`:      nestor.CodeInvalid,
		`[{"newDocumentState":{"id":"c"},"assumedMasterState":[]}]`: nestor.CodeInvalid,
		`[` + state + `] more`:                                              nestor.CodeInvalid,
		`[` + strings.Repeat(state+",", 3) + state + `]`:                    nestor.CodeTooLarge,
		`[{"newDocumentState":{"id":"` + strings.Repeat("x", 1000) + `"}}]`: nestor.CodeTooLarge,
		strings.Repeat(`[`, 900):                                            nestor.CodeInvalid,
	} {
		if code, text := f.request("u1", "POST", "/chats/push", body); code != want {
			t.Errorf("%.60s: %s", body, text)
		}
	}
	if code, _ := f.request("u1", "GET", "/chats/push", ""); code != nestor.CodeNotFound {
		t.Errorf("a push by GET: %q", code)
	}
	if code, _ := f.request("u1", "POST", "/nothing/push", "[]"); code != nestor.CodeNotFound {
		t.Errorf("a push to nothing: %q", code)
	}
	if got := f.push("u1", "/documents/push?collection=secrets", row(args{"id": "u1", "key": "x"}, nil)); fmt.Sprint(got) != "[-u1]" || f.get("secrets/u1") != nil {
		t.Errorf("a push to the secrets: %v", got)
	}
	if p := f.pull("u1", "/chats/pull"); len(p.Documents) != 0 {
		t.Errorf("something was written: %v", p.ids())
	}
}

// shaky is a store some of whose transactions fail.
type shaky struct {
	store.Store
	updates int
}

func (s *shaky) Update(ctx context.Context, fn func(store.Tx) error) error {
	if s.updates++; s.updates == 2 {
		return nestor.Errorf(nestor.CodeUnavailable, "the database is away")
	}
	return s.Store.Update(ctx, fn)
}

func TestAPushThatFailsInTheMiddleIsDoneByTheNext(t *testing.T) {
	f := serveWith(t, engines.SQLite(t), replication.Options{}, func(s store.Store) store.Store { return &shaky{Store: s} })
	rows, err := json.Marshal([]args{row(args{"id": "a"}, nil), row(args{"id": "b"}, nil), row(args{"id": "c"}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if code, text := f.request("u1", "POST", "/chats/push", string(rows)); code != nestor.CodeUnavailable {
		t.Errorf("the answer is %s", text)
	}
	if f.get(chatPath("u1", "a")) == nil || f.get(chatPath("u1", "b")) != nil || f.get(chatPath("u1", "c")) == nil {
		t.Error("a row that fails must neither stop nor be taken for the others")
	}
	if code, text := f.request("u1", "POST", "/chats/push", string(rows)); text != "[]" {
		t.Errorf("the second time: %q %s", code, text)
	}
	for _, id := range []string{"a", "b", "c"} {
		if d := f.get(chatPath("u1", id)); d == nil || d.Version != 1 {
			t.Errorf("%s is %+v", id, d)
		}
	}
}
