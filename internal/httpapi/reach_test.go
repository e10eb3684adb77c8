package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// reaching are the credentials of the rows below. All of them are olga's, and each
// may have work done in the chat {chat}.
var reaching = []struct {
	name   string
	scopes string // of a key
}{
	{"a session", ""},
	{"a key that may write", "write"},
	{"a key for the chat", "write,users/{olga}/orch-chats/{chat},users/{olga}/orch-chats/{chat}/**"},
	{"a key for the chat and the documents", "write,users/{olga}/orch-chats/{chat},users/{olga}/orch-chats/{chat}/**,users/{olga}/text-documents/**"},
	{"a key for the chat and another one", "write,users/{olga}/orch-chats/{chat},users/{olga}/orch-chats/{chat}/**,users/{olga}/orch-chats/other,users/{olga}/orch-chats/other/**"},
	{"a webhook of the chat", ""},
}

const (
	readPlan = `read_document {"title":"Plan"}`
	findPlan = `search_documents {"query":"canary"}`
	askFirst = `{"id":"t","name":"agent:general","instruction":"do ask_user {\"question\":\"Which?\"}"}`
)

// later are acts, and which credentials get what is asked for by them, however much
// later it is done: + is yes, - is no and ? is either, in the order of the
// credentials. What is asked for is the canary that a document, a file or another
// chat holds, or that a document is written.
var later = []struct {
	name, get string
	ask       func(r *reach)
}{
	{"a task that reads a document", "+ + - + - -", func(r *reach) { r.task("tool:read_document", `{"title":"Plan"}`) }},
	{"a task that lists documents", "+ + - + - -", func(r *reach) { r.task("tool:read_document", `{"search":"canary"}`) }},
	{"a task that searches chats", "+ + - - + -", func(r *reach) { r.task("tool:search_documents", `{"query":"canary"}`) }},
	{"a task that writes a document", "+ + - + - -", func(r *reach) { r.task("tool:write_document", encoded("title", "by "+r.chat, "content", "words")) }},
	{"a task for an agent that reads", "+ + - + - -", func(r *reach) { r.agent(readPlan) }},
	{"a task for an agent that searches", "+ + - - + -", func(r *reach) { r.agent(findPlan) }},
	{"a task for an agent that writes", "+ + - + - -", func(r *reach) { r.agent("write_document " + encoded("title", "by "+r.chat, "content", "words")) }},
	{"a message to the orchestrator", "+ + - + - -", func(r *reach) { r.say("do create_agent " + encoded("instruction", "do "+readPlan, "type", "general")) }},
	{"a message to the agent of the chat", "+ + - + - -", func(r *reach) {
		r.olga.Wants(200, "PATCH", "chats/"+r.chat, `{"participant":"agent:general"}`)
		r.say("do " + readPlan)
	}},
	{"a message to a graph with tools", "+ + - ? - -", func(r *reach) { r.talkTo("tools"); r.say("do " + readPlan) }},
	{"a message to a graph with an agent", "+ + - ? - -", func(r *reach) { r.talkTo("agent"); r.say("do " + readPlan) }},
	{"a task that is written as a document", "? ? - ? ? -", func(r *reach) {
		r.try("PUT", "docs/"+r.path()+"/tasks/w", `{"type":"tool","name":"tool:read_document","instruction":"","args":{"title":"Plan"}}`)
	}},
	{"a task in a batch", "? ? - ? ? -", func(r *reach) {
		r.try("POST", "batch", `{"operations":[{"op":"create","path":"`+r.path()+`/tasks/b","body":{"type":"tool","name":"tool:search_documents","instruction":"","args":{"query":"canary"}}}]}`)
	}},
	{"a task that is pushed", "? ? - ? ? -", func(r *reach) {
		r.try("POST", "replication/tasks/push", `[{"newDocumentState":{"id":"p","userId":"`+r.olga.id+`","chatId":"`+r.chat+`","type":"tool","name":"tool:search_documents","instruction":"","status":"pending","args":{"query":"canary"}}}]`)
	}},
	{"a call that is written as a document", "? ? - ? ? -", func(r *reach) { r.call(`{"toolName":"search_documents","args":{"query":"canary"},"status":"pending"}`) }},
	{"a call that is written as approved", "- - - - - -", func(r *reach) {
		r.call(`{"toolName":"guarded","args":{"word":"x"},"status":"pending","decisions":[{"action":"approve","by":"local","at":1}]}`)
	}},
	{"an answer to an agent of a session", "+ + - + - -", func(r *reach) {
		r.olga.Wants(201, "POST", "chats/"+r.chat+"/tasks", askFirst)
		r.Settled()
		r.try("POST", "chats/"+r.chat+"/tasks/t/answer?user="+r.olga.id, encoded("questionId", r.question("t"), "content", "do "+readPlan))
	}},
	{"an answer of a session to an agent", "+ + - + - -", func(r *reach) {
		r.try("POST", "chats/"+r.chat+"/tasks?user="+r.olga.id, askFirst)
		r.Settled()
		if id := r.question("t"); id != "" {
			r.olga.Wants(201, "POST", "chats/"+r.chat+"/tasks/t/answer", encoded("questionId", id, "content", "do "+readPlan))
		}
	}},
	{"a word to an agent of a session", "+ + - + - -", func(r *reach) {
		r.olga.Wants(201, "POST", "chats/"+r.chat+"/tasks", askFirst)
		r.Settled()
		r.try("POST", "chats/"+r.chat+"/tasks/t/messages?user="+r.olga.id, encoded("content", "do "+readPlan))
	}},
	{"a task that a session tries again", "+ + - + - -", func(r *reach) {
		r.task("tool:read_document", `{"title":"`+r.chat+`"}`)
		r.Settled()
		r.olga.Wants(201, "POST", "records/text_documents", encoded("title", r.chat, "content", r.canary))
		if id := r.taskID(); id != "" {
			r.olga.Wants(200, "POST", "chats/"+r.chat+"/tasks/"+id+"/retry", "")
		}
	}},
	{"a message with a file of the user", "+ + - - - -", func(r *reach) {
		r.try("POST", "chats/"+r.chat+"/messages?user="+r.olga.id, `{"content":[{"type":"file","fileId":"`+r.olga.file+`"}]}`)
		r.seen(r.try("GET", "chats/"+r.chat+"/files/"+r.olga.file+"?user="+r.olga.id, ""))
	}},
	{"a message with a file that is written as a document", "+ + - - - -", func(r *reach) {
		r.try("PUT", "docs/"+r.path()+"/messages/f", `{"role":"user","type":"text","content":"[file plan.txt]","parts":[{"type":"file","fileId":"`+r.olga.file+`"}]}`)
		r.seen(r.try("GET", "chats/"+r.chat+"/files/"+r.olga.file+"?user="+r.olga.id, ""))
	}},
	{"a task with a file of the user", "+ + - - - -", func(r *reach) {
		r.agent("Look.")
		r.Settled()
		r.try("POST", "chats/"+r.chat+"/tasks/"+r.taskID()+"/messages?user="+r.olga.id, `{"content":[{"type":"file","fileId":"`+r.olga.file+`"}]}`)
		r.seen(r.try("GET", "chats/"+r.chat+"/files/"+r.olga.file+"?user="+r.olga.id, ""))
	}},
}

