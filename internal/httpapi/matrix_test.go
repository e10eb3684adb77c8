package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// row is one request and the statuses that the callers of the world get, in
// their order. It is about what is olga's, whoever asks.
type row struct {
	pattern, path, body string
	want                string
}

const inChat = "/api/v1/chats/{chat}"

var matrix = []row{
	//                                                                                       other viewer member owner admin reader writer webhook
	{"GET " + inChat, "/chats/c1?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"PATCH " + inChat, "/chats/c1?user=olga", `{"title":"x"}`, "404 403 403 200 404 403 200 404"},
	{"DELETE " + inChat, "/chats/c1?user=olga", "", "404 403 403 204 404 403 204 404"},
	{"GET /api/v1/chats", "/chats?user=olga", "", "403 200 200 200 403 200 200 403"},
	{"GET /api/v1/chats", "/chats", "", "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/chats", "/chats?user=olga", `{}`, "404 404 404 201 404 403 201 404"},
	{"POST " + inChat + "/messages", "/chats/c1/messages?user=olga", `{"content":"x"}`, "404 403 201 201 404 403 201 404"},
	{"GET " + inChat + "/messages", "/chats/c1/messages?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"POST " + inChat + "/tasks", "/chats/c1/tasks?user=olga", `{"name":"agent:x","instruction":"x"}`, "404 403 201 201 404 403 201 404"},
	{"GET " + inChat + "/tasks", "/chats/c1/tasks?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/sub-agents", "/chats/c1/sub-agents?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/sub-agents/{agent}/messages", "/chats/c1/sub-agents/a1/messages?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/sub-agents/{agent}/tool-calls", "/chats/c1/sub-agents/a1/tool-calls?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&snapshot=1", "", "404 200 200 200 404 200 200 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&from=1", "", "404 200 200 200 404 200 200 404"},
	{"GET /api/v1/stream", "/stream?path=users/olga/orch-chats/c1/**", "", "403 200 200 200 403 200 200 403"},
	{"GET /api/v1/stream", "/stream?path=users/olga/**", "", "403 403 403 200 403 200 200 403"},
	{"GET /api/v1/stream", "/stream", "", "200 200 200 200 200 200 200 200"},
	{"POST " + inChat + "/stop", "/chats/c1/stop?user=olga", "", "404 403 204 204 404 403 204 404"},
	{"POST " + inChat + "/tasks/{task}/cancel", "/chats/c1/tasks/t1/cancel?user=olga", "", "404 403 200 200 404 403 200 404"},
	{"POST " + inChat + "/tasks/{task}/pause", "/chats/c1/tasks/t1/pause?user=olga", "", "404 403 200 200 404 403 200 404"},
	{"POST " + inChat + "/tasks/{task}/resume", "/chats/c1/tasks/t1/resume?user=olga", "", "404 403 200 200 404 403 200 404"},
	{"POST " + inChat + "/tasks/{task}/retry", "/chats/c1/tasks/t1/retry?user=olga", "", "404 403 200 200 404 403 200 404"},
	{"POST " + inChat + "/tasks/{task}/messages", "/chats/c1/tasks/t1/messages?user=olga", `{"content":"x"}`, "404 403 201 201 404 403 201 404"},
	{
		"POST " + inChat + "/sub-agents/{agent}/tool-calls/{call}/decision", "/chats/c1/sub-agents/a1/tool-calls/k1/decision?user=olga",
		`{"action":"deny"}`, "404 403 200 200 404 403 200 404",
	},

	{"GET /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1", "", "404 200 200 200 404 200 200 404"},
	{"GET /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "404 404 404 200 404 200 200 404"},
	{"GET /api/v1/docs/{path...}", "/docs/secrets/olga/model-connections/m1", "", "404 404 404 404 404 404 404 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "404 404 404 403 404 403 200 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga", `{"admin":true}`, "404 404 404 403 403 403 403 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1/messages/m9", `{"role":"assistant","content":"x"}`, "404 403 403 403 404 403 201 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "404 404 404 403 404 403 200 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/accounts/team", `{"members":{"otto":"owner"}}`, "404 403 403 403 403 403 403 404"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "404 404 404 403 404 403 204 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"put","path":"users/olga/notes/n1","body":{}}]}`, "404 404 404 403 404 403 200 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"delete","path":"users/olga/notes/n1"}]}`, "404 404 404 403 404 403 200 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"create","path":"users/olga/orch-chats/c1/messages/m10","body":{"role":"user","content":"x"}}]}`, "404 403 200 409 404 409 409 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/messages/m8", `{"text":"x"}`, "404 403 403 403 404 403 204 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/sub-agents/a1/messages/x8", `{"text":"x"}`, "404 403 403 403 404 403 204 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/messages/m1", `{"text":"x"}`, "404 403 403 403 404 403 409 404"},
	{"POST /api/v1/query", "/query", `{"flat":"messages"}`, "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/query", "/query", `{"flat":"chats"}`, "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/query", "/query", `{"collection":"users/olga/notes"}`, "403 403 403 200 403 200 200 403"},
	{"POST /api/v1/query", "/query", `{"collection":"users"}`, "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/query", "/query", `{"collection":"secrets/access/passwords"}`, "403 403 403 403 403 403 403 403"},
	{"GET /api/v1/schemas", "/schemas", "", "200 200 200 200 200 200 200 200"},

	{"GET /api/v1/triggers", "/triggers", "", "403 403 403 403 200 403 403 403"},
	{"PATCH /api/v1/triggers/{id}", "/triggers/on-new-task", `{"enabled":true}`, "403 403 403 403 200 403 403 403"},
	{"GET /api/v1/jobs", "/jobs", "", "403 403 403 403 200 403 403 403"},
	{"POST /api/v1/jobs/{id}/retry", "/jobs/x1/retry", "", "403 403 403 403 202 403 403 403"},
	{"GET /api/v1/tools", "/tools", "", "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/tools/{name}/call", "/tools/calculator/call", `{"arguments":{"expression":"1"}}`, "403 403 403 403 200 403 403 403"},
	{"GET /api/v1/models", "/models", "", "200 200 200 200 200 200 200 403"},
	{"PUT /api/v1/models/{id}", "/models/m1", `{"accessFormat":"demo"}`, "201 201 201 200 201 403 200 404"},
	{
		"PUT /api/v1/models/{id}", "/models/m2", `{"accessFormat":"openai","modelId":"m","baseUrl":"http://127.0.0.1:1/v1"}`,
		"403 403 403 403 201 403 403 404",
	},
	{"POST /api/v1/models/{id}/test", "/models/none/test", "", "404 404 404 404 404 403 404 404"},
	{"GET /api/v1/models/{id}/models", "/models/none/models", "", "404 404 404 404 404 403 404 404"},
	{"DELETE /api/v1/models/{id}", "/models/m1", "", "204 204 204 204 204 403 204 404"},

	{"GET /api/v1/me", "/me", "", "200 200 200 200 200 200 200 200"},
	{"PUT /api/v1/me/password", "/me/password", `{"current":"a wrong one","password":"another password"}`, "403 403 403 403 403 403 403 404"},
	{"GET /api/v1/sessions", "/sessions?user=olga", "", "403 403 403 200 200 200 200 403"},
	{"DELETE /api/v1/sessions/{id}", "/sessions/spare?user=olga", "", "404 404 404 204 204 403 403 404"},
	{"GET /api/v1/keys", "/keys?user=olga", "", "403 403 403 200 200 200 200 403"},
	{"POST /api/v1/keys", "/keys?user=olga", `{"name":"new","scopes":["read"]}`, "404 404 404 201 403 403 403 404"},
	{"DELETE /api/v1/keys/{id}", "/keys/spare?user=olga", "", "404 404 404 204 204 403 403 404"},
	{"GET /api/v1/users", "/users", "", "403 403 403 403 200 403 403 403"},
	{"POST /api/v1/users", "/users", `{"id":"new","password":"another password"}`, "403 403 403 403 201 403 403 403"},
	{"PATCH /api/v1/users/{id}", "/users/olga", `{"disabled":false,"admin":false}`, "403 403 403 403 200 403 403 403"},
	{"DELETE /api/v1/users/{id}", "/users/gone", "", "403 403 403 403 204 403 403 403"},
	{"GET /api/v1/usage", "/usage?user=olga&from=2026-01-01&to=2026-01-02", "", "403 403 403 200 403 200 200 403"},

	{"GET /api/v1/accounts", "/accounts", "", "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/accounts", "/accounts", `{"name":"x"}`, "201 201 201 201 201 403 403 404"},
	{"GET /api/v1/accounts/{account}", "/accounts/team", "", "404 200 200 200 200 200 200 404"},
	{"PUT /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/new", `{"role":"viewer"}`, "404 403 403 202 403 403 202 404"},
	{"PUT /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/spare", `{"role":"member"}`, "404 403 403 200 403 403 200 404"},
	{"GET /api/v1/accounts/{account}/invitations", "/accounts/team/invitations", "", "404 200 200 200 404 200 200 404"},
	{"DELETE /api/v1/accounts/{account}/invitations/{user}", "/accounts/team/invitations/guest", "", "404 403 403 204 403 403 204 404"},
	{"GET /api/v1/invitations", "/invitations", "", "200 200 200 200 200 200 200 403"},
	{"POST /api/v1/invitations/{account}/accept", "/invitations/team/accept", "", "404 404 404 404 404 403 404 404"},
	{"DELETE /api/v1/invitations/{account}", "/invitations/team", "", "404 404 404 404 404 403 404 404"},
	{"DELETE /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/spare", "", "404 403 403 204 403 403 204 404"},
	{"PATCH /api/v1/accounts/{account}", "/accounts/team", `{"budget":{"tokens":5}}`, "404 403 403 200 403 403 200 404"},
	{"GET /api/v1/accounts/{account}/projects", "/accounts/team/projects", "", "404 200 200 200 404 200 200 404"},
	{"POST /api/v1/accounts/{account}/projects", "/accounts/team/projects", `{"name":"x"}`, "404 403 201 201 404 403 201 404"},
	{"PATCH /api/v1/projects/{project}", "/projects/team.p", `{"name":"x"}`, "404 403 200 200 404 403 200 404"},
	{"DELETE /api/v1/projects/{project}", "/projects/team.spare", "", "404 403 204 204 404 403 204 404"},
	{"GET /api/v1/projects/{project}/chats", "/projects/team.p/chats", "", "404 200 200 200 404 200 200 404"},

	{"GET /api/v1/replication/{flat}/pull", "/replication/chats/pull?userId=olga", "", "403 200 200 200 403 200 200 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/tasks/pull?userId=olga", "", "403 200 200 200 403 200 200 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c1", "", "404 200 200 200 404 200 200 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c3", "", "404 404 404 200 404 200 200 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/sub_agent_messages/pull?userId=olga&chatId=c1&subAgentId=a1", "", "404 200 200 200 404 200 200 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/documents/pull?collection=users/olga/notes", "", "403 403 403 200 403 200 200 403"},
	{"POST /api/v1/replication/{flat}/push", "/replication/messages/push", pushed, "200 200 200 200 200 200 200 200"},
	{"GET /api/v1/replication/{flat}/stream", "/replication/messages/stream?userId=olga&chatId=c1", "", "200 200 200 200 200 200 200 200"},
	{"GET /api/v1/replication/stream", "/replication/stream?userId=olga&scope=chats", "", "200 200 200 200 200 200 200 200"},
	{"GET /api/v1/replication/schemas", "/replication/schemas", "", "200 200 200 200 200 200 200 200"},

	{"/api/", "/nothing", "", "404 404 404 404 404 404 404 404"},
}

