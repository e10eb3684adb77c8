package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
)

// belongings are the ids of what a user has, one of each kind, by the folder in which
// routes name it.
type belongings map[string]string

// settle gives a user one of everything that a user can have. The word is in every text of
// theirs.
func settle(p *servertest.Person, user, word string) belongings {
	p.Helper()
	has := belongings{
		"users": user, "{user}": user, "chats": "chat-" + user, "graphs": "graph-" + user, "secrets": "secret_" + user, "models": "model-" + user,
		"records/text_documents": "text-" + user, "records/chat_threads": "threads-" + user, "records/message_threads": "thread-" + user,
		"records/metrics": "metric-" + user, "records/settings": "settings-" + user, "records/model_connections": "connection-" + user,
		"runs": "message-" + user, "records/agent_graphs": "graph-" + user,
	}
	has["docs"], has["drafts"] = "users/"+user+"/notes/note-"+user, "users/"+user+"/orch-chats/chat-"+user+"/messages/message-"+user
	made := func(kind string, status int, path, body string, field ...string) {
		p.Helper()
		var answer map[string]any
		p.Into(&answer, status, "POST", path, fill(body, user, word))
		at := answer
		for _, name := range field[:max(len(field)-1, 0)] {
			at, _ = at[name].(map[string]any)
		}
		name := "id"
		if len(field) > 0 {
			name = field[len(field)-1]
		}
		id, _ := at[name].(string)
		if id == "" {
			p.Fatalf("POST %s: no %s in %v", path, name, answer)
		}
		has[kind] = id
	}
	put := func(method, path, body string) {
		p.Helper()
		p.Answers(200, p.Request(method, fill(path, user, word), fill(body, user, word)))
	}
	made("{account}", 201, "accounts", `{"name":"WORD"}`)
	made("projects", 201, "accounts/"+has["{account}"]+"/projects", `{"name":"WORD"}`)
	made("files", 201, "files?filename="+word+".txt", "WORD", "id")
	chat := "chats/" + has["chats"]
	made("chats", 201, "chats", `{"id":"chat-USER","title":"WORD","systemPrompt":"WORD","projectId":"`+has["projects"]+`","metadata":{"at":"WORD"}}`)
	p.Wants(200, "POST", chat+"/messages?wait=1", fill(`{"id":"message-USER","content":[{"type":"text","text":"Compute 6*7 for WORD"},{"type":"file","fileId":"`+has["files"]+`"}]}`, user, word))
	p.Wants(200, "POST", chat+"/messages?wait=1", fill(`{"id":"asks-USER","content":"Book a table for WORD"}`, user, word))
	p.Settled()
	var page struct {
		Items []struct{ ID, SubAgentID string }
	}
	p.Into(&page, 200, "GET", chat+"/tasks", "")
	has["tasks"], has["sub-agents"] = page.Items[0].ID, page.Items[0].SubAgentID
	for _, task := range page.Items {
		p.Into(&page, 200, "GET", chat+"/sub-agents/"+task.SubAgentID+"/tool-calls", "")
		if len(page.Items) > 0 {
			has["tasks"], has["sub-agents"], has["tool-calls"] = task.ID, task.SubAgentID, page.Items[0].ID
		}
	}
	put("PATCH", chat+"/mark", `{"pinned":true,"folder":"WORD"}`)
	p.Wants(201, "POST", chat+"/fork", fill(`{"id":"fork-USER","title":"WORD"}`, user, word))
	made("shares", 201, "runs/"+has["runs"]+"/shares", `{}`)
	made("shared", 201, "runs/"+has["runs"]+"/shares", `{}`, "token")
	made("keys", 201, "keys", `{"name":"WORD","scopes":["read"]}`)
	writer := p.WithKey("write")
	writer.Wants(201, "PUT", "docs/users/"+user+"/notes/note-"+user, fill(`{"text":"WORD"}`, user, word))
	p.Wants(200, "PUT", "secrets/secret_"+user, fill(`{"value":"WORD WORD"}`, user, word))
	p.Wants(201, "PUT", "models/model-"+user, fill(`{"name":"WORD","accessFormat":"openai","modelId":"WORD","baseUrl":"https://models.example/WORD","secret":"WORD"}`, user, word))
	p.Wants(201, "POST", "metrics/points", fill(`{"points":[{"name":"WORD","dimensions":{"at":"WORD"},"value":1}]}`, user, word))
	r := writer.Request("POST", "batch", fill(`{"operations":[{"op":"put","path":"users/USER/notes/kept-USER","body":{"text":"WORD"}}]}`, user, word))
	r.Header.Set("Idempotency-Key", word)
	writer.Answers(200, r)
	for _, record := range [][2]string{
		{"text_documents", `{"id":"text-USER","title":"WORD","type":"markdown","content":"WORD"}`},
		{"message_threads", `{"id":"thread-USER","turns":[{"senderId":"USER","partials":[{"type":"text","payload":{"content":"WORD"}}]}]}`},
		{"chat_threads", `{"id":"threads-USER","name":"WORD","description":"WORD","threadId":"thread-USER","participantId":"orchestrator"}`},
		{"metrics", `{"id":"metric-USER","name":"WORD","dimensions":{"at":"WORD"},"value":1}`},
		{"settings", `{"id":"settings-USER","lastPage":"/WORD","theme":"dark"}`},
		{"model_connections", `{"id":"connection-USER","name":"WORD","accessFormat":"openai","modelId":"WORD","baseUrl":"https://models.example/v1","secret":"WORD"}`},
		{"agent_graphs", `{"id":"graph-USER","name":"WORD","description":"WORD","nodes":[{"id":"start","nodeId":"on-start","position":{"x":0,"y":0}},
			{"id":"out","nodeId":"output","position":{"x":200,"y":0},"parameters":{"name":"answer"}}],"edges":[
			{"sourceNodeId":"start","sourcePortId":"signal","targetNodeId":"out","targetPortId":"run"},{"sourceNodeId":"start","sourcePortId":"text","targetNodeId":"out","targetPortId":"value"}]}`},
	} {
		p.Wants(201, "POST", "records/"+record[0], fill(record[1], user, word))
	}
	p.Wants(201, "POST", "records/text_documents/text-"+user+"/versions", fill(`{"title":"WORD","content":"WORD again"}`, user, word))
	made("records/agent_graph_executions", 202, "records/agent_graphs/graph-"+user+"/executions", `{"input":{"text":"WORD"}}`)
	made("outcomes", 201, "outcomes", `{"direction":"increase","object":"WORD","metric":"WORD","clarifier":"WORD"}`)
	made("documents", 201, "documents", `{"title":"WORD","content":"- [ ] Write WORD (2h)\n- [ ] Send WORD (1h)"}`)
	made("reflections", 201, "reflections", `{"text":"WORD"}`)
	p.Settled()
	p.Into(&page, 200, "GET", "tasks", "")
	if len(page.Items) < 2 {
		p.Fatalf("the document has %d tasks", len(page.Items))
	}
	made("relationships", 201, "relationships", `{"source_task_id":"`+page.Items[0].ID+`","target_task_id":"`+page.Items[1].ID+`","type":"prerequisite"}`)
	made("agent/sessions", 202, "agent/prioritize", `{}`, "session_id")
	p.Settled()
	var sessions struct{ Items []struct{ ID string } }
	p.Into(&sessions, 200, "GET", "sessions", "")
	has["sessions"] = "none" // as for who has the token of the server
	for _, s := range sessions.Items {
		has["sessions"] = s.ID
	}
	return has
}