// What is done for somebody later, by whatever does it, reaches as far as the
// credential with which they asked for it, and no farther.
func TestWhatIsDoneLaterReachesAsFarAsWhoAskedForIt(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		g := newReachable(t, cfg)
		for _, act := range later {
			t.Run(act.name, func(t *testing.T) {
				want := strings.Fields(act.get)
				for i, c := range reaching {
					r := g.with(t, i)
					act.ask(r)
					r.Settled()
					if got := map[bool]string{true: "+", false: "-"}[r.got()]; got != want[i] && want[i] != "?" {
						t.Errorf("%s: %s, want %s: %s", c.name, got, want[i], r.trace)
					}
				}
			})
		}
	})
}

// reachable is a server with olga on it, who has a document, a file and a chat that
// hold a canary.
type reachable struct {
	olga   *olga
	local  *servertest.Person
	model  *directed
	hooks  *hooks
	canary string
	chats  int
	// guarded counts the runs of a tool that waits for somebody's approval.
	guarded atomic.Int64
}

type olga struct {
	*servertest.Person
	id, file string
}

func newReachable(t *testing.T, cfg server.Config) *reachable {
	g := &reachable{model: &directed{}, hooks: newHooks(t), canary: "canary " + nestor.NewID()}
	cfg.Model, cfg.AllowPrivate = g.model, true
	cfg.Tools = []*tool.Tool{tool.New("guarded", tool.Options{NeedsApproval: true}, func(context.Context, struct {
		Word string `json:"word"`
	},
	) (string, error) {
		g.guarded.Add(1)
		return "done", nil
	})}
	cfg.Triggers = []nestor.Trigger{{ID: "hook", Collection: "users/*/orch-chats/*/hooks", Events: []nestor.ChangeType{nestor.Create}, Action: g.hooks.URL}}
	g.local = servertest.Enter(t, cfg)
	g.olga = &olga{Person: g.local.SignIn("olga"), id: "olga"}
	g.olga.Wants(201, "POST", "records/text_documents", encoded("title", "Plan", "content", g.canary))
	g.olga.Wants(201, "POST", "records/text_documents", encoded("title", g.canary, "content", "words"))
	upload := g.olga.Request("POST", "files?filename=plan.txt", g.canary)
	upload.Header.Set("Content-Type", "text/plain")
	var file struct{ ID string }
	if err := json.Unmarshal([]byte(g.olga.Answers(201, upload)), &file); err != nil {
		t.Fatal(err)
	}
	g.olga.file = file.ID
	g.olga.Wants(201, "POST", "chats", `{"id":"other","title":"Other"}`)
	g.olga.Wants(201, "PUT", "docs/users/olga/orch-chats/other/messages/m", `{"role":"user","type":"text","content":"`+g.canary+`","isLlmMessage":false}`)
	drawn := func(id, nodes, edges string) {
		var list []string
		for _, edge := range strings.Fields(edges) {
			ends := strings.FieldsFunc(edge, func(r rune) bool { return r == '.' || r == '>' })
			list = append(list, encoded("sourceNodeId", ends[0], "sourcePortId", ends[1], "targetNodeId", ends[2], "targetPortId", ends[3]))
		}
		g.olga.Wants(201, "POST", "records/agent_graphs", `{"id":"`+id+`","name":"G","nodes":[`+nodes+`],"edges":[`+strings.Join(list, ",")+`]}`)
	}
	node := func(id, kind, parameters string) string {
		return `{"id":"` + id + `","nodeId":"` + kind + `","position":{"x":1,"y":2},"parameters":` + parameters + `}`
	}
	drawn("tools", strings.Join([]string{node("m", "on-chat-message", `{}`), node("t", "input-tools", `{"tools":["read_document"]}`), node("n", "invoke-language-model", `{}`), node("w", "write-chat-message", `{}`)}, ","),
		"m.signal>n.run m.text>n.prompt t.tools>n.tools n.done>w.run n.text>w.text")
	drawn("agent", strings.Join([]string{node("m", "on-chat-message", `{}`), node("n", "invoke-agent", `{"role":"general"}`), node("w", "write-chat-message", `{}`)}, ","),
		"m.signal>n.run m.text>n.instruction n.done>w.run n.text>w.text")
	return g
}

