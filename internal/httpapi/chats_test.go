package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// scenario is one call. CHAT stands for the id of a chat of the caller's with
// one of everything in it; the same chat of another user is OTHER.
type scenario struct {
	name               string
	method, path, body string
	header             []string
	status             int
	contains           []string // in the answer
	changes            []string // in the store
	calls              []string // of the agents
}

var scenarios = []scenario{
	{
		name: "a chat is created", method: "POST", path: "/chats", body: `{"title":"Plans","modelConnectionId":"gpt"}`, status: 201,
		contains: []string{`"title":"Plans"`, `"modelConnectionId":"gpt"`, `"userId":"local"`, `"version":1`}, changes: []string{"create chats"},
	},
	{
		name: "a chat needs nothing", method: "POST", path: "/chats", status: 201,
		contains: []string{`"userId":"local"`}, changes: []string{"create chats"},
	},
	{
		name: "a chat has a budget", method: "POST", path: "/chats", body: `{"budget":{"tokens":1000}}`, status: 201,
		contains: []string{`"budget":{"tokens":1000}`}, changes: []string{"create chats"},
	},
	{
		name: "what is not the client's to say of a chat is refused", method: "POST", path: "/chats", body: `{"costMicros":1}`, status: 400,
		contains: []string{"costMicros"},
	},
	{
		name: "a chat with a broken id is refused", method: "POST", path: "/chats", body: `{"id":"a/b"}`, status: 400,
		contains: []string{"outside A-Z"},
	},
	{
		name: "a chat is read", method: "GET", path: "/chats/CHAT", status: 200, contains: []string{`"id":"CHAT"`, `"title":"CHAT"`},
	},
	{
		name: "a chat that there is not", method: "GET", path: "/chats/none", status: 404, contains: []string{`"code":"not_found"`},
	},
	{
		name: "the chat of another does not exist", method: "GET", path: "/chats/OTHER", status: 404, contains: []string{`"code":"not_found"`},
	},
	{
		name: "a path trick", method: "GET", path: "/chats/%2e%2e%2fother", status: 400, contains: []string{`"code":"invalid"`},
	},
	{
		name: "a chat is changed", method: "PATCH", path: "/chats/CHAT", body: `{"title":"New","modelConnectionId":"x"}`, status: 200,
		contains: []string{`"title":"New"`, `"modelConnectionId":"x"`, `"version":2`}, changes: []string{"update chats"},
	},
	{
		name: "a field of a chat is removed", method: "PATCH", path: "/chats/CHAT", body: `{"title":null}`, status: 200,
		contains: []string{`{"id":"CHAT","userId":"local","version":2`}, changes: []string{"update chats"},
	},
	{
		name: "a chat is changed at the version seen", method: "PATCH", path: "/chats/CHAT", body: `{"title":"New"}`,
		header: []string{"If-Match", `"1"`}, status: 200, contains: []string{`"version":2`}, changes: []string{"update chats"},
	},
	{
		name: "a chat that moved on is not changed", method: "PATCH", path: "/chats/CHAT", body: `{"title":"New"}`,
		header: []string{"If-Match", `"7"`}, status: 412, contains: []string{`"code":"conflict"`},
	},
	{
		name: "whose a chat is does not change", method: "PATCH", path: "/chats/CHAT", body: `{"projectId":"p"}`, status: 400,
		contains: []string{"title, modelConnectionId, budget"},
	},
	{
		name: "a title is text", method: "PATCH", path: "/chats/CHAT", body: `{"title":7}`, status: 400, contains: []string{`"code":"invalid"`},
	},
	{
		name: "a chat that there is not is not changed", method: "PATCH", path: "/chats/none", body: `{"title":"x"}`, status: 404,
	},
	{
		name: "a chat goes with all below it", method: "DELETE", path: "/chats/CHAT", status: 204,
		calls: []string{"stop users/local/orch-chats/CHAT local"},
		changes: []string{
			"delete chats", "delete messages", "delete sub_agent_messages", "delete sub_agent_tool_calls", "delete sub_agents", "delete tasks",
		},
	},
	{
		name: "a chat that moved on is not deleted", method: "DELETE", path: "/chats/CHAT", header: []string{"If-Match", "9"}, status: 412,
	},
	{
		name: "the chat of another is not deleted", method: "DELETE", path: "/chats/OTHER", status: 404,
	},
	{
		name: "something is said", method: "POST", path: "/chats/CHAT/messages", body: `{"content":"Hi <b>you</b> ☺"}`, status: 201,
		contains: []string{
			`"content":"Hi <b>you</b> ☺"`, `"role":"user"`, `"type":"text"`, `"isLlmMessage":true`, `"chatId":"CHAT"`, `"version":1`,
		},
		changes: []string{"create messages"},
	},
	{
		name: "nothing is said", method: "POST", path: "/chats/CHAT/messages", body: `{"content":" \n"}`, status: 400,
		contains: []string{"content must not be empty"},
	},
	{
		name: "something is said to nobody", method: "POST", path: "/chats/none/messages", body: `{"content":"hi"}`, status: 404,
	},
	{
		name: "nobody speaks in the chat of another", method: "POST", path: "/chats/OTHER/messages", body: `{"content":"hi"}`, status: 404,
	},
	{
		name: "nobody speaks as somebody else", method: "POST", path: "/chats/CHAT/messages", body: `{"content":"hi","role":"system"}`, status: 400,
		contains: []string{"role"},
	},
	{
		name: "broken text is refused, not mended", method: "POST", path: "/chats/CHAT/messages", body: "{\"content\":\"a\xffb\"}", status: 400,
		contains: []string{"valid UTF-8"},
	},
	{
		name: "text that a database cannot hold is refused", method: "POST", path: "/chats/CHAT/messages", body: `{"content":"a\u0000b"}`, status: 400,
		contains: []string{"U+0000"},
	},
	{
		name: "a message that is no JSON", method: "POST", path: "/chats/CHAT/messages", body: `hi`, status: 400, contains: []string{`"code":"invalid"`},
	},
	{
		name: "a message larger than a document can be", method: "POST", path: "/chats/CHAT/messages",
		body: `{"content":"` + strings.Repeat("x", 1<<20) + `"}`, status: 413, contains: []string{`"code":"too_large"`},
	},
	{
		name: "a message larger than a request can be", method: "POST", path: "/chats/CHAT/messages",
		body: `{"content":"` + strings.Repeat("x", 3<<20) + `"}`, status: 413, contains: []string{`"code":"too_large"`},
	},
	{
		name: "messages are listed", method: "GET", path: "/chats/CHAT/messages", status: 200,
		contains: []string{`{"items":[{"id":"m1",`, `"content":"hello from CHAT"`},
	},
	{
		name: "the messages of no chat", method: "GET", path: "/chats/none/messages", status: 404,
	},
	{
		name: "the messages of another", method: "GET", path: "/chats/OTHER/messages", status: 404,
	},
	{
		name: "a limit that is none", method: "GET", path: "/chats/CHAT/messages?limit=0", status: 400, contains: []string{"1 to 1000"},
	},
	{
		name: "a cursor that is none", method: "GET", path: "/chats/CHAT/messages?cursor=x", status: 400, contains: []string{"cursor"},
	},
	{
		name: "tasks are listed", method: "GET", path: "/chats/CHAT/tasks", status: 200, contains: []string{`{"items":[{"id":"t1"`},
	},
	{
		name: "sub-agents are listed", method: "GET", path: "/chats/CHAT/sub-agents", status: 200, contains: []string{`{"items":[{"id":"a1"`},
	},
	{
		name: "the messages of an agent are listed", method: "GET", path: "/chats/CHAT/sub-agents/a1/messages", status: 200,
		contains: []string{`{"items":[{"id":"x1"`},
	},
	{
		name: "the tool calls of an agent are listed", method: "GET", path: "/chats/CHAT/sub-agents/a1/tool-calls", status: 200,
		contains: []string{`{"items":[{"id":"k1"`},
	},
	{
		name: "the inside of no agent", method: "GET", path: "/chats/CHAT/sub-agents/none/messages", status: 404,
	},
	{
		name: "the inside of another's agent", method: "GET", path: "/chats/OTHER/sub-agents/a1/tool-calls", status: 404,
	},
	{
		name: "a task is given", method: "POST", path: "/chats/CHAT/tasks", body: `{"name":"agent:general","instruction":"Find out"}`, status: 201,
		contains: []string{`"type":"agent"`, `"status":"pending"`, `"name":"agent:general"`, `"instruction":"Find out"`}, changes: []string{"create tasks"},
	},
	{
		name: "a task without a role", method: "POST", path: "/chats/CHAT/tasks", body: `{"name":"general","instruction":"x"}`, status: 400,
		contains: []string{"agent:general"},
	},
	{
		name: "a task without an instruction", method: "POST", path: "/chats/CHAT/tasks", body: `{"name":"agent:general"}`, status: 400,
		contains: []string{"instruction must not be empty"},
	},
	{
		name: "a tool is called", method: "POST", path: "/chats/CHAT/tasks", status: 201,
		body:     `{"type":"tool","name":"tool:calculator","args":{"expression":"6*7"},"triggerMessageId":"m1"}`,
		contains: []string{`"type":"tool"`, `"status":"pending"`, `"args":{"expression":"6*7"}`, `"instruction":""`, `"triggerMessageId":"m1"`},
		changes:  []string{"create tasks"},
	},
	{
		name: "a tool is called with an instruction", method: "POST", path: "/chats/CHAT/tasks", status: 201,
		body:     `{"name":"tool:calculator","instruction":"6*7","args":null}`,
		contains: []string{`"type":"tool"`, `"instruction":"6*7"`}, changes: []string{"create tasks"},
	},
	{
		name: "a tool that does not exist is called", method: "POST", path: "/chats/CHAT/tasks", body: `{"name":"tool:none"}`, status: 400,
		contains: []string{"there is no tool none"},
	},
	{
		name: "a tool is called in no chat", method: "POST", path: "/chats/none/tasks", body: `{"name":"tool:calculator"}`, status: 404,
	},
	{
		name: "a task of a type that is not its name's", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"type":"agent","name":"tool:calculator","instruction":"6*7"}`, contains: []string{"that of type tool"},
	},
	{
		name: "a task of a type that is none", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"name":"robot:r2","instruction":"x"}`, contains: []string{"tool:calculator"},
	},
	{
		name: "a task of an agent with arguments", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"name":"agent:general","instruction":"x","args":{}}`, contains: []string{"args are for tools"},
	},
	{
		name: "a task whose result fits a schema", method: "POST", path: "/chats/CHAT/tasks", status: 201,
		body:     `{"name":"agent:general","instruction":"x","resultSchema":{"type":"object"}}`,
		contains: []string{`"resultSchema":{"type":"object"}`}, changes: []string{"create tasks"},
	},
	{
		name: "a task of a tool whose result fits a schema", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"name":"tool:calculator","instruction":"6*7","resultSchema":{}}`, contains: []string{`"field":"resultSchema"`},
	},
	{
		name: "a task for a message", method: "POST", path: "/chats/CHAT/tasks", status: 201,
		body:     `{"name":"agent:general","instruction":"x","triggerMessageId":"m1"}`,
		contains: []string{`"triggerMessageId":"m1"`}, changes: []string{"create tasks"},
	},
	{
		name: "a task for a message of no chat", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"name":"agent:general","instruction":"x","triggerMessageId":"none"}`, contains: []string{"there is no message none in this chat"},
	},
	{
		name: "a task for a message whose id is none", method: "POST", path: "/chats/CHAT/tasks", status: 400,
		body: `{"name":"agent:general","instruction":"x","triggerMessageId":"../x"}`, contains: []string{"triggerMessageId"},
	},
	{
		name: "a task in no chat", method: "POST", path: "/chats/none/tasks", body: `{"name":"agent:general","instruction":"x"}`, status: 404,
	},
	{
		name: "a task is cancelled", method: "POST", path: "/chats/CHAT/tasks/t1/cancel", status: 200, contains: []string{`"id":"t1"`},
		calls: []string{"cancel users/local/orch-chats/CHAT/tasks/t1 local"},
	},
	{
		name: "a task is paused", method: "POST", path: "/chats/CHAT/tasks/t1/pause", status: 200, contains: []string{`"id":"t1"`},
		calls: []string{"pause users/local/orch-chats/CHAT/tasks/t1 local"},
	},
	{
		name: "a task goes on", method: "POST", path: "/chats/CHAT/tasks/t1/resume", status: 200, contains: []string{`"id":"t1"`},
		calls: []string{"resume users/local/orch-chats/CHAT/tasks/t1 local"},
	},
	{
		name: "a task is tried again", method: "POST", path: "/chats/CHAT/tasks/t1/retry", status: 200, contains: []string{`"id":"t1"`},
		calls: []string{"retry users/local/orch-chats/CHAT/tasks/t1 local"},
	},
	{
		name: "a task that there is not", method: "POST", path: "/chats/CHAT/tasks/none/cancel", status: 404,
		calls: []string{"cancel users/local/orch-chats/CHAT/tasks/none local"},
	},
	{
		name: "a task is steered", method: "POST", path: "/chats/CHAT/tasks/t1/messages", body: `{"content":"rather so"}`, status: 201,
		contains: []string{`"content":"rather so"`}, calls: []string{"steer users/local/orch-chats/CHAT/tasks/t1 local rather so"},
	},
	{
		name: "an agent's question is answered", method: "POST", path: "/chats/CHAT/tasks/t1/answer", body: `{"id":"m9","questionId":"k1","content":"Friday"}`, status: 201,
		contains: []string{`"content":"Friday"`, `"questionId":"k1"`, `"authorId":"local"`}, calls: []string{"answer users/local/orch-chats/CHAT/tasks/t1 local k1 Friday"},
	},
	{
		name: "an answer that is there is found", method: "POST", path: "/chats/CHAT/tasks/t1/answer", body: `{"id":"again","questionId":"k1","content":"Friday"}`, status: 200,
		contains: []string{`"content":"Friday"`}, calls: []string{"answer users/local/orch-chats/CHAT/tasks/t1 local k1 Friday"},
	},
	{
		name: "silence is no answer", method: "POST", path: "/chats/CHAT/tasks/t1/answer", body: `{"questionId":"k1","content":" "}`, status: 400,
	},
	{
		name: "a task is not steered by silence", method: "POST", path: "/chats/CHAT/tasks/t1/messages", body: `{"content":""}`, status: 400,
	},
	{
		name: "a chat is stopped", method: "POST", path: "/chats/CHAT/stop", status: 204,
		calls: []string{"stop users/local/orch-chats/CHAT local"},
	},
	{
		name: "a call is approved with other arguments", method: "POST", path: "/chats/CHAT/sub-agents/a1/tool-calls/k1/decision",
		body: `{"action":"approve","args":{"q":"cats"}}`, status: 200, contains: []string{`"id":"k1"`},
		calls: []string{`decide users/local/orch-chats/CHAT/sub-agents/a1/tool-calls/k1 local approve {"q":"cats"}`},
	},
	{
		name: "a call is denied", method: "POST", path: "/chats/CHAT/sub-agents/a1/tool-calls/k1/decision",
		body: `{"action":"deny","args":null,"reason":"no"}`, status: 200,
		calls: []string{`decide users/local/orch-chats/CHAT/sub-agents/a1/tool-calls/k1 local deny  no`},
	},
	{
		name: "a decision that is none", method: "POST", path: "/chats/CHAT/sub-agents/a1/tool-calls/k1/decision", body: `{"action":"maybe"}`, status: 400,
		contains: []string{"approve, deny, result, fail, retry, done, skip"},
	},
	{
		name: "nobody decides in another's name", method: "POST", path: "/chats/CHAT/sub-agents/a1/tool-calls/k1/decision",
		body: `{"action":"deny","by":"somebody"}`, status: 400, contains: []string{"by"},
	},
	{
		name: "an order that is none", method: "GET", path: "/chats?order=best", status: 400, contains: []string{"created", "updated"},
	},
}

func TestChatRoutes(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		for i, sc := range scenarios {
			chat := fmt.Sprintf("c%d", i)
			a.seed("local", chat)
			a.seed("other", "o-"+chat)
			fill := strings.NewReplacer("CHAT", chat, "OTHER", "o-"+chat).Replace
			mark := a.mark()
			a.agents.asked() // and forget it
			t.Run(sc.name, func(t *testing.T) {
				status, answer := (&api{TB: t, server: a.server, client: a.client}).call(sc.method, fill(sc.path), fill(sc.body), sc.header...)
				if status != sc.status {
					t.Errorf("%d %s, want %d", status, answer, sc.status)
				}
				for _, part := range sc.contains {
					if !strings.Contains(answer, fill(part)) {
						t.Errorf("%s\nis without %s", answer, fill(part))
					}
				}
				changes := a.changesAfter(mark)
				if slices.Sort(changes); !slices.Equal(changes, sc.changes) {
					t.Errorf("changed %q, want %q", changes, sc.changes)
				}
				calls := slices.Clone(sc.calls)
				for i := range calls {
					calls[i] = fill(calls[i])
				}
				if asked := a.agents.asked(); !slices.Equal(asked, calls) {
					t.Errorf("the agents were asked to %q, want %q", asked, calls)
				}
			})
		}
	})
}

func TestARepeatedRequestCreatesOnce(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		a.seed("local", "c2")
		for _, c := range []struct{ path, first, other string }{
			{"/chats", `{"id":"ID","title":"one"}`, `{"id":"ID","title":"two"}`},
			{"/chats/c1/messages", `{"id":"ID","content":"one"}`, `{"id":"ID","content":"two"}`},
			{"/chats/c1/tasks", `{"id":"ID","name":"agent:x","instruction":"one"}`, `{"id":"ID","name":"agent:x","instruction":"two"}`},
		} {
			byID := strings.NewReplacer("ID", "mine")
			made := a.want(201, "POST", c.path, byID.Replace(c.first), `"id":"mine"`)
			again := a.want(200, "POST", c.path, byID.Replace(c.first), "")
			if made["seq"] != again["seq"] {
				t.Errorf("%s: written as %v and as %v", c.path, made["seq"], again["seq"])
			}
			a.want(409, "POST", c.path, byID.Replace(c.other), `"code":"already_exists"`)

			byKey := strings.NewReplacer(`"id":"ID",`, "")
			key := []string{"Idempotency-Key", "a key/with anything"}
			made = a.want(201, "POST", c.path, byKey.Replace(c.first), "", key...)
			if again := a.want(200, "POST", c.path, byKey.Replace(c.first), "", key...); again["id"] != made["id"] {
				t.Errorf("%s: created as %v and as %v", c.path, made["id"], again["id"])
			}
			a.want(409, "POST", c.path, byKey.Replace(c.other), `"code":"already_exists"`, key...)
			a.want(400, "POST", c.path, byKey.Replace(c.first), "255", "Idempotency-Key", strings.Repeat("x", 256))
		}
		// The same key in another chat is another message.
		a.want(201, "POST", "/chats/c2/messages", `{"content":"one"}`, "", "Idempotency-Key", "a key/with anything")
		// What has been done since does not matter to the request.
		a.write("users/local/orch-chats/c1/tasks/mine", `{"type":"agent","name":"agent:x","instruction":"one","status":"success","result":"done"}`)
		a.want(200, "POST", "/chats/c1/tasks", `{"id":"mine","name":"agent:x","instruction":"one"}`, `"status":"success"`)
	})
}

func TestListsGoPageByPageOldestFirst(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.want(201, "POST", "/chats", `{"id":"c"}`, "")
		var want []string
		for i := range 5 {
			want = append(want, fmt.Sprintf("m%d", i))
			a.want(201, "POST", "/chats/c/messages", fmt.Sprintf(`{"id":"m%d","content":"x"}`, i), "")
		}
		if got := a.pages("/chats/c/messages?limit=2", 3); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

func TestChatsByTheLatestUpdate(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("other", "not-mine")
		last := ""
		for _, id := range []string{"c1", "c2", "c3", "c1"} {
			// Until the clock, which counts in milliseconds, has moved on.
			for a.updated(id) <= a.updated(last) {
				a.write("users/local/orch-chats/"+id, `{}`)
			}
			last = id
		}
		if got := a.pages("/chats?limit=2", 2); !slices.Equal(got, []string{"c1", "c2", "c3"}) {
			t.Errorf("as created: %v", got)
		}
		if got := a.pages("/chats?limit=2&order=updated", 2); !slices.Equal(got, []string{"c1", "c3", "c2"}) {
			t.Errorf("as updated: %v", got)
		}
	})
}

// updated is when a chat of the caller's was last written, 0 if it was not.
func (a *api) updated(chat string) int64 {
	_, text := a.call("GET", "/chats/"+chat, "")
	var d struct{ UpdatedAt int64 }
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		a.Fatal(err)
	}
	return d.UpdatedAt
}

// pages reads a list to its end, in that many pages, and returns the ids.
func (a *api) pages(path string, pages int) (ids []string) {
	a.Helper()
	cursor := ""
	for range pages {
		var page struct {
			Items []struct{ ID string }
			Next  string
		}
		_, text := a.call("GET", path+"&cursor="+cursor, "")
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			a.Fatal(err)
		}
		for _, d := range page.Items {
			ids = append(ids, d.ID)
		}
		cursor = page.Next
	}
	if cursor != "" {
		a.Errorf("there are more than %d pages", pages)
	}
	return ids
}

func TestANewChatHasItsPlace(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{api: func(o *httpapi.Options) {
			o.Place = func(_ store.Tx, user, project string) (string, string, error) {
				return "account-of-" + user, project + "-or-default", nil
			}
		}})
		a.want(201, "POST", "/chats", `{"projectId":"p1"}`, `"accountId":"account-of-local"`)
		a.want(201, "POST", "/chats", `{"projectId":"p1"}`, `"projectId":"p1-or-default"`)
	})
}

func TestAGrantReachesItsChatAndNothingElse(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("u1", "c1")
		a.seed("u1", "c2")
		a.seed("local", "c1")
		as := []string{"Authorization", a.grant("u1", "users/u1/orch-chats/c1")}
		a.want(200, "GET", "/chats/c1", "", `"userId":"u1"`, as...)
		a.want(200, "GET", "/chats/c1/sub-agents/a1/messages", "", `"id":"x1"`, as...)
		a.want(403, "POST", "/chats/c1/messages", `{"content":"hi"}`, "forbidden", as...)
		a.want(200, "POST", "/chats/c1/tasks/t1/cancel", "", "", as...)
		a.want(403, "DELETE", "/chats/c1", "", "forbidden", as...) // and nothing in it is stopped
		if asked := a.agents.asked(); !slices.Equal(asked, []string{"cancel users/u1/orch-chats/c1/tasks/t1 u1"}) {
			t.Errorf("asked to %q", asked)
		}
		a.want(403, "GET", "/chats", "", "forbidden", as...)
		a.want(404, "POST", "/chats", `{}`, "not_found", as...)
		for _, path := range []string{"/chats/c2", "/chats/c2/messages", "/chats/c2/sub-agents/a1/tool-calls", "/chats/c2/events"} {
			a.want(404, "GET", path, "", "not_found", as...)
		}
		for path, body := range map[string]string{
			"/chats/c2/messages": `{"content":"x"}`, "/chats/c2/tasks": `{"name":"agent:x","instruction":"x"}`,
			"/chats/c2/stop": "", "/chats/c2/tasks/t1/retry": "", "/chats/c2/tasks/t1/messages": `{"content":"x"}`,
			"/chats/c2/sub-agents/a1/tool-calls/k1/decision": `{"action":"deny"}`,
		} {
			a.want(404, "POST", path, body, "not_found", as...)
		}
		a.want(404, "PATCH", "/chats/c2", `{"title":"x"}`, "not_found", as...)
		a.want(404, "DELETE", "/chats/c2", "", "not_found", as...)
		// A grant for the inside of an agent reaches that, and nothing else in the
		// chat.
		as[1] = a.grant("u1", "users/u1/orch-chats/c2/sub-agents/a1")
		a.want(200, "GET", "/chats/c2/sub-agents/a1/tool-calls", "", `"id":"k1"`, as...)
		a.want(404, "GET", "/chats/c2/messages", "", "not_found", as...)
	})
}

func TestWithoutAgentsOrEventsTheAPISaysSo(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.Agents, o.Feed = nil, nil }})
	a.seed("local", "c1")
	for _, path := range []string{"/chats/c1/stop", "/chats/c1/tasks/t1/pause", "/chats/c1/tasks/t1/messages", "/chats/c1/sub-agents/a1/tool-calls/k1/decision"} {
		a.want(503, "POST", path, `{}`, `"code":"unavailable"`)
	}
	for _, path := range []string{"/chats/c1/events", "/stream"} {
		a.want(503, "GET", path, "", `"code":"unavailable"`)
	}
}
