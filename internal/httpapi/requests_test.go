package httpapi_test

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi"
)

// row is one request, and the statuses that it is answered with. It is about what
// is olga's, whoever asks.
type row struct {
	pattern, path, body string
	// people are the statuses that the callers of the world get, and keys those
	// of the keys for some documents, each in their order. The last key may do
	// what the others may not, as far as amy may.
	people, keys string
}

const inChat = "/api/v1/chats/{chat}"

const connectionRecords = "/api/v1/records/model_connections"

// noRoute is the pattern of what no route answers.
const noRoute = "/api/"

// requests are one at least for every route that asks who calls.
var requests = []row{
	// people: other viewer member owner admin reader writer webhook
	// keys: reads notes, writes notes, a chat, admin for notes, admin for users, admin for all
	{"GET " + inChat, "/chats/c1?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"PATCH " + inChat, "/chats/c1?user=olga", `{"title":"x"}`, "404 403 403 200 404 403 200 404", "404 404 200 404 404 404"},
	{"DELETE " + inChat, "/chats/c1?user=olga", "", "404 403 403 204 404 403 204 404", "404 404 204 404 404 404"},
	{"GET /api/v1/chats", "/chats?user=olga", "", "403 200 200 200 403 200 200 403", "403 403 200 403 403 403"},
	{"GET /api/v1/chats", "/chats", "", "200 200 200 200 200 200 200 403", "403 403 200 403 200 200"},
	{"POST /api/v1/chats", "/chats?user=olga", `{}`, "404 404 404 201 404 403 201 404", "404 404 404 404 404 404"},
	{"POST /api/v1/chats", "/chats", `{}`, "201 201 201 201 201 403 201 404", "404 404 404 404 201 201"},
	{"POST " + inChat + "/messages", "/chats/c1/messages?user=olga", `{"content":"x"}`, "404 403 201 201 404 403 201 404", "404 404 201 404 404 404"},
	{"GET " + inChat + "/messages", "/chats/c1/messages?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/fork", "/chats/c1/fork?user=olga", "", "404 403 201 201 404 403 201 404", "404 404 404 404 404 404"},
	{"POST " + inChat + "/tasks", "/chats/c1/tasks?user=olga", `{"name":"agent:x","instruction":"x"}`, "404 403 201 201 404 403 201 404", "404 404 201 404 404 404"},
	{"GET " + inChat + "/tasks", "/chats/c1/tasks?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents", "/chats/c1/sub-agents?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents/{agent}/messages", "/chats/c1/sub-agents/a1/messages?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/sub-agents/{agent}/tool-calls", "/chats/c1/sub-agents/a1/tool-calls?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&snapshot=1", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET " + inChat + "/events", "/chats/c1/events?user=olga&from=1", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET /api/v1/stream", "/stream?path=users/olga/orch-chats/c1/**", "", "403 200 200 200 403 200 200 403", "403 403 200 403 403 403"},
	{"GET /api/v1/stream", "/stream?path=users/olga/**", "", "403 403 403 200 403 200 200 403", "200 200 200 403 403 403"},
	{"GET /api/v1/stream", "/stream", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET /api/v1/search", "/search?q=canary", "", "200 200 200 200 200 200 200 403", "403 403 200 403 200 200"},
	{"GET /api/v1/search", "/search?user=olga&q=canary", "", "200 200 200 200 200 200 200 403", "403 403 200 403 200 200"},
	{"GET /api/v1/search", "/search?q=canary&user=olga&chatId=c1", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET /api/v1/search", "/search?q=canary&user=olga&chatId=c3", "", "404 404 404 200 404 200 200 404", "404 404 404 404 404 404"},
	{"GET /api/v1/participants", "/participants", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"PATCH " + inChat, "/chats/c1?user=olga", `{"participant":"agent:x"}`, "404 403 403 200 404 403 200 404", "404 404 200 404 404 404"},
	{"PATCH " + inChat, "/chats/c1?user=olga", `{"systemPrompt":"x","metadata":{"a":1}}`, "404 403 403 200 404 403 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/stop", "/chats/c1/stop?user=olga", "", "404 403 204 204 404 403 204 404", "404 404 204 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/cancel", "/chats/c1/tasks/t1/cancel?user=olga", "", "404 403 200 200 404 403 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/pause", "/chats/c1/tasks/t1/pause?user=olga", "", "404 403 200 200 404 403 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/resume", "/chats/c1/tasks/t1/resume?user=olga", "", "404 403 200 200 404 403 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/retry", "/chats/c1/tasks/t1/retry?user=olga", "", "404 403 200 200 404 403 200 404", "404 404 200 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/answer", "/chats/c1/tasks/t1/answer?user=olga", `{"questionId":"k1","content":"x"}`, "404 403 201 201 404 403 201 404", "404 404 201 404 404 404"},
	{"POST " + inChat + "/tasks/{task}/messages", "/chats/c1/tasks/t1/messages?user=olga", `{"content":"x"}`, "404 403 201 201 404 403 201 404", "404 404 201 404 404 404"},
	{"POST " + inChat + "/sub-agents/{agent}/tool-calls/{call}/decision", "/chats/c1/sub-agents/a1/tool-calls/k1/decision?user=olga", `{"action":"deny"}`, "404 403 200 200 404 403 200 404", "404 404 200 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1", "", "404 200 200 200 404 200 200 404", "404 404 200 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "404 404 404 200 404 200 200 404", "200 200 404 404 404 404"},
	{"GET /api/v1/docs/{path...}", "/docs/secrets/olga/model-connections/m1", "", "404 404 404 404 404 404 404 404", "404 404 404 404 404 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "404 404 404 403 404 403 200 404", "403 200 404 404 404 404"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga", `{"admin":true}`, "404 404 404 403 403 403 403 404", "404 404 404 404 403 403"},
	{"PUT /api/v1/docs/{path...}", "/docs/users/olga/orch-chats/c1/messages/m9", `{"role":"assistant","content":"x"}`, "404 403 403 403 404 403 403 404", "404 404 403 404 404 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", `{}`, "404 404 404 403 404 403 200 404", "403 200 404 404 404 404"},
	{"PATCH /api/v1/docs/{path...}", "/docs/accounts/team", `{"members":{"otto":"owner"}}`, "404 403 403 403 403 403 403 404", "404 404 404 404 403 403"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n1", "", "404 404 404 403 404 403 204 404", "403 403 404 404 404 404"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n2", "", "404 404 404 403 404 403 204 404", "403 204 404 404 404 404"},
	{"DELETE /api/v1/docs/{path...}", "/docs/users/olga/notes/n1/comments/c1", "", "404 404 404 403 404 403 204 404", "403 404 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"put","path":"users/olga/notes/n1","body":{}}]}`, "404 404 404 403 404 403 200 404", "403 200 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"put","path":"users/olga/notes/n1","body":{}},{"op":"put","path":"users/olga/notes/n1/comments/c1","body":{}}]}`, "404 404 404 403 404 403 200 404", "403 404 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"delete","path":"users/olga/notes/n1"}]}`, "404 404 404 403 404 403 200 404", "403 403 404 404 404 404"},
	{"POST /api/v1/batch", "/batch", `{"operations":[{"op":"create","path":"users/olga/orch-chats/c1/messages/m10","body":{"role":"user","content":"x"}}]}`, "404 403 200 409 404 409 409 404", "404 404 200 404 404 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/messages/m8", `{"text":"x"}`, "404 403 403 403 404 403 403 404", "404 404 403 404 404 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/sub-agents/a1/messages/x8", `{"text":"x"}`, "404 403 403 403 404 403 403 404", "404 404 403 404 404 404"},
	{"POST /api/v1/drafts/{path...}", "/drafts/users/olga/orch-chats/c1/messages/m1", `{"text":"x"}`, "404 403 403 403 404 403 403 404", "404 404 403 404 404 404"},
	{"POST /api/v1/query", "/query", `{"flat":"messages"}`, "200 200 200 200 200 200 200 403", "403 403 200 403 200 200"},
	{"POST /api/v1/query", "/query", `{"flat":"chats"}`, "200 200 200 200 200 200 200 403", "403 403 200 403 200 200"},
	{"POST /api/v1/query", "/query", `{"collection":"users/olga/notes"}`, "403 403 403 200 403 200 200 403", "200 200 403 403 403 403"},
	{"POST /api/v1/query", "/query", `{"collection":"users"}`, "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"POST /api/v1/query", "/query", `{"collection":"secrets/access/passwords"}`, "403 403 403 403 403 403 403 403", "403 403 403 403 403 403"},
	{"GET /api/v1/schemas", "/schemas", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET /api/v1/triggers", "/triggers", "", "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"PATCH /api/v1/triggers/{id}", "/triggers/on-new-task", `{"enabled":true}`, "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"GET /api/v1/jobs", "/jobs", "", "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"POST /api/v1/jobs/{id}/retry", "/jobs/x1/retry", "", "403 403 403 403 202 403 403 403", "403 403 403 403 403 202"},
	{"DELETE /api/v1/jobs/{id}", "/jobs/x2", "", "403 403 403 403 204 403 403 403", "403 403 403 403 403 204"},
	{"GET /api/v1/tools", "/tools", "", "200 200 200 200 200 200 200 403", "403 403 403 403 403 200"},
	{"POST /api/v1/tools/{name}/call", "/tools/calculator/call", `{"arguments":{"expression":"1"}}`, "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"GET /api/v1/models", "/models", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"PUT /api/v1/models/{id}", "/models/m1", `{"accessFormat":"demo"}`, "201 201 201 200 200 403 200 404", "404 404 404 404 200 200"},
	{"PUT /api/v1/models/{id}", "/models/m2", `{"accessFormat":"openai","modelId":"m","baseUrl":"http://127.0.0.1:1/v1"}`, "403 403 403 403 201 403 403 404", "404 404 404 404 201 200"},
	{"POST /api/v1/models/{id}/test", "/models/m1/test", "", "200 200 200 200 200 403 200 404", "404 404 404 404 200 200"},
	{"POST /api/v1/models/test", "/models/test", `{"accessFormat":"demo"}`, "200 200 200 200 200 403 200 404", "404 404 404 404 200 200"},
	{"POST /api/v1/models/test", "/models/test", `{"accessFormat":"openai","modelId":"m","baseUrl":"http://127.0.0.1:1/v1"}`, "403 403 403 403 200 403 403 404", "404 404 404 404 200 200"},
	{"POST /api/v1/models/{id}/default", "/models/m1/default", "", "200 200 200 200 200 403 200 404", "404 404 404 404 200 200"},
	{"GET /api/v1/models/{id}/models", "/models/m1/models", "", "200 200 200 200 200 403 200 404", "404 404 404 404 200 200"},
	{"DELETE /api/v1/models/{id}", "/models/m1", "", "204 204 204 204 204 403 204 404", "404 404 404 404 204 204"},
	{"POST " + connectionRecords, "/records/model_connections", `{"accessFormat":"demo"}`, "201 201 201 201 201 403 201 404", "404 404 404 404 201 201"},
	{"POST " + connectionRecords, "/records/model_connections", `{"accessFormat":"openai","modelId":"m","baseUrl":"http://127.0.0.1:1/v1"}`, "403 403 403 403 201 403 403 404", "404 404 404 404 201 201"},
	{"POST " + connectionRecords + "/batch", "/records/model_connections/batch", `{"records":[{"accessFormat":"demo"}]}`, "201 201 201 201 201 403 201 404", "404 404 404 404 201 201"},
	{"GET " + connectionRecords, "/records/model_connections", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET " + connectionRecords + "/count", "/records/model_connections/count", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET " + connectionRecords + "/stream", "/records/model_connections/stream", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET " + connectionRecords + "/{id}", "/records/model_connections/m1", "", "404 404 404 200 200 200 200 404", "404 404 404 404 200 200"},
	{"PATCH " + connectionRecords + "/{id}", "/records/model_connections/m1", `{"name":"x"}`, "404 404 404 200 200 403 200 404", "404 404 404 404 200 200"},
	{"POST " + connectionRecords + "/{id}/clone", "/records/model_connections/m1/clone", "", "404 404 404 201 201 403 201 404", "404 404 404 404 201 201"},
	{"DELETE " + connectionRecords + "/{id}", "/records/model_connections/m1", "", "404 404 404 204 204 403 204 404", "404 404 404 404 204 204"},
	{"GET /api/v1/me", "/me", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"PUT /api/v1/me/password", "/me/password", `{"current":"a wrong one","password":"another password"}`, "403 403 403 403 403 403 403 404", "404 404 404 404 403 403"},
	{"GET /api/v1/sessions", "/sessions?user=olga", "", "403 403 403 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET /api/v1/sessions", "/sessions", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"DELETE /api/v1/sessions/{id}", "/sessions/spare?user=olga", "", "404 404 404 204 204 403 403 404", "404 404 404 404 204 204"},
	{"DELETE /api/v1/sessions/{id}", "/sessions/spare", "", "404 404 404 204 404 403 403 404", "404 404 404 404 404 404"},
	{"GET /api/v1/keys", "/keys?user=olga", "", "403 403 403 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET /api/v1/keys", "/keys", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"POST /api/v1/keys", "/keys?user=olga", `{"name":"new","scopes":["read"]}`, "404 404 404 201 403 403 403 404", "404 404 404 404 403 403"},
	{"POST /api/v1/keys", "/keys", `{"name":"new","scopes":["read"]}`, "201 201 201 201 201 403 403 404", "404 404 404 404 403 201"},
	{"DELETE /api/v1/keys/{id}", "/keys/spare?user=olga", "", "404 404 404 204 204 403 403 404", "404 404 404 404 204 204"},
	{"DELETE /api/v1/keys/{id}", "/keys/spare", "", "404 404 404 204 404 403 403 404", "404 404 404 404 404 404"},
	{"GET /api/v1/users", "/users", "", "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"POST /api/v1/users", "/users", `{"id":"new","password":"another password"}`, "403 403 403 403 201 403 403 403", "403 403 403 403 403 201"},
	{"POST /api/v1/users", "/users", `{"id":"new2","admin":true,"password":"another password"}`, "403 403 403 403 201 403 403 403", "403 403 403 403 403 201"},
	{"PATCH /api/v1/users/{id}", "/users/olga", `{"disabled":false,"admin":false}`, "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"DELETE /api/v1/users/{id}", "/users/gone", "", "403 403 403 403 204 403 403 403", "403 403 403 403 403 204"},
	{"GET /api/v1/usage", "/usage?user=olga&from=2026-01-01&to=2026-01-02", "", "403 403 403 200 403 200 200 403", "403 403 403 403 403 403"},
	{"GET /api/v1/usage", "/usage?from=2026-01-01&to=2026-01-02", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET /api/v1/usage/report", "/usage/report?user=olga&groupBy=day,model,chat&from=2026-01-01&to=2026-01-02", "", "403 403 403 200 403 200 200 403", "403 403 403 403 403 403"},
	{"GET /api/v1/usage/report", "/usage/report?groupBy=role", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"GET /api/v1/usage/server", "/usage/server?groupBy=user,day&from=2026-01-01&to=2026-01-02", "", "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"GET /api/v1/accounts", "/accounts", "", "200 200 200 200 200 200 200 403", "403 403 403 403 200 200"},
	{"POST /api/v1/accounts", "/accounts", `{"name":"x"}`, "201 201 201 201 201 403 403 404", "404 404 404 404 403 201"},
	{"GET /api/v1/accounts/{account}", "/accounts/team", "", "404 200 200 200 200 200 200 404", "404 404 404 404 200 200"},
	{"PUT /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/new", `{"role":"viewer"}`, "404 403 403 202 403 403 202 404", "404 404 404 404 403 403"},
	{"PUT /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/spare", `{"role":"member"}`, "404 403 403 200 403 403 200 404", "404 404 404 404 403 403"},
	{"GET /api/v1/accounts/{account}/invitations", "/accounts/team/invitations", "", "404 200 200 200 404 200 200 404", "404 404 404 404 404 404"},
	{"DELETE /api/v1/accounts/{account}/invitations/{user}", "/accounts/team/invitations/guest", "", "404 403 403 204 403 403 204 404", "404 404 404 404 403 403"},
	{"GET /api/v1/invitations", "/invitations", "", "200 200 200 200 200 200 200 403", "403 403 403 403 403 200"},
	{"POST /api/v1/invitations/{account}/accept", "/invitations/team/accept", "", "404 404 404 404 404 403 404 404", "404 404 404 404 404 404"},
	{"DELETE /api/v1/invitations/{account}", "/invitations/team", "", "404 404 404 404 404 403 404 404", "404 404 404 404 404 404"},
	{"DELETE /api/v1/accounts/{account}/members/{user}", "/accounts/team/members/spare", "", "404 403 403 204 403 403 204 404", "404 404 404 404 403 403"},
	{"PATCH /api/v1/accounts/{account}", "/accounts/team", `{"budget":{"tokens":5}}`, "404 403 403 200 403 403 200 404", "404 404 404 404 403 403"},
	{"GET /api/v1/accounts/{account}/limit", "/accounts/team/limit", "", "403 403 403 403 404 403 403 403", "403 403 403 403 403 404"},
	{"PUT /api/v1/accounts/{account}/limit", "/accounts/team/limit", `{"jobs":5}`, "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
	{"DELETE /api/v1/accounts/{account}/limit", "/accounts/team/limit", "", "403 403 403 403 204 403 403 403", "403 403 403 403 403 204"},
	{"GET /api/v1/accounts/{account}/projects", "/accounts/team/projects", "", "404 200 200 200 404 200 200 404", "404 404 404 404 404 404"},
	{"POST /api/v1/accounts/{account}/projects", "/accounts/team/projects", `{"name":"x"}`, "404 403 201 201 404 403 201 404", "404 404 404 404 404 404"},
	{"PATCH /api/v1/projects/{project}", "/projects/team.p", `{"name":"x"}`, "404 403 200 200 404 403 200 404", "404 404 404 404 404 404"},
	{"DELETE /api/v1/projects/{project}", "/projects/team.spare", "", "404 403 204 204 404 403 204 404", "404 404 404 404 404 404"},
	{"GET /api/v1/projects/{project}/chats", "/projects/team.p/chats", "", "404 200 200 200 404 200 200 404", "404 404 404 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/chats/pull?userId=olga", "", "403 200 200 200 403 200 200 403", "403 403 200 403 403 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/tasks/pull?userId=olga", "", "403 200 200 200 403 200 200 403", "403 403 200 403 403 403"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c1", "", "404 200 200 200 404 200 200 403", "403 403 200 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/messages/pull?userId=olga&chatId=c3", "", "404 404 404 200 404 200 200 403", "403 403 403 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/sub_agent_messages/pull?userId=olga&chatId=c1&subAgentId=a1", "", "404 200 200 200 404 200 200 403", "403 403 200 404 404 404"},
	{"GET /api/v1/replication/{flat}/pull", "/replication/documents/pull?collection=users/olga/notes", "", "403 403 403 200 403 200 200 403", "200 200 403 403 403 403"},
	{"POST /api/v1/replication/{flat}/push", "/replication/messages/push", pushed, "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET /api/v1/replication/{flat}/stream", "/replication/messages/stream?userId=olga&chatId=c1", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET /api/v1/replication/stream", "/replication/stream?userId=olga&scope=chats", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{"GET /api/v1/replication/schemas", "/replication/schemas", "", "200 200 200 200 200 200 200 200", "200 200 200 200 200 200"},
	{noRoute, "/nothing", "", "404 404 404 404 404 404 404 404", "404 404 404 404 404 404"},
	{"PATCH /api/v1/users/{id}", "/users/amy", `{"password":"another password"}`, "403 403 403 403 200 403 403 403", "403 403 403 403 403 200"},
}

// openRequests are for the routes that do not ask who calls, and what nobody gets.
var openRequests = []row{
	{"POST /api/v1/login", "/login", `{"login":"olga","password":"a wrong one"}`, "401", ""},
	{"POST /api/v1/refresh", "/refresh", "", "401", ""},
	{"POST /api/v1/logout", "/logout", "", "204", ""},
	{"GET /api/v1/openapi.json", "/openapi.json", "", "200", ""},
}

// pushed writes into a chat of olga's and assumes a master that is not there.
const pushed = `[{"newDocumentState":{"id":"m1","userId":"olga","chatId":"c1","role":"user","type":"text","content":"x"},
	"assumedMasterState":{"id":"m1","userId":"olga","chatId":"c1","role":"user","type":"text","content":"guessed"}}]`

func TestEveryRouteHasARequest(t *testing.T) {
	t.Parallel()
	patterns := append(httpapi.Patterns(routes), noRoute)
	for _, p := range patterns {
		isIt := func(r row) bool { return r.pattern == p }
		table, name := requests, "requests"
		if httpapi.IsOpen(routes, p) {
			table, name = openRequests, "openRequests"
		}
		if !slices.ContainsFunc(table, isIt) {
			t.Errorf("%s has no row in %s", p, name)
		}
	}
	for _, r := range slices.Concat(requests, openRequests) {
		if !slices.Contains(patterns, r.pattern) {
			t.Errorf("%s is no route", r.pattern)
		}
	}
}
