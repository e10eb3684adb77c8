package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const (
	team   = nestor.Path("users/ada/orch-chats/team")
	mine   = nestor.Path("users/ada/orch-chats/mine")
	note   = nestor.Path("users/ada/notes/n")
	secret = nestor.Path("secrets/ada")
)

// guarded runs fn in a transaction and returns its error.
func guarded(t *testing.T, s store.Store, e *rules.Engine, c access.Caller, fn func(store.Tx) error) error {
	t.Helper()
	return s.Update(t.Context(), func(tx store.Tx) error { return fn(e.Guard(tx, c)) })
}

func read(t *testing.T, s store.Store, p nestor.Path) (d *nestor.Document) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	if err != nil && !errors.Is(err, nestor.ErrNotFound) {
		t.Fatal(err)
	}
	return d
}

func TestAGuardedTransactionDoesWhatTheCallerMay(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		for name, c := range guardedCalls {
			var got error
			undo := errors.New("undone")
			err := guarded(t, s, e, c.caller, func(tx store.Tx) error {
				got = c.do(tx)
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
			if nestor.CodeOf(got) != c.want {
				t.Errorf("%s: %v, want %q", name, got, c.want)
			}
		}
	})
}

var guardedCalls = map[string]struct {
	caller access.Caller
	do     func(store.Tx) error
	want   nestor.Code
}{
	"get":                             {session("vic"), func(tx store.Tx) error { _, err := tx.Get(team); return err }, ""},
	"get what is another's":           {session("vic"), func(tx store.Tx) error { _, err := tx.Get(mine); return err }, nestor.CodeNotFound},
	"get a secret":                    {local, func(tx store.Tx) error { _, err := tx.Get(secret); return err }, nestor.CodeNotFound},
	"create":                          {session("ada"), func(tx store.Tx) error { _, err := tx.Create(team+"2", json.RawMessage(`{}`)); return err }, ""},
	"create what is there":            {session("ada"), func(tx store.Tx) error { _, err := tx.Create(team, json.RawMessage(`{}`)); return err }, nestor.CodeExists},
	"create what is there, unseen":    {session("vic"), func(tx store.Tx) error { _, err := tx.Create(mine, json.RawMessage(`{}`)); return err }, nestor.CodeNotFound},
	"create with a body that is none": {session("ada"), func(tx store.Tx) error { _, err := tx.Create(team+"2", json.RawMessage(`[]`)); return err }, nestor.CodeInvalid},
	"create a secret":                 {local, func(tx store.Tx) error { _, err := tx.Create("secrets/x", json.RawMessage(`{}`)); return err }, nestor.CodeNotFound},
	"create, all fields are there": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Create(team+"2", json.RawMessage(`{"id":"x","version":7,"userId":"ada","title":"t"}`))
		return err
	}, ""},
	"put":             {key("ada", "write"), func(tx store.Tx) error { _, err := tx.Put(note, json.RawMessage(`{}`), 1); return err }, ""},
	"put what is new": {key("ada", "write"), func(tx store.Tx) error { _, err := tx.Put(note+"2", json.RawMessage(`{}`), 0); return err }, ""},
	"put a new message": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Put(team.Child("messages", "n"), json.RawMessage(`{"role":"user","content":"a"}`), 0)
		return err
	}, ""},
	"put a message that is there": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Put(team.Child("messages", "m"), json.RawMessage(`{"role":"user","content":"a"}`), 0)
		return err
	}, nestor.CodeForbidden},
	"put an old version":         {key("ada", "write"), func(tx store.Tx) error { _, err := tx.Put(note, json.RawMessage(`{}`), 2); return err }, nestor.CodeConflict},
	"put an old version, unseen": {key("zoe", "write"), func(tx store.Tx) error { _, err := tx.Put(note, json.RawMessage(`{}`), 2); return err }, nestor.CodeNotFound},
	"put what may be read only":  {session("ada"), func(tx store.Tx) error { _, err := tx.Put(note, json.RawMessage(`{}`), 1); return err }, nestor.CodeForbidden},
	"put a secret":               {local, func(tx store.Tx) error { _, err := tx.Put(secret, json.RawMessage(`{}`), 0); return err }, nestor.CodeNotFound},
	"patch":                      {session("ada"), func(tx store.Tx) error { _, err := tx.Patch(team, json.RawMessage(`{"title":"x"}`), 1); return err }, ""},
	"patch to nothing":           {session("ada"), func(tx store.Tx) error { _, err := tx.Patch(team, json.RawMessage(`{"title":null}`), 1); return err }, ""},
	"patch a field of the handlers": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Patch(team, json.RawMessage(`{"usage":{"inputTokens":0,"outputTokens":0}}`), 1)
		return err
	}, nestor.CodeForbidden},
	"patch deep in a field of people": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Patch(team, json.RawMessage(`{"budget":{"tokens":9}}`), 1)
		return err
	}, ""},
	"patch the account away": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Patch(team, json.RawMessage(`{"accountId":null}`), 1)
		return err
	}, nestor.CodeForbidden},
	"patch what is not there":      {session("ada"), func(tx store.Tx) error { _, err := tx.Patch(team+"2", json.RawMessage(`{}`), 0); return err }, nestor.CodeNotFound},
	"patch what is another's":      {session("vic"), func(tx store.Tx) error { _, err := tx.Patch(mine, json.RawMessage(`{}`), 0); return err }, nestor.CodeNotFound},
	"patch a secret":               {local, func(tx store.Tx) error { _, err := tx.Patch(secret, json.RawMessage(`{}`), 0); return err }, nestor.CodeNotFound},
	"delete":                       {session("ada"), func(tx store.Tx) error { return tx.Delete(team, 1) }, ""},
	"delete what may be read only": {session("vic"), func(tx store.Tx) error { return tx.Delete(team, 1) }, nestor.CodeForbidden},
	"delete what is another's":     {session("vic"), func(tx store.Tx) error { return tx.Delete(mine, 1) }, nestor.CodeNotFound},
	"delete a secret":              {local, func(tx store.Tx) error { return tx.Delete(secret, 1) }, nestor.CodeNotFound},
	"delete a user":                {local, func(tx store.Tx) error { return tx.Delete("users/ada", 1) }, nestor.CodeForbidden},
	"query a secret collection":    {local, func(tx store.Tx) error { _, err := tx.Query(store.Query{Collection: "secrets"}); return err }, nestor.CodeForbidden},
	"query below a secret": {local, func(tx store.Tx) error {
		_, err := tx.Query(store.Query{Collection: "secrets/access/keys"})
		return err
	}, nestor.CodeForbidden},
	"query no collection": {session("ada"), func(tx store.Tx) error { _, err := tx.Query(store.Query{Collection: "users/ada"}); return err }, nestor.CodeInvalid},
	"query nothing":       {session("ada"), func(tx store.Tx) error { _, err := tx.Query(store.Query{}); return err }, nestor.CodeInvalid},
	"query both": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Query(store.Query{Flat: "chats", Collection: "secrets"})
		return err
	}, nestor.CodeForbidden},
	"query with a made-up cursor": {session("ada"), func(tx store.Tx) error {
		_, err := tx.Query(store.Query{Flat: "chats", Cursor: "sealed:v1:AAAA"})
		return err
	}, nestor.CodeInvalid},
}

