package records_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

type turns struct {
	TurnCount int
	Turns     []struct {
		ID, SenderID string
		Partials     []struct {
			Type    string
			Payload struct{ Content, CallID, ShortID, Output string }
		}
	}
}

// said is a thread in a line: "ada: one two; model: three".
func (p *person) said(path string) string {
	p.Helper()
	var whole turns
	p.into(&whole, 200, "GET", path, "")
	var all []string
	for _, turn := range whole.Turns {
		line := turn.SenderID + ":"
		for _, piece := range turn.Partials {
			line += " " + piece.Payload.Content + piece.Payload.ShortID + piece.Payload.Output
		}
		all = append(all, line)
	}
	return strings.Join(all, "; ")
}

func (p *person) adds(thread, sender, text string) string {
	p.Helper()
	return p.creates("message_threads/"+thread+"/partials", fmt.Sprintf(`{"senderId":%q,"partial":{"type":"text","payload":{"content":%q}}}`, sender, text))
}

func TestAThreadNeverChanges(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		const at = "records/message_threads/"
		empty := p.creates("message_threads", `{}`)
		one := p.adds(empty, "ada", "one")
		two := p.adds(one, "ada", "two")
		three := p.adds(two, "model", "three")
		fork := p.adds(two, "model", "fork")
		copied := p.creates("message_threads/"+three+"/clone", "")
		onCopy := p.adds(copied, "model", "more")
		call := p.creates("message_threads/"+three+"/partials", `{"senderId":"model","partial":{"type":"toolRequest","payload":{"callId":"c","shortId":"search","input":{"q":1}}}}`)
		answered := p.creates("message_threads/"+call+"/partials", `{"senderId":"tool","partial":{"type":"toolResponse","payload":{"callId":"c","status":"success","output":"found"}}}`)
		for id, want := range map[string]string{
			empty: "", one: "ada: one", two: "ada: one two", three: "ada: one two; model: three", fork: "ada: one two; model: fork",
			copied: "ada: one two; model: three", onCopy: "ada: one two; model: three more", answered: "ada: one two; model: three search; tool: found",
		} {
			if got := p.said(at + id); got != want {
				t.Errorf("%s says %q, not %q", id, got, want)
			}
		}
		if got := p.said(at + answered + "?last=1"); got != "tool: found" {
			t.Errorf("the last turn is %q", got)
		}
		p.wants(200, "GET", at+answered, "", `"turnCount":3`, `"parentId":"`+call)
		p.wants(400, "GET", at+answered+"?last=none", "", `"field":"last"`)

		t.Run("whoever writes to it", func(t *testing.T) {
			for body, field := range map[string]string{
				`{"senderId":"","partial":{"type":"text","payload":{"content":"x"}}}`:                                                      "senderId",
				`{"senderId":"a","partial":{"type":"song","payload":{"content":"x"}}}`:                                                     "type",
				`{"senderId":"a","partial":{"type":"text","payload":{}}}`:                                                                  "payload",
				`{"senderId":"a","partial":{"type":"text","payload":{"content":"x","callId":"c"}}}`:                                        "payload",
				`{"senderId":"a","partial":{"type":"toolRequest","payload":{"callId":"c","shortId":"s"}}}`:                                 "payload",
				`{"senderId":"a","partial":{"type":"toolResponse","payload":{"callId":"c","status":"odd","output":""}}}`:                   "status",
				`{"senderId":"a","partial":{"type":"toolResponse","payload":{"callId":"c","status":"success","output":"","shortId":"s"}}}`: "payload",
			} {
				p.wants(400, "POST", at+one+"/partials", body, `"field":"`+field+`"`)
			}
			p.wants(404, "POST", at+"none/partials", `{"senderId":"a","partial":{"type":"text","payload":{"content":"x"}}}`)
			p.wants(403, "PATCH", "docs/users/local/message-threads/"+two, `{"added":[]}`)
			p.wants(403, "PUT", "docs/users/local/message-threads/forged", `{"parentId":null,"added":[],"turnCount":0,"place":"forged/000000000"}`)
			p.wants(409, "DELETE", at+two, "", `"childId":"`)
			p.wants(204, "DELETE", at+fork, "")
			if got := p.said(at + answered); got != "ada: one two; model: three search; tool: found" {
				t.Errorf("it says %q", got)
			}
		})
		t.Run("and whatever is deleted of it as any document is missed", func(t *testing.T) {
			p.wants(204, "DELETE", "docs/users/local/message-threads/"+one, "")
			p.wants(404, "GET", at+two, "", "a part of the thread")
			p.wants(404, "GET", at+answered, "", "a part of the thread")
		})
	})
}

func TestAllWhoAddToAThreadAtOnceSucceed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		root := p.creates("message_threads", `{"turns":[{"senderId":"ada","partials":[{"type":"text","payload":{"content":"root"}}]}]}`)
		const adders = 16
		var all sync.WaitGroup
		for i := range adders {
			r := p.request("POST", "records/message_threads/"+root+"/partials", fmt.Sprintf(`{"senderId":"model","partial":{"type":"text","payload":{"content":"%d"}}}`, i))
			all.Go(func() {
				if res, body, err := p.try(r); err != nil || res.StatusCode != 201 {
					t.Errorf("%v %s", err, body)
				}
			})
		}
		all.Wait()
		var list struct{ Items []struct{ ID string } }
		p.into(&list, 200, "GET", "records/message_threads", "")
		seen := map[string]bool{}
		for _, one := range list.Items {
			seen[p.said("records/message_threads/"+one.ID)] = true
		}
		for i := range adders {
			if !seen[fmt.Sprintf("ada: root; model: %d", i)] {
				t.Errorf("what %d said is not there: %v", i, seen)
			}
		}
	})
}

func TestAChatReadsAsAThread(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann := p.signIn("ann")
		p.wants(201, "POST", "chats", `{"id":"c1"}`)
		p.wants(200, "GET", "chats/c1/thread", "", `"turns":[]`)
		var ids []string
		for _, text := range []string{"Hello", "Who are you?"} {
			var made struct{ ID string }
			p.into(&made, 201, "POST", "chats/c1/messages", `{"content":"`+text+`"}`)
			p.settled()
			ids = append(ids, made.ID)
		}
		if got := p.said("chats/c1/thread?at=" + ids[0]); got != "local: Hello" {
			t.Errorf("at the first message it says %q", got)
		}
		got := p.said("chats/c1/thread")
		if parts := strings.Split(got, "; "); len(parts) != 4 || parts[0] != "local: Hello" || parts[2] != "local: Who are you?" ||
			!strings.HasPrefix(parts[1], string(nestor.RoleAssistant)+": ") || !strings.HasPrefix(parts[3], string(nestor.RoleAssistant)+": ") {
			t.Errorf("it says %q", got)
		}
		p.wants(404, "GET", "chats/c1/thread?at=none", "")
		p.wants(404, "GET", "chats/none/thread", "")
		p.wants(400, "GET", "chats/c1/thread?user=a/b/c", "")
		ann.wants(404, "GET", "chats/c1/thread", "")
		ann.wants(404, "GET", "chats/c1/thread?user=local", "")
	})
}
