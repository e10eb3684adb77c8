package graphs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// talks has a chat with a graph say something, and returns what it was answered: each
// message as its role, type and content.
func (p *person) talks(chat, text string) []string {
	p.Helper()
	p.wants(201, "POST", "chats/"+chat+"/messages", `{"content":"`+text+`"}`)
	if err := p.Wait(p.Context()); err != nil {
		p.Fatal(err)
	}
	return p.answers(chat, text)
}

// answers are the messages that reply to what was said.
func (p *person) answers(chat, text string) (said []string) {
	p.Helper()
	var page struct{ Items []nestor.Message }
	if err := json.Unmarshal([]byte(p.wants(200, "GET", "chats/"+chat+"/messages", "")), &page); err != nil {
		p.Fatal(err)
	}
	id := ""
	for _, m := range page.Items {
		if m.Role == nestor.RoleUser && m.Content == text {
			id = m.ID
		}
		if id != "" && m.RepliesTo == id {
			said = append(said, string(m.Role)+" "+string(m.Type)+" "+m.Content)
		}
	}
	return said
}

func (p *person) begins(chat, graph string) {
	p.Helper()
	p.wants(201, "POST", "chats", `{"id":"`+chat+`","title":"x","participant":"graph:`+graph+`","systemPrompt":"Be kind."}`, `"participant":"graph:`+graph+`"`)
}

func TestAChatTalksToAGraph(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("says", []string{"m on-chat-message", `j join {"separator":"|"}`, "w write-chat-message"},
			"m.signal>j.run", "m.text>j.a", "m.system>j.b", "m.thread>j.c", "j.done>w.run", "j.text>w.text", "m.chat>w.chat")
		p.draws("asks", []string{"m on-chat-message", "ask invoke-language-model", "w write-chat-message"},
			"m.signal>ask.run", "m.text>ask.prompt", "m.thread>ask.thread", "m.system>ask.system", "ask.done>w.run", "ask.text>w.text")
		p.draws("puts", []string{"s on-start", "o output"}, "s.signal>o.run", "s.text>o.value")
		p.draws("puts2", []string{"s on-start", "o output", "o2 output"}, "s.signal>o.run", "s.text>o.value", "s.signal>o2.run", "s.text>o2.value")
		p.draws("nothing", []string{"m on-chat-message", "l debug-log"}, "m.signal>l.run")
		p.draws("fails", []string{"m on-chat-message", `c condition {"expression":"value.none"}`}, "m.signal>c.run", "m.message>c.value")
		p.draws("empty", []string{"m on-chat-message", `w write-chat-message {"text":""}`}, "m.signal>w.run")
		for graph, want := range map[string]string{
			"says": "assistant text Hello|Be kind.|{\"messages\":[]}", "puts": "assistant text Hello", "puts2": "assistant text ```json\n{\n  \"o\": \"Hello\",\n  \"o2\": \"Hello\"\n}\n```",
			"nothing": "system status The graph “A graph” is done. It wrote nothing.", "fails": "system error The graph “A graph” failed at the node c: ",
			"empty": "system error The graph “A graph” failed at the node w: there is nothing to write: the text is empty",
		} {
			p.begins(graph, graph)
			if said := p.talks(graph, "Hello"); len(said) != 1 || !strings.HasPrefix(said[0], want) {
				t.Errorf("%s: answered was %q, want %q", graph, said, want)
			}
		}
		// What was said before comes with the next message, and each is answered once.
		if said := p.talks("says", "Again"); len(said) != 1 || !strings.Contains(said[0], `Again|Be kind.|{"messages":[{"role":"user","text":"Hello"},{"role":"assistant","text":"Hello|Be kind.`) {
			t.Errorf("answered was %q", said)
		}
		p.wants(200, "GET", executions+"?agentGraphId=says", "", `"status":"completed"`)

		// The chat counts what the models of nodes use, and its budget bounds them.
		p.begins("c", "asks")
		if said := p.talks("c", "What is 6*7?"); len(said) != 1 || !strings.HasPrefix(said[0], "assistant text ") {
			t.Errorf("answered was %q", said)
		}
		p.wants(200, "GET", "chats/c", "", `"usage":{"inputTokens":`)
		p.wants(200, "PATCH", "chats/c", `{"budget":{"tokens":1}}`)
		if said := p.talks("c", "And 6*8?"); len(said) != 1 || !strings.HasPrefix(said[0], "system error ") || !strings.Contains(said[0], "budget") {
			t.Errorf("beyond the budget: %q", said)
		}

		// Without a chat a message is the output, and a graph that is gone is told of.
		p.ends(p.runs("says", `{"text":"Hi"}`), `"output":{"message":"Hi||`)
		p.wants(204, "DELETE", graphs+"/puts", "")
		if said := p.talks("puts", "Still there?"); len(said) != 1 || said[0] != `system error This could not be answered: there is no graph "puts" any more` {
			t.Errorf("answered was %q", said)
		}
	})
}

