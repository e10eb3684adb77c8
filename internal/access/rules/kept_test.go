package rules_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// carefree is a rules file that opens everything to everybody.
const carefree = `{"rules":[{"id":"all","path":"**","operations":["read","create","update","delete","act"],"condition":"true"}]}`

// ofAda is a document that a pattern of the server's own documents matches.
func ofAda(g nestor.Glob) nestor.Path {
	p := strings.TrimSuffix(strings.Replace(string(g), "*", "ada", 1), "/**")
	if strings.Count(p, "/")%2 == 0 {
		p += "/x"
	}
	return nestor.Path(p)
}

func TestNoRuleOpensWhatTheServerKeepsAboutPeople(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, carefree)
	whole := map[string]access.Caller{
		"a session": session("ada"), "an admin": admin(session("root")), "a key to write": key("ada", "write"),
		"an admin's key": admin(key("root", "admin")), "who runs the server": local,
	}
	some := map[string]access.Caller{
		"a key for everything of a user": key("ada", "admin", "users/**", "accounts/**"), "a webhook": webhook("ada", "users/ada"),
	}
	tried := 0
	for _, g := range access.Kept() {
		for _, p := range []nestor.Path{ofAda(g), ofAda(g).Child("parts", "x")} {
			if !g.Match(string(p)) {
				continue
			}
			for _, callers := range []map[string]access.Caller{whole, some} {
				for name, c := range callers {
					if !c.Reaches(p, access.ToRead, start) {
						continue // and so writes nothing there, either
					}
					got := outcomes(e.On(inMemory{}, c), p, `{"a":1}`)
					want := "yfffy"
					if _, bounded := some[name]; bounded && strings.HasPrefix(string(p), "users/") && strings.Count(string(p), "/") == 1 {
						want = "yffff"
					}
					if got != want {
						t.Errorf("%s on %s: %s, want %s", name, p, got, want)
					}
					tried++
				}
			}
		}
	}
	if tried < 6*len(access.Kept()) {
		t.Errorf("only %d were tried", tried)
	}
}

func TestWhatLiesAboveWhatTheServerKeepsIsKeptToo(t *testing.T) {
	t.Parallel()
	kept := func(p nestor.Path) bool { return !local.Reaches(p, access.ToWrite, start) }
	for _, g := range access.Kept() {
		for p := ofAda(g); p != ""; p = p.Parent() {
			if !kept(p) {
				t.Errorf("a delete of %s would delete what lies at %s", p, g)
			}
		}
	}
	if kept("users/ada/notes/n") || kept("users/ada/orch-chats/c") || kept("accounts/acme/notes/n") || kept("things/t") {
		t.Error("what is people's own is not theirs to write")
	}
}

func TestTheDocumentationNamesWhatTheServerKeeps(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range access.Kept() {
		if !strings.Contains(string(text), "`"+string(g)+"`") {
			t.Errorf("docs/access.md does not name %s", g)
		}
	}
}

