package httpapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// bounded are keys for some documents, and at last one for all.
func (w *world) bounded() []caller {
	w.Helper()
	asAdmin := []string{inAccount, ofKeys, ofUsers}
	return []caller{
		{"a key to read notes", "olga", w.apiKey("olga", access.ScopeRead, "users/olga/notes/**"), []string{inNotes, ofOlga}},
		{"a key to write notes and nothing below", "olga", w.apiKey("olga", access.ScopeWrite, "users/olga/notes/*"), []string{inNotes}},
		{"a key for a chat", "olga", w.apiKey("olga", access.ScopeWrite, "users/olga/orch-chats/c1/**"), []string{inSharedChat}},
		{"an admin's key for notes", "amy", w.apiKey("amy", access.ScopeAdmin, "users/amy/notes/**"), nil},
		{"an admin's key for all users", "amy", w.apiKey("amy", access.ScopeAdmin, "users/**", "accounts/**"), asAdmin},
		{"an admin's key", "amy", w.apiKey("amy", access.ScopeAdmin), asAdmin},
	}
}

func TestAKeyDoesNothingBeyondItsScopes(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		keys := w.bounded()
		for _, r := range requests {
			for i, want := range strings.Fields(r.keys) {
				if status := w.try(r, keys[i]); status != want {
					t.Errorf("%s %s as %s: %s, want %s", r.pattern, r.path, keys[i].name, status, want)
				}
			}
		}
	})
}

// A list holds what the scopes reach, and the environment's model is no document.
func TestAKeyListsTheModelsOfItsScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	w.write("users/olga/model-connections/m2", `{"name":"two","accessFormat":"demo","modelId":"demo"}`)
	one := w.apiKey("olga", access.ScopeRead, "users/olga/model-connections/m2")
	if _, text := w.call("GET", "/models", "", "Authorization", one); strings.Count(text, `"accessFormat"`) != 1 || !strings.Contains(text, `"two"`) {
		t.Errorf("the key lists %s", text)
	}
	if _, text := w.call("GET", "/models", "", "Authorization", w.session("olga")); strings.Count(text, `"accessFormat"`) != 3 {
		t.Errorf("a session lists %s", text)
	}
}

// An act that makes a document with an id of its own stays within the scopes, too.
func TestAKeyForOneDocumentMakesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	for _, tt := range []struct{ path, body, scope string }{
		{"/accounts/team/projects", `{"name":"x"}`, "accounts/team/projects/new"},
		{"/chats/c1/tasks", `{"name":"agent:x","instruction":"x"}`, "users/olga/orch-chats/c1"},
		{"/chats/c1/messages", `{"content":"x"}`, "users/olga/orch-chats/c1"},
	} {
		as := []string{"Authorization", w.apiKey("olga", access.ScopeWrite, tt.scope)}
		mark := w.mark()
		if status, text := w.call("POST", tt.path, tt.body, as...); status != 403 && status != 404 {
			t.Errorf("%s with a key for %s: %d %s", tt.path, tt.scope, status, text)
		}
		if changes := w.changesAfter(mark); len(changes) > 1 || len(changes) == 1 && changes[0] != "update documents" { // that the key was used
			t.Errorf("%s wrote %v", tt.path, changes)
		}
	}
	w.want(201, "POST", "/accounts/team/projects", `{"name":"x"}`, "", "Authorization", w.apiKey("olga", access.ScopeWrite, "accounts/team/projects/*"))
}

// The operator's leave is for commands: no request is the operator's.
func TestNoRouteActsAsTheOperator(t *testing.T) {
	t.Parallel()
	var files []string
	for folder, atLeast := range map[string]int{".": 20, "*": 10, "../account/sharing": 3} {
		found, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(found) < atLeast {
			t.Fatal(folder, len(found), err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") && strings.Contains(string(text), "AsOperator") {
			t.Errorf("%s does", name)
		}
	}
}
