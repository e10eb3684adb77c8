package siege

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kind is a kind of documents of the runtime.
type kind struct {
	flat, path string // below the chat; %s is the id
	ids        []string
	body       func(q *sequence, who string) map[string]any
}

var kinds = []kind{
	{"tasks", "tasks/%s", []string{"A", "B", "C", "D"}, (*sequence).task},
	{"sub_agents", "sub-agents/%s", []string{"X", "Y", "Z"}, (*sequence).agent},
	{"sub_agent_tool_calls", "sub-agents/{agent {L} %d}/tool-calls/%s", []string{"K1", "K2", "K3"}, (*sequence).call},
	{"messages", "messages/%s", []string{"m0", "m1", "m2"}, (*sequence).message},
	{"sub_agent_messages", "sub-agents/{agent {L} %d}/messages/%s", []string{"n1", "n2"}, (*sequence).message},
	{"chats", "", []string{""}, (*sequence).chat},
}

// write writes a document by one of the transports: a request for it, a batch or
// a push.
func (q *sequence) write(who, letter string) step {
	k := kinds[[]int{0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5}[q.IntN(11)]]
	if who == "local" && k.flat == "sub_agent_tool_calls" { // the operator decides by writing
		k = kinds[0]
	}
	id := q.among(k.ids...)
	at := "{chat {L}}"
	if k.path != "" {
		at += "/" + strings.Replace(strings.Replace(k.path, "%d", fmt.Sprint(q.IntN(100)), 1), "%s", id, 1)
	}
	fields := k.body(q, who)
	if who == "local" { // and says in whose name
		for _, field := range []string{"askedBy", "authorId", "usage", "costMicros", "decisions"} {
			delete(fields, field)
		}
	}
	if k.flat == "chats" {
		method := q.among("PATCH", "PATCH", "PUT")
		if strings.Contains("ce", letter) { // to leave out the account is to take the chat out of it
			method = "PATCH"
		}
		return step{method: method, path: "docs/" + at, body: encode(fields)}
	}
	switch q.IntN(8) {
	case 0, 1, 2, 3:
		return step{method: "PUT", path: "docs/" + at, body: encode(fields)}
	case 4, 5:
		for field := range fields { // some of them
			if q.sometimes(field) {
				delete(fields, field)
			}
		}
		return step{method: "PATCH", path: "docs/" + at, body: encode(fields)}
	case 6:
		return step{method: "POST", path: "batch", body: `{"operations":[{"op":"` + q.among("put", "put", "create", "patch") + `","path":"` + at + `","body":` + encode(fields) + `}]}`}
	}
	fields["id"], fields["userId"], fields["chatId"] = id, "{owner {L}}", "{id {L}}"
	if strings.HasPrefix(k.flat, "sub_agent_") {
		fields["subAgentId"] = q.some("agent")
	}
	return step{method: "POST", path: "replication/" + k.flat + "/push", body: `[{"newDocumentState":` + encode(fields) + `}]`}
}

// sometimes draws for a field. Maps are walked in any order, so it must not draw
// from the sequence.
func (q *sequence) sometimes(field string) bool { return (len(field)+int(q.focus[0]))%2 == 0 }

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers, lists and maps always encode
	}
	return string(b)
}

// optional adds some of the fields. Each is drawn, so that the order counts.
func (q *sequence) optional(in int, fields map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		if q.one(in) {
			fields[more[i].(string)] = more[i+1]
		}
	}
	return fields
}

func (q *sequence) forged() []any {
	return []any{
		"askedBy",
		[]string{q.among(ghost, "u2", "u1", "u4")},
		"usage",
		map[string]any{"inputTokens": forgedUsage, "outputTokens": forgedUsage},
		"costMicros", forgedUsage, "runId", q.some("run"),
	}
}