// A graph works with the rights of its user. So the members of a shared chat cannot have
// it work, nor read what it finds for its user.
func TestAGraphDoesNotAnswerInASharedChat(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("g", []string{"s on-start", "o output"}, "s.signal>o.run", "s.text>o.value")
		var team, project struct{ ID string }
		for _, made := range []struct {
			into       any
			path, body string
		}{{&team, "accounts", `{"name":"Team"}`}, {&project, "accounts/%/projects", `{"name":"Plans"}`}} {
			text := p.wants(201, "POST", strings.ReplaceAll(made.path, "%", team.ID), made.body)
			if err := json.Unmarshal([]byte(text), made.into); err != nil {
				t.Fatal(err)
			}
		}
		p.wants(201, "POST", "chats", `{"id":"shared","title":"x","projectId":"`+project.ID+`","participant":"graph:g"}`)
		if said := p.talks("shared", "Hello"); len(said) != 1 || !strings.HasPrefix(said[0], "system error ") || !strings.Contains(said[0], "nobody else reads") {
			t.Errorf("answered was %q", said)
		}
		p.wants(200, "GET", executions, "", `"items":[]`)
	})
}

func TestWhoStopsAChatStopsItsGraph(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &waiting{demo.New(demo.Options{Instant: true}), make(chan struct{}, 10), make(chan struct{}, 10)}
		cfg.Model = model
		p := start(t, cfg)
		p.draws("g", []string{"m on-chat-message", "ask invoke-language-model", "w write-chat-message"}, "m.signal>ask.run", "m.text>ask.prompt", "ask.done>w.run", "ask.text>w.text")
		p.begins("c", "g")
		p.wants(201, "POST", "chats/c/messages", `{"content":"One"}`)
		p.wants(201, "POST", "chats/c/messages", `{"content":"Two"}`)
		<-model.asked // an execution for each
		<-model.asked
		p.wants(204, "POST", "chats/c/stop", "")
		model.isStopped(t)
		model.isStopped(t)
		if err := p.Wait(p.Context()); err != nil {
			t.Fatal(err)
		}
		all := p.wants(200, "GET", executions, "")
		if n := strings.Count(all, `"status":"cancelled"`); n != 2 {
			t.Errorf("%d executions are cancelled: %s", n, all)
		}
		if said := p.wants(200, "GET", "chats/c/messages", ""); strings.Count(said, "Stopped.") != 1 || strings.Contains(said, `"role":"assistant"`) {
			t.Errorf("said was %s", said)
		}
		x := p.runs("g", `"Three"`)
		<-model.asked
		p.wants(200, "POST", executions+"/"+x+"/cancel", "")
		model.isStopped(t)
	})
}

func TestAParticipantIsOneThatTheCallerCanTalkTo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.draws("mine", []string{"m on-chat-message", "l debug-log"}, "m.signal>l.run")
		p.wants(200, "GET", "participants", "", `"id":"orchestrator"`, `"id":"agent:researcher"`, `"id":"model:default"`, `"id":"graph:mine"`, `"name":"A graph"`)
		bob := p.signIn("bob")
		if list := bob.wants(200, "GET", "participants", "", `"id":"agent:general"`); strings.Contains(list, "mine") {
			t.Errorf("bob can talk to %s", list)
		}
		p.wants(201, "POST", "chats", `{"id":"c","title":"x","participant":"agent:general","metadata":{"n":9007199254740993}}`, `"n":9007199254740993`)
		long := strings.Repeat("x", 32_001)
		for _, bad := range []struct{ body, says string }{
			{`{"participant":"agent:none"}`, "there is no participant \\\"agent:none\\\"; there are: orchestrator, agent:general, agent:researcher, model:default, graph:mine"},
			{`{"participant":"model:none"}`, "there are: "},
			{`{"participant":"graph:none"}`, "there are: "},
			{`{"participant":"graph:a/b"}`, "there are: "},
			{`{"participant":"somebody"}`, "there are: "},
			{`{"participant":"orchestrator:x"}`, "there are: "},
			{`{"participant":7}`, "participant is a text"},
			{`{"systemPrompt":"` + long + `"}`, "more than 32000"},
			{`{"systemPrompt":{}}`, "systemPrompt is a text"},
			{`{"metadata":[1]}`, "the metadata is an object"},
			{`{"metadata":{"x":"` + long + `"}}`, "more than 16384"},
		} {
			p.wants(400, "PATCH", "chats/c", bad.body, bad.says)
			if !strings.Contains(bad.says, "is a text") { // what is no JSON of that kind is refused in other words
				p.wants(400, "POST", "chats", bad.body, bad.says)
			}
		}
		p.wants(200, "GET", "chats/c", "", `"participant":"agent:general"`, `"version":1`)
		bob.wants(400, "POST", "chats", `{"participant":"graph:mine"}`, "there are: ")
		bob.wants(404, "PATCH", "chats/c?user=local", `{"participant":"graph:nobody"}`)
		p.wants(200, "PATCH", "chats/c", `{"participant":"graph:mine","systemPrompt":"Short.","metadata":{"a":1}}`, `"participant":"graph:mine"`, `"systemPrompt":"Short."`, `"metadata":{"a":1,"n":9007199254740993}`)
		half := strings.Repeat("x", 9_000)
		p.wants(200, "PATCH", "chats/c", `{"metadata":{"b":"`+half+`"}}`)
		p.wants(400, "PATCH", "chats/c", `{"metadata":{"c":"`+half+`"}}`, "more than 16384")
		p.wants(200, "PATCH", "chats/c", `{"participant":null,"systemPrompt":null,"metadata":null}`)
		if chat := p.wants(200, "GET", "chats/c", ""); strings.Contains(chat, "participant") || strings.Contains(chat, "systemPrompt") || strings.Contains(chat, "metadata") {
			t.Errorf("the chat is %s", chat)
		}
	})
}