func fill(text, user, word string) string {
	return strings.NewReplacer("USER", user, "WORD", word).Replace(text)
}

// operations calls fn with every operation that the API describes. Those that make something
// come last.
func operations(p *servertest.Person, fn func(method, path string, op operation)) {
	p.Helper()
	var api described
	p.Into(&api, 200, "GET", "openapi.json", "")
	if len(api.Paths) < 100 {
		p.Fatalf("%d paths are described", len(api.Paths))
	}
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete, http.MethodPut, http.MethodPost} {
		for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
			if op, ok := api.Paths[path][strings.ToLower(method)]; ok {
				fn(method, strings.TrimPrefix(path, "/api/v1/"), op)
			}
		}
	}
}

// at fills the ids of what somebody has into the path of a route.
func (b belongings) at(t testing.TB, path string) string {
	t.Helper()
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		id, ok := b[part]
		if !ok {
			id, ok = b[parts[i-1]]
		}
		if i > 1 {
			if precise, is := b[parts[i-2]+"/"+parts[i-1]]; is {
				id, ok = precise, true
			}
		}
		if !ok {
			t.Fatalf("%s: say in belongings what %s is", path, part)
		}
		parts[i] = id
	}
	return strings.Join(parts, "/")
}

// encoded is a value as it is in a document.
func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
