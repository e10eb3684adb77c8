package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const sharedChat = nestor.Path("users/olga/orch-chats/c1")

// runtimeDocuments are put back before each write.
func (w *world) runtimeDocuments() {
	w.Helper()
	c := string(sharedChat)
	w.write(
		c, `{"title":"plans","accountId":"team","projectId":"team.p","usage":{"inputTokens":5,"outputTokens":5},"costMicros":7}`,
		c+"/messages/m1", `{"role":"user","type":"text","content":"hello","authorId":"mia"}`,
		c+"/tasks/t1", `{"type":"agent","name":"agent:general","instruction":"x","status":"running","subAgentId":"a1","askedBy":["mia"]}`,
		c+"/tasks/t2", `{"type":"agent","name":"agent:general","instruction":"x","status":"pending","askedBy":["mia"]}`,
		c+"/tasks/t3", `{"type":"agent","name":"agent:general","instruction":"x","status":"success","result":"42","askedBy":["mia"]}`,
		c+"/sub-agents/a1", `{"taskId":"t1","role":"general","status":"active","iterationCount":1,"askedBy":["mia"],"usage":{"inputTokens":5,"outputTokens":5}}`,
		c+"/sub-agents/a3", `{"taskId":"t3","role":"general","status":"completed","iterationCount":1}`,
		c+"/sub-agents/a1/messages/x1", `{"role":"assistant","content":"","toolCalls":[{"id":"k5","type":"function","function":{"name":"search","arguments":"{}"}}]}`,
		c+"/sub-agents/a1/tool-calls/k1", `{"toolName":"danger","args":{},"status":"awaiting_approval"}`,
		c+"/sub-agents/a1/tool-calls/k2", `{"toolName":"search","args":{},"status":"pending"}`,
		c+"/sub-agents/a1/tool-calls/k3", `{"toolName":"search","args":{},"status":"unknown"}`,
		c+"/sub-agents/a1/tool-calls/k4", `{"toolName":"search","args":{},"status":"pending","held":true}`,
	)
}

// writers are all that can send a write, by their names.
func (w *world) writers() map[string]string {
	w.Helper()
	as := map[string]string{
		"session": w.session("olga"), "member": w.session("mia"), "viewer": w.session("vic"),
		"read key": w.apiKey("olga", access.ScopeRead), "write key": w.apiKey("olga", access.ScopeWrite),
		"scoped key": w.apiKey("olga", access.ScopeWrite, string(sharedChat), string(sharedChat)+"/**"),
		"local":      "Bearer " + token,
	}
	for name, of := range map[string]nestor.Path{
		"messages": "messages/m1", "tasks": "tasks/t2", "task that waits": "tasks/t1", "sub_agents": "sub-agents/a1", "sub_agent_messages": "sub-agents/a1/messages/x1",
		"sub_agent_tool_calls": "sub-agents/a1/tool-calls/k2", "call that waits": "sub-agents/a1/tool-calls/k1", "notes": "notes/n1",
	} {
		as[name] = "Bearer " + w.key.MintToken(access.Grant{
			User: "olga", Asked: nestor.Askers{"mia"}, Path: sharedChat, Of: sharedChat + "/" + of, Expires: time.Now().Add(time.Hour).Unix(),
		})
	}
	as["token of nothing"] = w.grant("olga", sharedChat)
	return as
}

// send sends a write by a transport and reports whether it was accepted.
func (w *world) send(as, transport, op string, p nestor.Path, body string) (bool, string) {
	w.Helper()
	header := []string{"Authorization", as}
	switch transport {
	case "docs":
		method := map[string]string{"create": "PUT", "put": "PUT", "patch": "PATCH", "delete": "DELETE"}[op]
		status, text := w.call(method, "/docs/"+string(p), body, header...)
		return status < 300, text
	case "batch":
		operation := fmt.Sprintf(`{"op":%q,"path":%q,"body":%s}`, op, p, body)
		if op == "delete" {
			operation = fmt.Sprintf(`{"op":"delete","path":%q}`, p)
		}
		status, text := w.call("POST", "/batch", `{"operations":[`+operation+`]}`, header...)
		return status < 300, text
	}
	kind := store.DefaultCatalogue.Of(p)
	row := map[string]map[string]any{}
	next := map[string]any{}
	if op != "create" {
		_, text := w.call("GET", "/docs/"+string(p), "")
		if err := json.Unmarshal([]byte(text), &next); err != nil {
			w.Fatal(err)
		}
		row["assumedMasterState"] = maps.Clone(next)
	}
	if op == "put" {
		next = map[string]any{}
	}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &next); err != nil {
			w.Fatal(err)
		}
	}
	next["id"], next["_deleted"] = p.ID(), op == "delete"
	query := "?userId=olga&chatId=c1"
	if kind == store.SubAgentMessages || kind == store.SubAgentToolCalls {
		query += "&subAgentId=" + p.Parent().ID()
	}
	row["newDocumentState"] = next
	rows, err := json.Marshal([]any{row})
	if err != nil {
		w.Fatal(err)
	}
	res := w.request("POST", "/replication/"+kind.Name+"/push"+query, string(rows), header...)
	text := make([]byte, 4096)
	n, _ := res.Body.Read(text)
	return res.StatusCode == 200 && string(text[:n]) == "[]", string(text[:n]) + res.Header.Get("Nestor-Refused")
}