// reach is one credential and a chat of its own.
type reach struct {
	*testing.T
	*reachable
	olga   *olga
	caller *servertest.Person
	chat   string
	asked  int    // requests to the model before
	heard  string // by the caller
	trace  string // of what the caller was answered
}

func (g *reachable) with(t *testing.T, credential int) *reach {
	t.Helper()
	g.chats++
	r := &reach{T: t, reachable: g, olga: &olga{Person: g.olga.In(t), id: g.olga.id, file: g.olga.file}, chat: fmt.Sprintf("c%d", g.chats), asked: g.model.count()}
	r.olga.Wants(201, "POST", "chats", `{"id":"`+r.chat+`","title":"Mine"}`)
	switch c := reaching[credential]; {
	case c.scopes != "":
		scopes := strings.NewReplacer("{olga}", "olga", "{chat}", r.chat).Replace(c.scopes)
		r.caller = r.olga.WithKey(strings.Split(scopes, ",")...)
	case credential == 0:
		r.caller = r.olga.Person
	default:
		g.local.In(t).Wants(201, "PUT", "docs/"+r.path()+"/hooks/h", `{}`)
		r.Settled()
		r.caller = r.olga.With(g.hooks.token(r.path()))
	}
	return r
}

func (r *reach) path() string { return "users/olga/orch-chats/" + r.chat }

func (r *reach) Settled() { r.Helper(); r.olga.Settled() }

