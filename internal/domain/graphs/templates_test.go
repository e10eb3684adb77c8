package graphs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// template is one as a program reads it.
type template struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Nodes json.RawMessage `json:"nodes"`
	Edges json.RawMessage `json:"edges"`
}

func TestEveryTemplateIsValidAndRunsWithTheDemoModel(t *testing.T) {
	results := map[string][]string{
		"chat-answer":        {`"answer":"I am Nestor's demo model`},
		"research-fan-out":   {`"report":"Summary of the conversation`, "Research how this came about: electric ferries"},
		"approve-then-send":  {`"sent":"Thank you for your message: “Could we meet on Tuesday instead of Monday?”`},
		"summarise-document": {`"summary":"Summary of`, "The harbour opened in 1903", `"title":"The harbour opened in 1903"`},
	}
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		var list struct{ Items []template }
		if err := json.Unmarshal([]byte(p.wants(200, "GET", "graph_templates", "")), &list); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, one := range list.Items {
			ids = append(ids, one.ID)
			drawn := fmt.Sprintf(`"nodes":%s,"edges":%s`, one.Nodes, one.Edges)
			p.wants(200, "POST", graphs+"/validate", "{"+drawn+"}", `"errors":[]`, `"warnings":[]`)
			p.wants(201, "POST", graphs, fmt.Sprintf(`{"id":%q,"name":%q,%s}`, one.ID, one.Name, drawn))
			x := p.runs(one.ID, string(one.Input))
			if one.ID == "approve-then-send" {
				p.approves(x, "Yes, please.")
			}
			p.ends(x, append(results[one.ID], `"status":"completed"`)...)
		}
		if want := []string{"chat-answer", "research-fan-out", "approve-then-send", "summarise-document"}; !slices.Equal(ids, want) {
			t.Errorf("the templates are %q", ids)
		}
		refused := p.runs("approve-then-send", `{"text":"Shall we say yes to all of it?"}`)
		p.approves(refused, "No, I rather call them — yes means yes.")
		if end := p.ends(refused, `"status":"completed"`, `"refused":`); strings.Contains(end, `"sent":`) {
			t.Errorf("what was refused was sent: %s", end)
		}
	})
}

// approves waits until the agent of the template asks, and answers it where the
// execution says that it asks.
func (p *person) approves(execution, answer string) {
	p.Helper()
	waiting := p.ends(execution, `"status":"running"`)
	if strings.Contains(waiting, `"sent":`) {
		p.Fatalf("it was sent before anybody said yes: %s", waiting)
	}
	text := p.wants(200, "GET", executions+"/"+execution+"/resolutions", "")
	_, after, found := strings.Cut(text, `"chatId":"`)
	chat, _, _ := strings.Cut(after, `"`)
	if !found {
		p.Fatalf("no resolution names a chat: %s", text)
	}
	// Clients keep the tasks of all chats by their ids, so no two have the same.
	p.wants(200, "GET", "docs/users/local/orch-chats/"+chat+"/tasks/errand-"+strings.TrimPrefix(chat, "graph-"), "", `"waiting"`)
	p.wants(201, "POST", "chats/"+chat+"/messages", fmt.Sprintf(`{"content":%q}`, answer))
}
