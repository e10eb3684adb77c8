package onbehalf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// world is ann, with a chat, a secret document and a secret in another chat.
type world struct {
	*servertest.Person
	ann  *servertest.Person
	next int
}

func each(t *testing.T, fn func(*world)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, cfg)
		ann := p.SignIn("ann")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		ann.Wants(201, "POST", "chats", `{"id":"c2","title":"canary"}`)
		ann.Wants(201, "POST", "records/text_documents", `{"title":"Plan","content":"the canary sings"}`)
		fn(&world{Person: p, ann: ann})
	})
}

const chat = "users/ann/orch-chats/c1/**"

// call has a tool called in a chat, and returns how it ended and what came of it.
func (w *world) call(who *servertest.Person, name, args string) (nestor.RunStatus, string) {
	w.Helper()
	w.next++
	id := fmt.Sprintf("t%d", w.next)
	who.Wants(201, "POST", "chats/c1/tasks?user=ann", fmt.Sprintf(`{"id":%q,"name":"tool:%s","args":%s}`, id, name, args))
	w.Settled()
	var got nestor.RunResult
	w.ann.Into(&got, 200, "GET", "runs/"+id+"?wait=1", "")
	var task nestor.Task
	w.ann.Into(&task, 200, "GET", "docs/users/ann/orch-chats/c1/tasks/"+id, "")
	return got.Run.Status, task.Result + task.Error
}

func TestWorkStaysWithinTheReachOfTheKeyThatAskedForIt(t *testing.T) {
	each(t, func(w *world) {
		calls := []struct{ tool, args, sees string }{
			{"read_document", `{"title":"Plan"}`, "canary"},
			{"read_document", `{}`, "Plan"},
			{"search_documents", `{"query":"canary"}`, "orch-chats/c2"},
			{"write_document", `{"title":"Note","content":"x"}`, "/documents/"},
		}
		narrow := w.ann.WithKey("write", chat)
		for _, c := range calls {
			if _, text := w.call(narrow, c.tool, strings.Replace(c.args, "Note", "Other", 1)); strings.Contains(text, c.sees) {
				w.Errorf("a key for one chat, %s %s: %s", c.tool, c.args, text)
			}
		}
		if text := w.ann.Wants(200, "GET", "records/text_documents", ""); strings.Contains(text, "Other") {
			w.Errorf("a key for one chat wrote a document: %s", text)
		}
		for _, c := range calls {
			if status, text := w.call(w.ann, c.tool, c.args); status != nestor.RunSuccess || !strings.Contains(text, c.sees) {
				w.Errorf("ann, %s %s: %s, %s", c.tool, c.args, status, text)
			}
		}
		wide := w.ann.WithKey("write", chat, "users/ann/text-documents/*")
		for _, c := range append(calls[:2:2], calls[3]) {
			if status, text := w.call(wide, c.tool, strings.Replace(c.args, "Note", "Third", 1)); status != nestor.RunSuccess || !strings.Contains(text, c.sees) {
				w.Errorf("a key for documents, too, %s %s: %s, %s", c.tool, c.args, status, text)
			}
		}
	})
}

func TestWorkHasNoRightsWithoutTheKeyThatAskedForIt(t *testing.T) {
	each(t, func(w *world) {
		key := w.ann.WithKey("write")
		var keys struct{ Items []struct{ ID string } }
		w.ann.Into(&keys, 200, "GET", "keys", "")
		if status, text := w.call(key, "read_document", `{"title":"Later"}`); status != nestor.RunFailed || !strings.Contains(text, "no document with the title") {
			w.Errorf("with the key: %s, %s", status, text)
		}
		w.ann.Wants(201, "POST", "records/text_documents", `{"title":"Later","content":"another canary"}`)
		w.ann.Wants(204, "DELETE", "keys/"+keys.Items[0].ID, "")
		w.ann.Wants(200, "POST", "chats/c1/tasks/t1/retry", "")
		w.Settled()
		if text := w.ann.Wants(200, "GET", "docs/users/ann/orch-chats/c1/tasks/t1", "", "was revoked"); strings.Contains(text, "canary") {
			w.Errorf("without the key: %s", text)
		}
	})
}

// A chat works with what its user has, so a key for the chat alone does not choose it.
func TestAKeyForAChatChoosesNoConnectionBeyondItsReach(t *testing.T) {
	each(t, func(w *world) {
		narrow := w.ann.WithKey("write", chat)
		wide := w.ann.WithKey("write", chat, "users/ann/model-connections/*")
		for _, body := range []string{`{"modelConnectionId":"paid"}`, `{"participant":"model:paid"}`} {
			narrow.Wants(403, "PATCH", "docs/users/ann/orch-chats/c1", body, "not for users/ann/model-connections/paid")
			wide.Wants(200, "PATCH", "docs/users/ann/orch-chats/c1", body)
		}
		narrow.Wants(200, "PATCH", "chats/c1", `{"title":"mine"}`)
	})
}