// try sends a request that may be refused, and returns the answer.
func (r *reach) try(method, path, body string) string {
	r.Helper()
	res, text := r.caller.Send(r.caller.Request(method, path, body))
	r.trace += fmt.Sprintf("; %s %s: %d %.200s", method, path, res.StatusCode, text)
	if res.StatusCode >= http.StatusInternalServerError {
		r.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return text
}

func (r *reach) seen(text string) { r.heard += text }

func (r *reach) task(name, args string) {
	r.Helper()
	r.try("POST", "chats/"+r.chat+"/tasks?user=olga", `{"name":"`+name+`","args":`+args+`}`)
}

func (r *reach) agent(do string) {
	r.Helper()
	r.try("POST", "chats/"+r.chat+"/tasks?user=olga", encoded("name", "agent:general", "instruction", "do "+do))
}

func (r *reach) say(text string) {
	r.Helper()
	r.try("POST", "chats/"+r.chat+"/messages?user=olga", encoded("content", text))
}

func (r *reach) talkTo(graph string) {
	r.Helper()
	r.olga.Wants(200, "PATCH", "chats/"+r.chat, `{"participant":"graph:`+graph+`"}`)
}

// call writes a task, its agent and a call of it.
func (r *reach) call(call string) {
	r.Helper()
	r.try("PUT", "docs/"+r.path()+"/tasks/t", `{"type":"agent","name":"agent:general","instruction":"x","status":"running","subAgentId":"a"}`)
	r.try("PUT", "docs/"+r.path()+"/sub-agents/a", `{"taskId":"t","role":"general","status":"active","iterationCount":0}`)
	r.try("PUT", "docs/"+r.path()+"/sub-agents/a/tool-calls/k", call)
}

// tasks are those of the chat.
func (r *reach) tasks() []nestor.Task {
	r.Helper()
	var page struct{ Items []nestor.Task }
	r.olga.Into(&page, 200, "GET", "chats/"+r.chat+"/tasks", "")
	return page.Items
}

// taskID is that of the first task, "" if there is none.
func (r *reach) taskID() string {
	r.Helper()
	for _, t := range r.tasks() {
		return t.ID
	}
	return ""
}

func (r *reach) question(task string) string {
	r.Helper()
	for _, t := range r.tasks() {
		if t.ID == task {
			return t.QuestionID
		}
	}
	return ""
}

// got reports whether what was asked for was had: the canary is in the chat, or a
// model or the caller was shown it, or the document is there, or the tool ran that
// nobody approved.
func (r *reach) got() bool {
	r.Helper()
	local := r.local.In(r.T)
	text := r.heard + r.model.since(r.asked)
	for _, flat := range []string{"messages", "tasks", "sub_agents", "sub_agent_messages", "sub_agent_tool_calls"} {
		text += local.Wants(200, "POST", "query", `{"flat":"`+flat+`","where":{"field":"chatId","op":"=","value":"`+r.chat+`"}}`)
	}
	written := r.olga.Wants(200, "POST", "query", `{"collection":"users/olga/text-documents","where":{"field":"title","op":"=","value":"by `+r.chat+`"}}`)
	return r.guarded.Swap(0) > 0 || strings.Contains(text, r.canary) || strings.Contains(written, `"title":"by `+r.chat+`"`)
}

// encoded is an object of texts.
func encoded(fields ...string) string {
	m := map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		m[fields[i]] = fields[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}

// directed is a model that calls the tool that the last words of a person name, as
// in: do calculator {"expression":"1"}. Then it says what came of it.
type directed struct {
	mu      sync.Mutex
	prompts []string
}

var direction = regexp.MustCompile(`do (\w+) (\{.*\})`)

func (m *directed) Name() string { return "directed" }

func (m *directed) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	call, all, results := llm.ToolCall{}, req.System, ""
	for _, said := range req.Messages {
		for _, part := range said.Parts {
			switch part := part.(type) {
			case llm.Text:
				all += part.Text
				if found := direction.FindStringSubmatch(part.Text); said.Role == llm.RoleUser && found != nil {
					call, results = llm.ToolCall{ID: nestor.NewID(), Name: found[1], Arguments: found[2]}, ""
				}
			case llm.ToolCall:
				if part.Name == call.Name && part.Arguments == call.Arguments {
					call = llm.ToolCall{}
				}
			case llm.ToolResult:
				all += part.Content
				results += part.Content
			case llm.Media:
				all += string(part.Data)
			}
		}
	}
	m.mu.Lock()
	m.prompts = append(m.prompts, all)
	m.mu.Unlock()
	events := []llm.Event{llm.Text{Text: "It is done. " + results}, llm.Finish{Reason: llm.ReasonStop}}
	for _, offered := range req.Tools {
		if offered.Name == call.Name {
			events = []llm.Event{call, llm.Finish{Reason: llm.ReasonToolCalls}}
			break
		}
	}
	return func(yield func(llm.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (m *directed) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.prompts)
}

// since are the prompts after the first n.
func (m *directed) since(n int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.prompts[n:], "\n")
}

// hooks receives what a webhook is told, and keeps the token for each chat.
type hooks struct {
	*httptest.Server
	mu     sync.Mutex
	tokens map[string]string
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{tokens: map[string]string{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // of one that was cut there is no token
		var delivery struct{ Path, Token string }
		if json.Unmarshal(body, &delivery) == nil {
			chat, _, _ := strings.Cut(delivery.Path, "/hooks/")
			h.mu.Lock()
			h.tokens[chat] = delivery.Token
			h.mu.Unlock()
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hooks) token(chat string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tokens[chat]
}
