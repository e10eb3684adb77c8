package httpapi_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
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

// scoped is one request at least for every route, and the statuses that the keys
// get, in their order. The last key may do what the others may not, as far as
// amy may.
var scoped = []row{
	//                                                                     reads notes, writes notes, a chat, admin for notes, for users, for all
	{"GET " + inChat, "/chats/c1?user=olga", "", "404 404 200 404 404 404"},
	{"PATCH " + inChat, "/chats/c1?user=olga", `{"title":"x"}`, "404 404 200 404 404 404"},
	{"DELETE " + inChat, "/chats/c1?user=olga", "", "404 404 204 404 404 404"},
	{"GET /api/v1/chats", "/chats?user=olga", "", "403 403 200 403 403 403"},
	{"GET /api/v1/chats", "/chats", "", "403 403 200 403 200 200"},
	{"POST /api/v1/chats", "/chats?user=olga", `{}`, "404 404 404 404 404 404"},
	{"POST /api/v1/chats", "/chats", `{}`, "404 404 404 404 201 201"},
	{"POST " + inChat + "/messages", "/chats/c1/messages?user=olga", `{"content":"x"}`, "404 404 201 404 404 404"},
	{"GET " + inChat + "/messages", "/chats/c1/messages?user=olga", "", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks", "/chats/c1/tasks?user=olga", `{"name":"agent:x","instruction":"x"}`, "404 404 201 404 404 404"},
	{"GET " + inChat + "/tasks", "/chats/c1/tasks?user=olga", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents", "/chats/c1/sub-agents?user=olga", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents/{agent}/messages", "/chats/c1/sub-agents/a1/messages?user=olga", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents/{agent}/tool-calls", "/chats/c1/sub-agents/a1/tool-calls?user=olga", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&snapshot=1", "", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&from=1", "", "404 404 200 404 404 404"},
	{"GET /api/v1/stream", "/stream?path=users/olga/orch-chats/c1/**", "", "403 403 200 403 403 403"},
	{"GET /api/v1/stream", "/stream?path=users/olga/**", "", "200 200 200 403 403 403"},
	{"GET /api/v1/stream", "/stream", "", "200 200 200 200 200 200"},
	{"POST " + inChat + "/stop", "/chats/c1/stop?user=olga", "", "404 404 204 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/cancel", "/chats/c1/tasks/t1/cancel?user=olga", "", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/pause", "/chats/c1/tasks/t1/pause?user=olga", "", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/resume", "/chats/c1/tasks/t1/resume?user=olga", "", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/retry", "/chats/c1/tasks/t1/retry?user=olga", "", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/messages", "/chats/c1/tasks/t1/messages?user=olga", `{"content":"x"}`, "404 404 201 404 404 404"},
	{"POST " + inChat + "/sub-agents/{agent}/tool-calls/{call}/decision", "/chats/c1/sub-agents/a1/tool-calls/k1/decision?user=olga", `{"action":"deny"}`, "404 404 200 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1", "", "404 404 200 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "200 200 404 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/secrets/olga/model-connections/m1", "", "404 404 404 404 404 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "403 200 404 404 404 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga", `{"admin":true}`, "404 404 404 404 403 403"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1/messages/m9", `{"role":"assistant","content":"x"}`, "404 404 201 404 404 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "403 200 404 404 404 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/accounts/team", `{"members":{"otto":"owner"}}`, "404 404 404 404 403 403"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "403 403 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"put","path":"users/olga/notes/n1","body":{}}]}`, "403 200 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"put","path":"users/olga/notes/n1","body":{}},{"op":"put","path":"users/olga/notes/n1/comments/c1","body":{}}]}`, "403 404 404 404 404 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/messages/m8", `{"text":"x"}`, "404 404 204 404 404 404"},
	{"POST /api/v1/query", "/query", `{"flat":"messages"}`, "403 403 200 403 200 200"},
	{"POST /api/v1/query", "/query", `{"flat":"chats"}`, "403 403 200 403 200 200"},
	{"POST /api/v1/query", "/query", `{"collection":"users/olga/notes"}`, "200 200 403 403 403 403"},
	{"POST /api/v1/query", "/query", `{"collection":"users"}`, "403 403 403 403 200 200"},
	{"POST /api/v1/query", "/query", `{"collection":"secrets/access/passwords"}`, "403 403 403 403 403 403"},
	{"GET /api/v1/schemas", "/schemas", "", "200 200 200 200 200 200"},
	{"GET /api/v1/triggers", "/triggers", "", "403 403 403 403 403 200"},
	{"PATCH /api/v1/triggers/{id}", "/triggers/on-new-task", `{"enabled":true}`, "403 403 403 403 403 200"},
	{"GET /api/v1/jobs", "/jobs", "", "403 403 403 403 403 200"},
	{"POST /api/v1/jobs/{id}/retry", "/jobs/x1/retry", "", "403 403 403 403 403 202"},
	{"GET /api/v1/tools", "/tools", "", "403 403 403 403 403 200"},
	{"POST /api/v1/tools/{name}/call", "/tools/calculator/call", `{"arguments":{"expression":"1"}}`, "403 403 403 403 403 200"},
	{"GET /api/v1/models", "/models", "", "403 403 403 403 200 200"},
	{"PUT /api/v1/models/{id}", "/models/m1", `{"accessFormat":"demo"}`, "404 404 404 404 200 200"},
	{"POST /api/v1/models/{id}/test", "/models/m1/test", "", "404 404 404 404 200 200"},
	{"GET /api/v1/models/{id}/models", "/models/m1/models", "", "404 404 404 404 200 200"},
	{"DELETE /api/v1/models/{id}", "/models/m1", "", "404 404 404 404 204 204"},
	{"GET /api/v1/me", "/me", "", "200 200 200 200 200 200"},
	{"PUT /api/v1/me/password", "/me/password", `{"current":"a wrong one","password":"another password"}`, "404 404 404 404 403 403"},
	{"GET /api/v1/sessions", "/sessions?user=olga", "", "403 403 403 403 200 200"},
	{"GET /api/v1/sessions", "/sessions", "", "403 403 403 403 200 200"},
	{"DELETE /api/v1/sessions/{id}", "/sessions/spare?user=olga", "", "404 404 404 404 204 204"},
	{"DELETE /api/v1/sessions/{id}", "/sessions/spare", "", "404 404 404 404 404 404"},
	{"GET /api/v1/keys", "/keys?user=olga", "", "403 403 403 403 200 200"},
	{"GET /api/v1/keys", "/keys", "", "403 403 403 403 200 200"},
	{"POST /api/v1/keys", "/keys?user=olga", `{"name":"new","scopes":["read"]}`, "404 404 404 404 403 403"},
	{"POST /api/v1/keys", "/keys", `{"name":"new","scopes":["read"]}`, "404 404 404 404 403 201"},
	{"DELETE /api/v1/keys/{id}", "/keys/spare?user=olga", "", "404 404 404 404 204 204"},
	{"DELETE /api/v1/keys/{id}", "/keys/spare", "", "404 404 404 404 404 404"},
	{"GET /api/v1/users", "/users", "", "403 403 403 403 403 200"},
	{"POST /api/v1/users", "/users", `{"id":"new","password":"another password"}`, "403 403 403 403 403 201"},
	{"PATCH /api/v1/users/{id}", "/users/olga", `{"disabled":false,"admin":false}`, "403 403 403 403 403 200"},
	{"DELETE /api/v1/users/{id}", "/users/gone", "", "403 403 403 403 403 204"},
	{"GET /api/v1/usage", "/usage?user=olga&from=2026-01-01&to=2026-01-02", "", "403 403 403 403 403 403"},
	{"GET /api/v1/usage", "/usage?from=2026-01-01&to=2026-01-02", "", "403 403 403 403 200 200"},
	{"GET /api/v1/accounts", "/accounts", "", "403 403 403 403 200 200"},
	{"POST /api/v1/accounts", "/accounts", `{"name":"x"}`, "404 404 404 404 403 201"},
	{"GET /api/v1/accounts/{account}", "/accounts/team", "", "404 404 404 404 200 200"},
	{"PUT /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/new", `{"role":"viewer"}`, "404 404 404 404 403 403"},
	{"DELETE /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/spare", "", "404 404 404 404 403 403"},
	{"GET /api/v1/accounts/{account}/invitations", "/accounts/team/invitations", "", "404 404 404 404 404 404"},
	{"DELETE /api/v1/accounts/{account}/invitations/{user}", "/accounts/team/invitations/new", "", "404 404 404 404 403 403"},
	{"GET /api/v1/invitations", "/invitations", "", "403 403 403 403 403 200"},
	{"POST /api/v1/invitations/{account}/accept", "/invitations/team/accept", "", "404 404 404 404 404 404"},
	{"DELETE /api/v1/invitations/{account}", "/invitations/team", "", "404 404 404 404 404 404"},
	{"PATCH /api/v1/accounts/{account}", "/accounts/team", `{"budget":{"tokens":5}}`, "404 404 404 404 403 403"},
	{"GET /api/v1/accounts/{account}/projects", "/accounts/team/projects", "", "404 404 404 404 404 404"},
	{"POST /api/v1/accounts/{account}/projects", "/accounts/team/projects", `{"name":"x"}`, "404 404 404 404 404 404"},
	{"PATCH /api/v1/projects/{project}", "/projects/team.p", `{"name":"x"}`, "404 404 404 404 404 404"},
	{"DELETE /api/v1/projects/{project}", "/projects/team.spare", "", "404 404 404 404 404 404"},
	{"GET /api/v1/projects/{project}/chats", "/projects/team.p/chats", "", "404 404 404 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/chats/pull?userId=olga", "", "403 403 200 403 403 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/tasks/pull?userId=olga", "", "403 403 200 403 403 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c1", "", "403 403 200 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c3", "", "403 403 403 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/sub_agent_messages/pull?userId=olga&chatId=c1&subAgentId=a1", "", "403 403 200 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/documents/pull?collection=users/olga/notes", "", "200 200 403 403 403 403"},
	{"POST /api/v1/replication/{flat}/push", "/replication/messages/push", pushed, "200 200 200 200 200 200"},
	{"GET /api/v1/replication/{flat}/stream", "/replication/messages/stream?userId=olga&chatId=c1", "", "200 200 200 200 200 200"},
	{"GET /api/v1/replication/stream", "/replication/stream?userId=olga&scope=chats", "", "200 200 200 200 200 200"},
	{"GET /api/v1/replication/schemas", "/replication/schemas", "", "200 200 200 200 200 200"},
	{"/api/", "/nothing", "", "404 404 404 404 404 404"},
	{"POST /api/v1/users", "/users", `{"id":"new2","admin":true,"password":"another password"}`, "403 403 403 403 403 201"},
	{"PATCH /api/v1/users/{id}", "/users/amy", `{"password":"another password"}`, "403 403 403 403 403 200"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n2", "", "403 204 404 404 404 404"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n1/comments/c1", "", "403 404 404 404 404 404"},
}

func TestEveryRouteIsInTheTableOfScopes(t *testing.T) {
	t.Parallel()
	for _, p := range httpapi.Patterns() {
		isIt := func(r row) bool { return r.pattern == p }
		if !slices.ContainsFunc(scoped, isIt) && !slices.ContainsFunc(open, isIt) {
			t.Errorf("the table of scopes does not know %s", p)
		}
	}
}

func TestEveryRouteSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	for _, p := range httpapi.Patterns() {
		isIt := func(r row) bool { return r.pattern == p }
		switch needs := httpapi.Needs(p); {
		case needs == "":
			t.Errorf("%s does not say what it needs", p)
		case (needs == "nothing") != slices.ContainsFunc(open, isIt):
			t.Errorf("%s needs %s", p, needs)
		}
	}
}

func TestAKeyDoesNothingBeyondItsScopes(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		keys := w.bounded()
		for _, r := range scoped {
			for i, want := range strings.Fields(r.want) {
				w.write("users/amy/model-connections/m1", `{"name":"mine","accessFormat":"demo","modelId":"demo","data":{"instant":true}}`,
					"users/olga/notes/n2", `{}`)
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

// Leave of the operator is for commands: no request is the operator's.
func TestNoRouteActsAsTheOperator(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
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