// forbiddenWrites are refused whoever sends them and however.
var forbiddenWrites = []struct{ op, path, body string }{
	// The executed circles: agents and tasks that name each other.
	{"create", "sub-agents/X", `{"taskId":"A","role":"general","status":"active","iterationCount":0}`},
	{"create", "tasks/A", `{"type":"agent","name":"agent:general","instruction":"x","status":"running","subAgentId":"X","parentAgentId":"X"}`},
	{"create", "tasks/A", `{"type":"agent","name":"agent:general","instruction":"x","status":"pending","parentAgentId":"a1"}`},
	{"create", "tasks/A", `{"type":"agent","name":"agent:general","instruction":"x","status":"waiting","subAgentId":"a1"}`},
	{"create", "sub-agents/X", `{"taskId":"t2","role":"general","status":"active","iterationCount":0,"parentId":"X"}`},
	{"create", "sub-agents/X", `{"taskId":"t2","role":"general","status":"completed","iterationCount":0}`},
	{"create", "sub-agents/X", `{"taskId":"t1","role":"general","status":"active","iterationCount":0}`},
	{"create", "sub-agents/X", `{"taskId":"none","role":"general","status":"active","iterationCount":0}`},
	{"patch", "sub-agents/a1", `{"parentId":"a1"}`},
	{"patch", "sub-agents/a1", `{"depth":3}`},
	{"patch", "sub-agents/a1", `{"taskId":"t2"}`},
	{"patch", "tasks/t1", `{"parentAgentId":"a1"}`},
	{"patch", "tasks/t1", `{"parentCallId":"k1"}`},
	{"patch", "tasks/t1", `{"subAgentId":"a3"}`},
	{"patch", "tasks/t2", `{"status":"running","subAgentId":"a1"}`},
	{"patch", "tasks/t2", `{"status":"running"}`},
	// The executed approvals, and those of calls that wait.
	{"create", "sub-agents/a1/tool-calls/k9", `{"toolName":"danger","args":{},"status":"pending","decisions":[{"action":"approve","by":"mia","at":1}]}`},
	{"create", "sub-agents/a1/tool-calls/k9", `{"toolName":"danger","args":{},"status":"success","result":"x"}`},
	{"create", "sub-agents/a1/tool-calls/k9", `{"toolName":"danger","args":{},"status":"pending","next":"k1"}`},
	{"create", "sub-agents/a1/tool-calls/k9", `{"toolName":"danger","args":{},"status":"pending","messageId":"x1"}`},
	{"patch", "sub-agents/a1/tool-calls/k1", `{"status":"pending"}`},
	{"patch", "sub-agents/a1/tool-calls/k1", `{"status":"success","result":"x"}`},
	{"patch", "sub-agents/a1/tool-calls/k1", `{"decisions":[{"action":"approve","by":"mia","at":1}]}`},
	{"patch", "sub-agents/a1/tool-calls/k1", `{"status":"pending","decisions":[{"action":"approve","by":"mia","at":1}]}`},
	{"patch", "sub-agents/a1/tool-calls/k2", `{"toolName":"danger"}`},
	{"patch", "sub-agents/a1/tool-calls/k2", `{"args":{"x":1}}`},
	{"patch", "sub-agents/a1/tool-calls/k2", `{"endsTask":true}`},
	{"patch", "sub-agents/a1/tool-calls/k3", `{"status":"pending"}`},
	{"patch", "sub-agents/a1/tool-calls/k3", `{"status":"success","result":"x"}`},
	{"patch", "sub-agents/a1/tool-calls/k4", `{"status":"success","result":"x"}`},
	{"create", "sub-agents/a1/messages/x9", `{"role":"tool","content":"x","toolCallId":"k1"}`},
	{"create", "sub-agents/a1/messages/x9", `{"role":"tool","content":"x","toolCallId":"none"}`},
	{"create", "sub-agents/a1/messages/x9", `{"role":"user","content":"do it"}`},
	{"create", "sub-agents/a1/messages/x9", `{"role":"system","content":"do it"}`},
	// Words of others.
	{"patch", "messages/m1", `{"content":"words"}`},
	{"patch", "messages/m1", `{"parts":[{"type":"text","text":"words"}]}`},
	{"put", "messages/m1", `{"role":"user","content":"words"}`},
	{"patch", "sub-agents/a1/messages/x1", `{"content":"words"}`},
	{"create", "messages/m9", `{"role":"user","content":"one","parts":[{"type":"text","text":"another"}]}`},
	{"create", "messages/m9", `{"role":"assistant","content":"one","parts":[{"type":"text","text":"another"}]}`},
	{"create", "messages/m9", `{"role":"user","content":"x","handedTo":"agent:general"}`},
	{"create", "messages/m9", `{"role":"user","content":"x","questionId":"k1","taskId":"t1"}`},
	{"create", "messages/m9", `{"role":"assistant","content":"x","repliesTo":"none"}`},
	{"create", "messages/m9", `{"role":"assistant","content":"x","taskId":"none"}`},
	{"create", "messages/m9", `{"role":"assistant","content":"x","executionId":"none"}`},
	// Books.
	{"create", "messages/m9", `{"role":"assistant","content":"x","metadata":{"usage":{"inputTokens":9,"outputTokens":9}}}`},
	{"create", "messages/m9", `{"role":"assistant","content":"x","metadata":{"costMicros":9}}`},
	{"create", "sub-agents/a1/messages/x9", `{"role":"assistant","content":"x","metadata":{"costMicros":9}}`},
	{"patch", "sub-agents/a1", `{"usage":{"inputTokens":999999,"outputTokens":9}}`},
	{"patch", "sub-agents/a1", `{"costMicros":9}`},
	{"patch", "sub-agents/a1", `{"modelMs":9}`},
	{"patch", "sub-agents/a1", `{"iterationCount":1000000}`},
	{"patch", "sub-agents/a1", `{"iterationCount":0}`},
	{"patch", "tasks/t1", `{"usage":{"inputTokens":9,"outputTokens":9}}`},
	{"patch", "tasks/t1", `{"costMicros":9}`},
	{"patch", "tasks/t1", `{"steps":9}`},
	{"patch", "", `{"usage":{"inputTokens":0,"outputTokens":0}}`},
	{"patch", "", `{"costMicros":null}`},
	{"patch", "", `{"unsaidCostMicros":9}`},
	{"patch", "", `{"forkedFrom":{"userId":"mia","chatId":"x","messageId":"m","saidAt":1}}`},
	// What has ended, and what stays where it is.
	{"patch", "tasks/t3", `{"status":"pending"}`},
	{"patch", "tasks/t3", `{"status":"running"}`},
	{"patch", "tasks/t3", `{"result":"43"}`},
	{"patch", "sub-agents/a3", `{"status":"active"}`},
	{"patch", "", `{"projectId":null}`},
	{"patch", "", `{"accountId":null}`},
	{"patch", "", `{"accountId":null,"projectId":null}`},
	{"delete", "messages/m1", ""},
	{"delete", "tasks/t1", ""},
	{"delete", "sub-agents/a1", ""},
	{"delete", "sub-agents/a1/messages/x1", ""},
	{"delete", "sub-agents/a1/tool-calls/k1", ""},
}