// open are the routes that do not ask who calls, and what nobody gets.
var open = []row{
	{"POST /api/v1/login", "/login", `{"login":"olga","password":"a wrong one"}`, "401"},
	{"POST /api/v1/refresh", "/refresh", "", "401"},
	{"POST /api/v1/logout", "/logout", "", "204"},
	{"GET /api/v1/openapi.json", "/openapi.json", "", "200"},
}

// pushed writes into a chat of olga's and assumes a master that is not there.
const pushed = `[{"newDocumentState":{"id":"m1","userId":"olga","chatId":"c1","role":"user","type":"text","content":"x"},
	"assumedMasterState":{"id":"m1","userId":"olga","chatId":"c1","role":"user","type":"text","content":"guessed"}}]`

func TestEveryRouteIsInTheMatrix(t *testing.T) {
	t.Parallel()
	var known []string
	for _, r := range slices.Concat(matrix, open) {
		known = append(known, r.pattern)
	}
	slices.Sort(known)
	if known = slices.Compact(known); !slices.Equal(known, httpapi.Patterns()) {
		for _, p := range httpapi.Patterns() {
			if !slices.Contains(known, p) {
				t.Errorf("the access matrix does not know %s", p)
			}
		}
		t.Errorf("the matrix has %d routes, the API %d", len(known), len(httpapi.Patterns()))
	}
}

func TestNobodyGetsWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for _, r := range matrix {
			want := strings.Fields(r.want)
			for i, c := range w.callers {
				if status := w.try(r, c); status != want[i] {
					t.Errorf("%s %s as %s: %s, want %s", r.pattern, r.path, c.name, status, want[i])
				}
			}
			for _, c := range w.nobodies {
				if status := w.try(r, c); status != "401" {
					t.Errorf("%s %s as %s: %s, want 401", r.pattern, r.path, c.name, status)
				}
			}
		}
	})
}

func TestRoutesBeforeALoginTellNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	for _, r := range open {
		if status := w.try(r, w.nobodies[0]); status != r.want {
			t.Errorf("%s: %s, want %s", r.pattern, status, r.want)
		}
	}
}

// Metrics are no route of the API, and for who runs the server alone.
func TestMetricsAreForTheMachineAndForAdministrators(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		get := func(from, host, bearer string, header ...string) (int, string) {
			r := httptest.NewRequest("GET", "http://"+host+"/metrics", nil)
			r.RemoteAddr = from
			if bearer != "" {
				r.Header.Set("Authorization", bearer)
			}
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			// The address that the connection came in on is a name of the server.
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80})))
			res := httptest.NewRecorder()
			w.server.Config.Handler.ServeHTTP(res, r)
			return res.Code, res.Body.String()
		}
		const near, far = "127.0.0.1:5000", "192.0.2.7:5000"
		callers := slices.Concat(w.callers, w.nobodies, []caller{
			{"an admin's key that may read", "amy", w.apiKey("amy", access.ScopeRead), nil},
			{"an admin's key", "amy", w.apiKey("amy", access.ScopeAdmin), nil},
			{"an admin's key for notes", "amy", w.apiKey("amy", access.ScopeAdmin, "users/amy/notes/**"), nil},
			{"who runs the server", "local", "Bearer " + token, nil},
		})
		want := strings.Fields("403 403 403 403 200 403 403 403 401 401 401 401 401 403 200 403 200")
		for i, c := range callers {
			status, text := get(far, "192.0.2.1", c.bearer)
			if fmt.Sprint(status) != want[i] || (status == 200) != strings.Contains(text, "nestor_") {
				t.Errorf("as %s: %d %s, want %s", c.name, status, text, want[i])
			}
		}
		if status, _ := get(near, "127.0.0.1:8787", ""); status != 200 {
			t.Errorf("a program on the machine gets %d", status)
		}
		if status, _ := get("[::1]:5000", "localhost", ""); status != 200 {
			t.Errorf("over IPv6: %d", status)
		}
		for name, header := range map[string][]string{
			"a proxy that says for whom": {"X-Forwarded-For", "198.51.100.1"}, "another": {"Forwarded", "for=198.51.100.1"}, "a third": {"Via", "1.1 proxy"},
		} {
			if status, text := get(near, "127.0.0.1", "", header...); status != 401 {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		if status, text := get(near, "192.0.2.1", ""); status != 401 {
			t.Errorf("a proxy that keeps the name: %d %s", status, text)
		}
		if status, text := get(near, "evil.example", ""); status != 403 {
			t.Errorf("a name that is not the server's: %d %s", status, text)
		}
	})
}

// try sends a request as somebody and checks that the answer holds nothing that
// they may not see. What it changed is put back.
func (w *world) try(r row, c caller) (status string) {
	w.Helper()
	method, _, found := strings.Cut(r.pattern, " ")
	if !found {
		method = "GET"
	}
	// From another address each time: guesses at the token have to wait.
	res := w.request(method, r.path, r.body, "Authorization", c.bearer, "X-Forwarded-For", w.elsewhere())
	defer res.Body.Close()
	var text string
	if res.Header.Get("Content-Type") == "text/event-stream" {
		b := make([]byte, 64<<10)
		n, _ := res.Body.Read(b) // what it begins with
		text = string(b[:n])
	} else {
		b, err := io.ReadAll(res.Body)
		if err != nil {
			w.Fatal(err)
		}
		text = string(b)
	}
	w.check(c, method+" "+r.path, text)
	if method != http.MethodGet && res.StatusCode < 300 {
		w.fill()
	}
	return fmt.Sprint(res.StatusCode)
}