func TestWhatIsRefusedLeavesNothingBehind(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		body := json.RawMessage(`{"costMicros":1}`)
		err := guarded(t, s, e, session("ada"), func(tx store.Tx) error {
			_, create := tx.Create(team+"2", body)
			_, put := tx.Put(team+"3", body, store.AnyVersion)
			_, patch := tx.Patch(team, body, store.AnyVersion)
			for _, err := range []error{create, put, patch, tx.Delete(note, store.AnyVersion)} {
				if nestor.CodeOf(err) != nestor.CodeForbidden {
					return fmt.Errorf("it was not refused: %w", err)
				}
			}
			return nil // as one would who refuses some writes of many
		})
		if err != nil {
			t.Fatal(err)
		}
		if read(t, s, team+"2") != nil || read(t, s, team+"3") != nil || read(t, s, team).Version != 1 || read(t, s, note) == nil {
			t.Error("something was written")
		}
	})
}

func TestWhatMayNotBeReadAndWhatIsNotThereLookAlike(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		message := func(p nestor.Path) string {
			return guarded(t, s, e, session("vic"), func(tx store.Tx) error { _, err := tx.Get(p); return err }).Error()
		}
		if there, not := message(mine), message("users/ada/orch-chats/none"); there != strings.Replace(not, "none", "mine", 1) {
			t.Errorf("%q against %q", there, not)
		}
	})
}

func TestADeletedDocumentIsKnownToWhoCouldReadIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		if err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(note, store.AnyVersion) }); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			caller access.Caller
			want   bool
		}{{session("ada"), true}, {session("zoe"), false}} {
			err := guarded(t, s, e, c.caller, func(tx store.Tx) error {
				got, err := tx.Deleted(note)
				if got != c.want {
					t.Errorf("%s: %v", c.caller.UserID, got)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestACursorTellsNothingOfWhatIsHidden(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		docs := map[nestor.Path]string{}
		for i := range 2050 { // more than are looked at in one call
			docs[nestor.Path(fmt.Sprintf("things/t%05d", i))] = `{"word":"hidden"}`
		}
		docs["things/t99999"] = `{"word":"shown"}`
		save(t, s, docs)
		e, _ := newEngine(t, `{"rules":[{"id":"r","path":"things/{id}","operations":["read"],"condition":"resource.before.word == 'shown'"}]}`)
		q := store.Query{Collection: "things", OrderBy: []store.Order{{Field: "id"}, {Field: "word"}}, Limit: 10}
		found, calls := 0, 0
		for {
			var page store.Page
			err := s.View(t.Context(), func(r store.Reader) (err error) {
				page, err = e.Reader(r, anonymous).Query(q)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			found, calls = found+len(page.Items), calls+1
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
			if !strings.HasPrefix(q.Cursor, "sealed:") {
				t.Errorf("the cursor %s is open", q.Cursor)
			}
		}
		if found != 1 || calls != 2 {
			t.Errorf("found %d in %d calls", found, calls)
		}
	})
}