func TestNobodyWritesWhatIsTheRuntimesToSay(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.runtimeDocuments()
		for name, as := range w.writers() {
			mark := w.mark()
			for _, f := range forbiddenWrites {
				p := sharedChat
				if f.path != "" {
					p += nestor.Path("/" + f.path)
				}
				for _, transport := range []string{"docs", "batch", "push"} {
					accepted, text := w.send(as, transport, f.op, p, f.body)
					if accepted || strings.Contains(text, "went wrong inside") {
						t.Errorf("%s, %s by %s of %s %s: %s", name, f.op, transport, f.path, f.body, text)
					}
				}
			}
			written := slices.DeleteFunc(w.changesAfter(mark), func(line string) bool { return strings.HasSuffix(line, " documents") })
			if len(written) > 0 {
				t.Errorf("%s wrote %v", name, written)
				w.runtimeDocuments()
			}
		}
	})
}

// Who may write what is told by the names of the writers. All others are refused.
var allowedWrites = []struct{ op, path, body, who string }{
	{"patch", "", `{"title":"new"}`, "session, write key, scoped key, local, messages"},
	{"put", "", `{"title":"new"}`, "session, write key, scoped key, local, messages"},
	{"patch", "", `{"titleGenerated":true}`, "local, messages"},
	{"patch", "", `{"metadata":{"x":1}}`, "session, write key, scoped key, local"},
	{"patch", "", `{"projectId":"team.spare"}`, "session, write key, scoped key, local"},
	{"patch", "", `{"accountId":"elsewhere","projectId":"elsewhere.p"}`, "local"},
	{"create", "messages/NEW", `{"role":"user","content":"x"}`, "session, member, write key, scoped key, local"},
	{"create", "messages/NEW", `{"role":"user","content":"x","parts":[{"type":"text","text":"x"}]}`, "session, member, write key, scoped key, local"},
	{"create", "messages/NEW", `{"role":"assistant","content":"x","repliesTo":"m1","metadata":{"model":"m","durationMs":5}}`, "local, messages, tasks, task that waits"},
	{"create", "messages/NEW", `{"role":"assistant","content":"x","taskId":"t1"}`, "local, messages, task that waits"},
	{"create", "messages/NEW", `{"role":"system","type":"status","content":"x"}`, "local, messages, tasks, task that waits"},
	{"create", "tasks/NEW", `{"type":"agent","name":"agent:general","instruction":"x","status":"pending","triggerMessageId":"m1"}`, "local, messages"},
	{"patch", "tasks/t2", `{"status":"failed","error":"x"}`, "local, tasks"},
	{"patch", "tasks/t1", `{"status":"success","result":"x","endedAt":5}`, "local, sub_agents, sub_agent_messages"},
	{"patch", "sub-agents/a1", `{"status":"completed","iterationCount":2,"summary":"x"}`, "local, sub_agents, sub_agent_messages"},
	{"create", "sub-agents/a1/messages/NEW", `{"role":"assistant","content":"x","repliesTo":"x1"}`, "local, sub_agents, sub_agent_messages"},
	{"create", "sub-agents/a1/tool-calls/NEW", `{"toolName":"search","args":{},"status":"pending"}`, "local, sub_agents, sub_agent_messages"},
	{"patch", "sub-agents/a1/tool-calls/k2", `{"status":"running"}`, "local, sub_agent_tool_calls"},
	{"patch", "sub-agents/a1/tool-calls/k2", `{"status":"success","result":"x"}`, "local, sub_agent_tool_calls"},
}

