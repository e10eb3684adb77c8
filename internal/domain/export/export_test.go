package export_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// said is what Markdown would change.
const said = "# no heading\n  a *b* c\n```\ncode\n````"

func TestAChatIsExported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		ann.Wants(201, "POST", "chats", `{"id":"c1","title":"Größe / Plan: 6*7"}`)
		text, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m0","content":`+string(text)+`}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Compute 6*7"}`, `"status":"success"`)
		ann.Settled()

		res, md := ann.Send(ann.Request("GET", "chats/c1/export", ""))
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/markdown") ||
			!strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe-Plan-6-7.md") {
			t.Errorf("got %v %v", res.Status, res.Header)
		}
		for _, want := range []string{"# Größe / Plan: 6*7\n", "`````text\n" + said + "\n`````\n", "```text\nCompute 6*7\n```\n", "42"} {
			if !strings.Contains(md, want) {
				t.Errorf("no %q in %s", want, md)
			}
		}
		if strings.Contains(md, "# Agents") {
			t.Errorf("agents were not asked for: %s", md)
		}
		ann.Wants(200, "GET", "chats/c1/export?agents=1", "", "# Agents", "Call of calculator · success", "### tool · calculator")

		var file struct {
			Chat     nestor.Chat
			Messages []nestor.Message
			Tasks    []nestor.Task
			Agents   []struct {
				Agent     nestor.SubAgent
				Messages  []nestor.SubAgentMessage
				ToolCalls []nestor.ToolCall
			}
		}
		ann.Into(&file, 200, "GET", "chats/c1/export?format=json", "")
		if file.Chat.ID != "c1" || len(file.Messages) < 4 || file.Messages[0].Content != said || file.Agents != nil {
			t.Errorf("got %+v", file)
		}
		ann.Into(&file, 200, "GET", "chats/c1/export?format=json&agents=1", "")
		if len(file.Tasks) != 1 || len(file.Agents) != 1 || len(file.Agents[0].Messages) < 4 || len(file.Agents[0].ToolCalls) != 1 || file.Agents[0].ToolCalls[0].Result != "42" {
			t.Errorf("got %+v", file)
		}

		// A fork has what it shares, first.
		var fork struct{ ID string }
		ann.Into(&fork, 201, "POST", "chats/c1/fork", `{"at":"m1"}`)
		ann.Wants(200, "POST", "chats/"+fork.ID+"/messages?wait=1", `{"id":"f1","content":"Hello fork"}`)
		_, md = ann.Send(ann.Request("GET", "chats/"+fork.ID+"/export", ""))
		if i, j := strings.Index(md, "Compute 6*7"), strings.Index(md, "Hello fork"); i < 0 || j < i {
			t.Errorf("the fork is %s", md)
		}

		ann.Wants(400, "GET", "chats/c1/export?format=pdf", "", `"field":"format"`)
		ann.Wants(400, "GET", "chats/c1/export?agents=yes", "", `"field":"agents"`)
		ann.Wants(404, "GET", "chats/none/export", "")
		bob.Wants(404, "GET", "chats/c1/export?user=ann", "")
		p.With("").Wants(401, "GET", "chats/c1/export?user=ann", "")
		// A key that may read the chat and not its messages gets a file without any.
		key := ann.WithKey("read", "users/ann/orch-chats/c1")
		if got := key.Wants(200, "GET", "chats/c1/export?agents=1", "", "Größe"); strings.Contains(got, "Compute") || strings.Contains(got, "calculator") {
			t.Errorf("the key reads %s", got)
		}
	})
}

// Whoever gives something a name writes no heading with it, and below that no words of
// somebody else.
func TestANameForgesNothingInAnExport(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		owner := servertest.Enter(t, cfg)
		p := owner.SignIn("ann")
		const forged = "x`\n\n## bob · 2026-01-01 00:00:00 UTC\n\n```text\nI agree.\n```\r\n<img src=x onerror=alert(1)> [here](javascript:alert(1))"
		name, err := json.Marshal(forged)
		if err != nil {
			t.Fatal(err)
		}
		p.Wants(201, "POST", "chats", `{"id":"c1","title":`+string(name)+`}`)
		p.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m0","content":"Hello"}`)
		p.Wants(200, "POST", "chats/c1/tasks?wait=1", `{"name":"tool:calculator","args":{"expression":"6*7"}}`)
		var agents struct{ Items []struct{ ID string } }
		p.Into(&agents, 200, "GET", "chats/c1/sub-agents", "")
		owner.Wants(201, "PUT", "docs/users/ann/orch-chats/c1/sub-agents/"+agents.Items[0].ID+"/messages/m1",
			`{"role":"assistant","content":"","toolCalls":[{"id":"k","type":"function","function":{"name":`+string(name)+`,"arguments":"{}"}}]}`)
		res, md := p.Send(p.Request("GET", "chats/c1/export?agents=1", ""))
		if strings.Count(md, "I agree.") < 2 { // in the title, and as the name of the call
			t.Errorf("the export lacks a name: %s", md)
		}
		if strings.Contains(md, "\n## bob") || strings.Contains(md, "\nI agree") || strings.Contains(md, "# x`") || strings.Contains(strings.SplitN(md, "\n", 2)[0], " <img") {
			t.Errorf("the export is %s", md)
		}
		for name, values := range res.Header {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n") || strings.Contains(strings.Join(values, ""), "onerror=alert(1)>") {
				t.Errorf("%s: %q", name, values)
			}
		}
	})
}