func (q *sequence) task(string) map[string]any {
	name := q.among("agent:general", "agent:general", "agent:researcher", "tool:read_document", "tool:search_documents", "tool:write_document", "tool:"+forbiddenTool)
	t := map[string]any{"type": strings.Split(name, ":")[0], "name": name, "instruction": q.among("Look around.", `{"title":"`+privateTitle+`"}`, `{"query":"canary"}`)}
	q.optional(2, t, "status", q.among("pending", "running", "running", "running", "waiting", "success", "failed"), "subAgentId", q.some("agent"), "parentAgentId", q.some("agent"))
	q.optional(5, t, "parentCallId", q.some("callId"), "triggerMessageId", q.some("message"), "depth", q.IntN(4), "standing", q.one(2), "paused", q.one(2),
		"budget", map[string]any{"tokens": 10000}, "questionId", q.some("callId"), "question", "Which?", "result", "done")
	if strings.HasPrefix(name, "tool:") {
		t["args"] = map[string]any{"tool:read_document": map[string]any{"title": privateTitle}, "tool:search_documents": map[string]any{"query": "canary"}, "tool:write_document": map[string]any{"title": "New", "content": "words"}}[name]
		if t["args"] == nil {
			t["args"] = map[string]any{"word": "x"}
		}
	}
	return q.optional(6, t, q.forged()...)
}

func (q *sequence) agent(string) map[string]any {
	a := map[string]any{"taskId": q.some("task"), "role": q.among("general", "researcher"), "status": q.among("active", "active", "active", "waiting_for_user", "completed", "failed"), "iterationCount": q.IntN(3)}
	q.optional(4, a, "parentId", q.some("agent"), "standing", q.one(2), "paused", q.one(2), "depth", q.IntN(4), "question", "Which?", "questionCallId", q.some("callId"),
		"toolCallId", q.some("callId"), "unanswered", []string{q.some("message")})
	return q.optional(6, a, q.forged()...)
}

func (q *sequence) call(string) map[string]any {
	name := q.among("read_document", "search_documents", "calculator", "ask_user", "create_agent", "gated", forbiddenTool, forbiddenTool)
	c := map[string]any{"toolName": name, "status": q.among("pending", "pending", "awaiting_approval", "running", "unknown", "success"), "args": map[string]any{
		"read_document": map[string]any{"title": privateTitle}, "search_documents": map[string]any{"query": "canary"}, "calculator": map[string]any{"expression": "1"},
		"ask_user": map[string]any{"question": "Which?"}, "create_agent": map[string]any{"type": "general", "instruction": "Look."},
		"gated": map[string]any{"word": "x"}, forbiddenTool: map[string]any{"word": "x"},
	}[name]}
	q.optional(3, c, "decisions", []any{map[string]any{"action": "approve", "by": q.among(ghost, "u2", "u1"), "at": 1}}, "next", q.some("callId"))
	q.optional(5, c, "held", q.one(2), "taskId", q.some("task"), "endsTask", q.one(2), "messageId", q.some("message"), "client", q.one(2), "untold", q.one(2))
	return q.optional(6, c, q.forged()...)
}

func (q *sequence) message(who string) map[string]any {
	m := map[string]any{"role": q.among("user", "user", "assistant", "tool", "system"), "content": "words"}
	q.optional(4, m, "type", q.among("text", "summary", "status"), "repliesTo", q.some("message"), "toolCallId", q.some("callId"), "taskId", q.some("task"),
		"parts", []any{map[string]any{"type": "file", "fileId": "{file " + q.among("u1", "u2", "u3", "u4") + " " + who + "}"}}, "questionId", q.some("callId"))
	return q.optional(6, m, "authorId", q.among(ghost, "u2", "u4"), "runId", q.some("run"), "handedTo", "agent:general", "subAgentId", q.some("agent"))
}

func (q *sequence) chat(string) map[string]any {
	c := map[string]any{"systemPrompt": "Be brief."}
	q.optional(3, c, "participant", q.among("agent:general", "orchestrator"), "forkedFrom", map[string]any{"userId": "{owner s}", "chatId": "{id s}", "messageId": "m0", "saidAt": 4102444800000},
		"usage", map[string]any{"inputTokens": forgedUsage}, "costMicros", forgedUsage)
	return c
}