func TestEachStageWritesWhatItMaySayAndNothingElse(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		n := 0
		for name, as := range w.writers() {
			for _, a := range allowedWrites {
				for _, transport := range []string{"docs", "batch", "push"} {
					w.runtimeDocuments()
					n++
					p := sharedChat
					if a.path != "" {
						p += nestor.Path("/" + strings.Replace(a.path, "NEW", fmt.Sprint("n", n), 1))
					}
					accepted, text := w.send(as, transport, a.op, p, a.body)
					if want := slices.Contains(strings.Split(a.who, ", "), name); accepted != want {
						t.Errorf("%s, %s by %s of %s %s: %v, want %v: %s", name, a.op, transport, a.path, a.body, accepted, want, text)
					}
				}
			}
		}
	})
}

// An agent begins with its task and has its place from that; a call is answered once.
func TestWhatAStageNamesIsThereAndNamedOnce(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.runtimeDocuments()
		c := string(sharedChat)
		w.write(c+"/tasks/t4", `{"type":"agent","name":"agent:general","instruction":"x","status":"pending","parentAgentId":"a1","parentCallId":"k2","depth":1,"askedBy":["vic"]}`)
		as := func(of string) []string {
			return []string{"Authorization", w.grant("olga", sharedChat, sharedChat+"/"+nestor.Path(of))}
		}
		begins := as("tasks/t4")
		const agent = `{"taskId":"t4","role":"general","status":"active","iterationCount":0}`
		w.want(201, "PUT", "/docs/"+c+"/sub-agents/a4", agent, `"parentId":"a1"`, begins...)
		w.want(200, "GET", "/docs/"+c+"/sub-agents/a4", "", `"depth":1`)
		w.want(200, "GET", "/docs/"+c+"/sub-agents/a4", "", `"askedBy":["vic"]`)
		w.want(409, "PUT", "/docs/"+c+"/sub-agents/a5", agent, "", begins...)
		w.want(400, "PATCH", "/docs/"+c+"/tasks/t4", `{"status":"running","subAgentId":"a1"}`, `"field":"subAgentId"`, begins...)
		w.want(200, "PATCH", "/docs/"+c+"/tasks/t4", `{"status":"running","subAgentId":"a4"}`, "", begins...)
		w.want(409, "PUT", "/docs/"+c+"/sub-agents/a5", agent, "has an agent", begins...)
		w.want(201, "PUT", "/docs/"+c+"/sub-agents/a4/messages/s", `{"role":"system","content":"x"}`, "", begins...)
		w.want(403, "PUT", "/docs/"+c+"/sub-agents/a1/messages/s", `{"role":"system","content":"x"}`, "does not belong", begins...)

		// An agent answers in the chat if it is the chat's participant.
		w.write(c+"/tasks/t6", `{"type":"agent","name":"agent:general","instruction":"x","status":"running","subAgentId":"a6","standing":true}`,
			c+"/sub-agents/a6", `{"taskId":"t6","role":"general","status":"active","iterationCount":0,"standing":true}`)
		w.want(201, "PUT", "/docs/"+c+"/messages/s1", `{"role":"assistant","content":"x","taskId":"t6","repliesTo":"m1"}`, "", as("sub-agents/a6")...)
		w.want(403, "PUT", "/docs/"+c+"/messages/s2", `{"role":"assistant","content":"x","taskId":"t1"}`, "does not belong", as("sub-agents/a6")...)

		runs := as("sub-agents/a1/tool-calls/k2")
		const answer = `{"role":"tool","content":"x","toolCallId":"k2"}`
		w.want(200, "PATCH", "/docs/"+c+"/sub-agents/a1/tool-calls/k2", `{"status":"success","result":"x"}`, "", runs...)
		w.want(200, "PATCH", "/docs/"+c+"/sub-agents/a1/tool-calls/k2", `{"status":"success","result":"x"}`, `"version":2`, runs...)
		w.want(400, "PATCH", "/docs/"+c+"/sub-agents/a1/tool-calls/k2", `{"result":"y"}`, "", runs...)
		w.want(201, "PUT", "/docs/"+c+"/sub-agents/a1/messages/r", answer, "", runs...)
		w.want(200, "PUT", "/docs/"+c+"/sub-agents/a1/messages/r", answer, `"version":1`, runs...)
		w.want(409, "PUT", "/docs/"+c+"/sub-agents/a1/messages/r2", answer, "answered already", runs...)
		w.want(403, "POST", "/chats/c1/sub-agents/a1/tool-calls/k1/decision", `{"action":"approve"}`, "people decide", runs...)

		// What is refused says which field it was, and what can be done.
		w.want(403, "PATCH", "/docs/"+c, `{"usage":null}`, `"field":"usage"`, "Authorization", w.session("olga"))
		w.want(400, "PATCH", "/docs/"+c, `{"projectId":null}`, `"field":"projectId"`, "Authorization", w.apiKey("olga", access.ScopeWrite))
		w.want(400, "PATCH", "/docs/"+c+"/tasks/t3", `{"status":"pending"}`, "retry")
		w.want(403, "PATCH", "/docs/"+c+"/tasks/t3", `{"status":"pending"}`, "retry", "Authorization", w.apiKey("olga", access.ScopeWrite))
		// What a Put leaves out and is the server's stays.
		w.want(200, "PUT", "/docs/"+c, `{"title":"x"}`, `"costMicros":7`, "Authorization", w.apiKey("olga", access.ScopeWrite))
		d := w.want(200, "GET", "/docs/"+c, "", `"accountId":"team"`)
		if d["projectId"] != "team.p" || d["usage"] == nil {
			t.Errorf("the chat is %v", d)
		}
		// Collections of one's own below a chat are written as ever.
		w.want(201, "PUT", "/docs/"+c+"/notes/n", `{"x":1}`, "", "Authorization", w.apiKey("olga", access.ScopeWrite))
		w.want(204, "DELETE", "/docs/"+c+"/notes/n", "", "", "Authorization", w.apiKey("olga", access.ScopeWrite))
	})
}
