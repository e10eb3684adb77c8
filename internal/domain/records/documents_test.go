package records_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// summary is a version without its content.
type summary struct {
	ID, FirstID, Title, Excerpt string
	Number, Characters          int
	WrittenBy                   author
}

type author struct{ UserID, Role, ChatID, TaskID, SubAgentID, ToolCallID string }

func (p *person) summaries(path string) []summary {
	p.Helper()
	var list struct{ Items []summary }
	p.into(&list, 200, "GET", "records/text_documents/"+path, "")
	return list.Items
}

func TestDocumentsAreListedWithoutTheirContents(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann := p.signIn("ann")
		const at = "records/text_documents"
		plan := p.creates("text_documents", `{"title":"Plan","content":"# Plan\n\nBuy honey.\n"}`)
		p.creates("text_documents", `{"title":"Letter","content":"Dear Ada"}`)
		second := p.creates("text_documents/"+plan+"/versions", `{"content":"# Plan\n\nSell honey.\n"}`)
		ann.creates("text_documents", `{"title":"Hers","content":"honey"}`)

		all := p.summaries("summaries")
		if len(all) != 2 || all[0].ID != second || all[1].Title != "Letter" {
			t.Fatalf("listed are %+v", all)
		}
		if s := all[0]; s.Number != 2 || s.FirstID != plan || s.Excerpt != "# Plan Sell honey." || s.Characters != 20 || s.WrittenBy != (author{UserID: "local"}) {
			t.Errorf("the plan is %+v", s)
		}
		if text := p.wants(200, "GET", at+"/summaries", ""); strings.Contains(text, `"content"`) {
			t.Errorf("contents are listed: %s", text)
		}
		if found := p.summaries("summaries?q=PLAN+sell"); len(found) != 1 || found[0].ID != second {
			t.Errorf("found are %+v", found)
		}
		if found := p.summaries("summaries?q=buy"); len(found) != 0 {
			t.Errorf("an old version is found: %+v", found)
		}
		p.wants(400, "GET", at+"/summaries?limit=0", "")
		p.wants(400, "GET", at+"/summaries?cursor=nonsense", "")
		p.wants(400, "POST", at, `{"id":"summaries","title":"x","content":""}`, `"field":"id"`)

		for _, any := range []string{plan, second} {
			if h := p.summaries(any + "/history"); len(h) != 2 || h[0].ID != second || h[1].ID != plan {
				t.Errorf("the history is %+v", h)
			}
			ann.wants(404, "GET", at+"/"+any+"/history", "")
			ann.wants(404, "POST", at+"/"+any+"/diff", `{"content":""}`)
		}
		p.wants(404, "GET", at+"/none/history", "")
		p.wants(200, "POST", at+"/"+second+"/diff", `{"content":"# Plan\n\nEat honey.\n"}`, `"unified":"@@ -1,3 +1,3 @@\n # Plan\n \n-Sell honey.\n+Eat honey.\n"`, `"toId":""`)
		p.wants(400, "POST", at+"/"+second+"/diff", `{"text":"x"}`)
		if h := p.summaries(plan + "/history"); len(h) != 2 {
			t.Errorf("a comparison wrote something: %+v", h)
		}

		// A document is found by its first id even when that version is gone.
		p.wants(204, "DELETE", "docs/users/local/text-documents/"+plan, "")
		p.settled()
		if h := p.summaries(plan + "/history"); len(h) != 1 || h[0].ID != second {
			t.Errorf("what is left is %+v", h)
		}
		p.wants(403, "PUT", "docs/users/local/text-documents/forged", `{"title":"x","content":"x","previousId":null,"nextId":null,"firstId":"x","number":1,"writtenBy":{"userId":"ann"}}`)
		p.wants(400, "POST", at, `{"title":"x","content":"x","writtenBy":{"userId":"ann"}}`, "writtenBy")
	})
}

// What a person and an agent with the demo model write is one history, and each
// version says who wrote it.
func TestAgentsReadAndWriteDocuments(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := start(t, cfg)
		asks := func(chat, text string) {
			p.wants(201, "POST", "chats/"+chat+"/messages", `{"content":"`+text+`"}`)
			p.settled()
		}
		p.wants(201, "POST", "chats", `{"id":"c1"}`)
		asks("c1", "Write a document about bees: They make honey.")
		made := p.summaries("summaries")
		if len(made) != 1 || made[0].Title != "Bees" || made[0].Excerpt != "# Bees They make honey." {
			t.Fatalf("written is %+v", made)
		}
		by := made[0].WrittenBy
		if by.UserID != "local" || by.Role != "general" || by.ChatID != "c1" {
			t.Errorf("written by %+v", by)
		}
		p.wants(200, "GET", "chats/c1/sub-agents/"+by.SubAgentID+"/tool-calls", "", `"id":"`+by.ToolCallID+`"`, `"toolName":"write_document"`, made[0].ID)
		p.wants(200, "GET", "docs/users/local/orch-chats/c1/tasks/"+by.TaskID, "", `"subAgentId":"`+by.SubAgentID)
		p.wants(200, "GET", "chats/c1/messages", "", "I wrote version 1 of the document [Bees](/documents/"+made[0].ID+")")

		second := p.creates("text_documents/"+made[0].ID+"/versions", `{"content":"# Bees\n\nThey make honey and wax.\n"}`)
		p.wants(201, "POST", "chats", `{"id":"c2"}`)
		asks("c2", "Add royal jelly to the document Bees")
		p.wants(201, "POST", "chats", `{"id":"c3"}`)
		asks("c3", "Summarise the document Bees")
		p.wants(200, "GET", "chats/c3/messages", "", "The document **Bees** has version 3", "They make honey and wax.")
		history := p.summaries(second + "/history")
		if len(history) != 3 || history[0].Excerpt != "# Bees They make honey and wax. Royal jelly" ||
			history[0].WrittenBy.ChatID != "c2" || history[1].WrittenBy != (author{UserID: "local"}) || history[2].WrittenBy != by {
			t.Fatalf("the history is %+v", history)
		}

		// Who changes a version in place has written it.
		p.wants(200, "PATCH", "records/text_documents/"+history[0].ID, `{"content":"mine"}`, `"writtenBy":{"userId":"local"}`)
	})
}