// A credential for some documents deletes no others along with them.
func TestADeleteReachesNoFurtherThanTheCredential(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		save(t, s, map[nestor.Path]string{
			note.Child("comments", "c"): `{}`, note.Child("comments", "c").Child("votes", "v"): `{}`, "users/ada/notes/leaf": `{}`,
		})
		e, _ := newEngine(t, "")
		for name, tt := range map[string]struct {
			caller access.Caller
			path   nestor.Path
			want   nestor.Code
		}{
			"a key for notes and not what lies below":   {key("ada", "write", "users/ada/notes/*"), note, nestor.CodeForbidden},
			"a key for notes and comments, not votes":   {key("ada", "write", "users/ada/notes/*", "users/ada/notes/*/comments/*"), note, nestor.CodeForbidden},
			"an admin's key for notes":                  {key("ada", "admin", "users/ada/notes/*"), note, nestor.CodeForbidden},
			"a key for notes on one with nothing below": {key("ada", "write", "users/ada/notes/*"), "users/ada/notes/leaf", ""},
			"a key for notes and all below":             {key("ada", "write", "users/ada/notes/**"), note, ""},
			"a key for all":                             {key("ada", "write"), note, ""},
			"a key for chats and not what lies below":   {key("ada", "write", "users/ada/orch-chats/*"), team, nestor.CodeForbidden},
			"a webhook of the note":                     {webhook("ada", note), note, ""},
		} {
			err := guarded(t, s, e, tt.caller, func(tx store.Tx) error {
				d, err := tx.Get(tt.path)
				if err != nil {
					return err
				}
				if err := tx.Delete(tt.path, d.Version); err != nil {
					return err
				}
				return errUndone
			})
			if tt.want == "" {
				tt.want = nestor.CodeOf(errUndone)
			}
			if nestor.CodeOf(err) != tt.want {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
			if read(t, s, note.Child("comments", "c").Child("votes", "v")) == nil {
				t.Fatalf("%s deleted what lies below", name)
			}
			if tt.path == team && nestor.CodeOf(mayDelete(t, s, e, tt.caller, team)) != nestor.CodeForbidden {
				t.Errorf("%s may delete it, as it seems", name)
			}
		}
	})
}

var errUndone = nestor.Errorf(nestor.CodeUnavailable, "undone")

func mayDelete(t *testing.T, s store.Store, e *rules.Engine, c access.Caller, p nestor.Path) (refused error) {
	t.Helper()
	err := s.Update(t.Context(), func(tx store.Tx) error {
		d, err := tx.Get(p)
		if err == nil {
			refused = e.MayDelete(tx, c, d)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return refused
}

func TestAGuardedTransactionShowsBelowWhatTheCallerMayRead(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		for name, tt := range map[string]struct {
			caller access.Caller
			want   int
		}{
			"the chat's user": {session("ada"), 5}, "a viewer": {session("vic"), 5}, "a stranger": {session("zoe"), 0},
			"a key for tasks": {key("ada", "read", "users/ada/orch-chats/*/tasks/*"), 1},
		} {
			err := guarded(t, s, e, tt.caller, func(tx store.Tx) error {
				found, err := tx.Below(team)
				if err == nil && len(found) != tt.want {
					t.Errorf("%s sees %d documents below the chat, want %d", name, len(found), tt.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A key gets no list of documents that it cannot reach, as if it were a
// stranger's.
func TestAKeyListsOnlyWhereItsScopesLead(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		save(t, s, household)
		e, _ := newEngine(t, "")
		c := key("ada", "read", "users/ada/notes/*", "users/ada/orch-chats/*/tasks/**")
		for _, tt := range []struct {
			q    store.Query
			want nestor.Code
			hits int
		}{
			{store.Query{Collection: "users/ada/notes"}, "", 1},
			{store.Query{Collection: "users/ada/keys"}, nestor.CodeForbidden, 0},
			{store.Query{Collection: "users/ada/model-connections"}, nestor.CodeForbidden, 0},
			{store.Query{Collection: "users/ada/notes/n/comments"}, nestor.CodeForbidden, 0},
			{store.Query{Collection: "users"}, nestor.CodeForbidden, 0},
			{store.Query{Flat: "tasks"}, "", 1},
			{store.Query{Flat: "chats"}, nestor.CodeForbidden, 0},
			{store.Query{Flat: "messages"}, nestor.CodeForbidden, 0},
		} {
			err := guarded(t, s, e, c, func(tx store.Tx) error {
				page, err := tx.Query(tt.q)
				if len(page.Items) != tt.hits {
					text, _ := json.Marshal(page.Items)
					t.Errorf("%+v: %s", tt.q, text)
				}
				return err
			})
			if nestor.CodeOf(err) != tt.want {
				t.Errorf("%+v: %v, want %q", tt.q, err, tt.want)
			}
		}
	})
}
