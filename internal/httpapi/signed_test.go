package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// who says who wrote a document, or who asked for it.
func (w *world) who(path string) string {
	w.Helper()
	_, text := w.call("GET", "/docs/"+path, "")
	var d struct {
		AuthorID string        `json:"authorId"`
		AskedBy  nestor.Askers `json:"askedBy"`
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(d.AuthorID + " " + strings.Join(d.AskedBy, " "))
}

// What people say and have done carries their name, by whatever way it comes and
// whatever a client claims.
func TestNobodySpeaksInAnothersName(t *testing.T) {
	t.Parallel()
	const (
		chat   = "users/olga/orch-chats/c1/"
		says   = `"role":"user","content":"x"`
		task   = `"type":"agent","name":"agent:x","instruction":"x","status":"pending"`
		agent  = `"role":"x","status":"active","iterationCount":0`
		forged = `,"authorId":"mia"}`
		forced = `,"askedBy":["olga"]}`
	)
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		operator := token
		token := func(of nestor.Path, asked ...string) string {
			return "Bearer " + w.key.MintToken(access.Grant{
				User: "olga", Asked: asked, Path: "users/olga/orch-chats/c1", Expires: time.Now().Add(time.Hour).Unix(), Of: chat + of,
			})
		}
		olga, mia, key, local := w.session("olga"), w.session("mia"), w.apiKey("olga", access.ScopeWrite), "Bearer "+operator
		stage, old := token("messages/m1", "mia", "vic"), token("messages/m1")
		begins, loops := token("tasks/t4", "mia", "vic"), token("sub-agents/a9", "mia", "vic")
		push := func(state string) string {
			return `[{"newDocumentState":{"userId":"olga","chatId":"c1",` + state + `}]`
		}
		for _, c := range []struct {
			name, as           string
			status             int
			method, path, body string
			doc, want          string
		}{
			{"a member posts", mia, 201, "POST", "/chats/c1/messages?user=olga", `{"id":"p1","content":"x"}`, chat + "messages/p1", "mia"},
			{"and again", mia, 200, "POST", "/chats/c1/messages?user=olga", `{"id":"p1","content":"x"}`, chat + "messages/p1", "mia"},
			{"somebody else the same", olga, 200, "POST", "/chats/c1/messages", `{"id":"p1","content":"x"}`, chat + "messages/p1", "mia"},
			{"a name in a post", mia, 400, "POST", "/chats/c1/messages?user=olga", `{"id":"p2","content":"x","authorId":"olga"}`, chat + "messages/m1", ""},
			{"a member pushes", mia, 200, "POST", "/replication/messages/push", push(`"id":"p3",` + says + `}`), chat + "messages/p3", "mia"},
			{"and again", mia, 200, "POST", "/replication/messages/push", push(`"id":"p3",` + says + `}`), chat + "messages/p3", "mia"},
			{"a key writes for another", key, 201, "PUT", "/docs/" + chat + "messages/p4", "{" + says + forged, chat + "messages/p4", "olga"},
			{"a key pushes for another", key, 200, "POST", "/replication/messages/push", push(`"id":"p5",` + says + forged), chat + "messages/p5", "olga"},
			{"a key changes the name", key, 200, "PATCH", "/docs/" + chat + "messages/p1", `{"authorId":"olga"}`, chat + "messages/p1", "mia"},
			{"a key takes the name away", key, 200, "PATCH", "/docs/" + chat + "messages/p1", `{"authorId":null,"isLlmMessage":true}`, chat + "messages/p1", "mia"},
			{"a key writes the same words", key, 200, "PUT", "/docs/" + chat + "messages/p1", "{" + says + "}", chat + "messages/p1", "mia"},
			{"a key changes the words", key, 403, "PATCH", "/docs/" + chat + "messages/p1", `{"content":"y"}`, chat + "messages/p1", "mia"},
			{"a stage changes the words", stage, 403, "PATCH", "/docs/" + chat + "messages/p1", `{"content":"y"}`, chat + "messages/p1", "mia"},
			{"the operator changes the words", local, 403, "PATCH", "/docs/" + chat + "messages/p1", `{"content":"y"}`, chat + "messages/p1", "mia"},
			{"the model has no name", stage, 201, "PUT", "/docs/" + chat + "messages/p6", `{"role":"assistant","content":"x","authorId":"mia"}`, chat + "messages/p6", ""},
			{"a stage speaks as a person", stage, 403, "PUT", "/docs/" + chat + "messages/p7", "{" + says + "}", chat + "messages/p1", "mia"},
			{"a stage posts as a person", stage, 403, "POST", "/chats/c1/messages", `{"content":"x"}`, chat + "messages/p1", "mia"},

			{"a member starts a task", mia, 201, "POST", "/chats/c1/tasks?user=olga", `{"id":"t2","name":"agent:x","instruction":"x"}`, chat + "tasks/t2", "mia"},
			{"a key starts one for another", key, 403, "PUT", "/docs/" + chat + "tasks/t3", "{" + task + forced, chat + "tasks/t2", "mia"},
			{"a key changes one", key, 403, "PATCH", "/docs/" + chat + "tasks/t2", `{"instruction":"y","askedBy":["olga"]}`, chat + "tasks/t2", "mia"},
			{"a key repeats one", key, 200, "PATCH", "/docs/" + chat + "tasks/t2", `{"instruction":"x","askedBy":["olga"]}`, chat + "tasks/t2", "mia"},
			{"a stage starts one", stage, 201, "PUT", "/docs/" + chat + "tasks/t4", "{" + task + forced, chat + "tasks/t4", "mia vic"},
			{"a stage without a name", old, 201, "PUT", "/docs/" + chat + "tasks/t5", "{" + task + `,"askedBy":["mia"]}`, chat + "tasks/t5", "olga"},
			{"a stage makes an agent", begins, 201, "PUT", "/docs/" + chat + "sub-agents/a9", `{"taskId":"t4",` + agent + forced, chat + "sub-agents/a9", "mia vic"},
			{"and has it run", begins, 200, "PATCH", "/docs/" + chat + "tasks/t4", `{"status":"running","subAgentId":"a9","askedBy":["olga"]}`, chat + "tasks/t4", "mia vic"},
			{"the operator makes an agent", local, 201, "PUT", "/docs/" + chat + "sub-agents/a8", `{"taskId":"t2",` + agent + forced, chat + "sub-agents/a8", "mia"},
			{"the operator has it run", local, 200, "PATCH", "/docs/" + chat + "tasks/t2", `{"status":"running","subAgentId":"a8","askedBy":["olga"]}`, chat + "tasks/t2", "mia"},
			{"the operator makes a call", local, 201, "PUT", "/docs/" + chat + "sub-agents/a8/tool-calls/k8", `{"toolName":"x","status":"pending"` + forced, chat + "sub-agents/a8/tool-calls/k8", "mia"},
			{"an agent makes a call", loops, 201, "PUT", "/docs/" + chat + "sub-agents/a9/tool-calls/k9", `{"toolName":"x","status":"pending"` + forced, chat + "sub-agents/a9/tool-calls/k9", "mia vic"},

			{"a stage tells an agent something", begins, 201, "PUT", "/docs/" + chat + "sub-agents/a9/messages/x2", "{" + says + forged, chat + "sub-agents/a9/messages/x2", "vic"},
			{"which stays theirs", begins, 200, "PUT", "/docs/" + chat + "sub-agents/a9/messages/x2", "{" + says + "}", chat + "sub-agents/a9", "mia vic"},
			{"a key tells an agent something", key, 403, "PUT", "/docs/" + chat + "sub-agents/a9/messages/x4", "{" + says + forged, chat + "sub-agents/a9", "mia vic"},
		} {
			status, text := w.call(c.method, c.path, c.body, "Authorization", c.as)
			if status != c.status || strings.Contains(text, `"_deleted":true`) {
				t.Errorf("%s: %d %s", c.name, status, text)
			}
			if got := w.who(c.doc); got != c.want {
				t.Errorf("%s: it is %q's, want %q", c.name, got, c.want)
			}
		}
		// A browser may not even try.
		_, text := w.call("POST", "/replication/messages/push", push(`"id":"p9",`+says+`,"authorId":"olga"}`), "Authorization", mia)
		if !strings.Contains(text, `"_deleted":true`) {
			t.Errorf("a session pushed for another: %s", text)
		}
	})
}

// The model connection of a chat is its own user's, and so is the secret in it.
func TestNobodyElseChoosesWhoseSecretAChatUses(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.write("accounts/team", `{"name":"Team","members":{"olga":"owner","otto":"owner"}}`, "users/otto/memberships/team", `{"role":"owner"}`)
		for _, bearer := range []string{w.session("otto"), w.apiKey("otto", access.ScopeWrite)} {
			w.want(403, "PATCH", "/chats/c1?user=olga", `{"modelConnectionId":"m1"}`, "forbidden", "Authorization", bearer)
			w.want(403, "PATCH", "/docs/users/olga/orch-chats/c1", `{"modelConnectionId":"m1"}`, "forbidden", "Authorization", bearer)
			w.want(200, "PATCH", "/chats/c1?user=olga", `{"title":"theirs to change"}`, "", "Authorization", bearer)
		}
		w.want(200, "PATCH", "/chats/c1", `{"modelConnectionId":"m1"}`, "", "Authorization", w.session("olga"))
	})
}

func TestAUserWithPhantomMembersCanBeDeleted(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		w.write(
			"accounts/team", `{"name":"Team","members":{"olga":"owner","ghost":"member","other":"owner"}}`,
			"users/ghost/memberships/team", `{"role":"member"}`, "users/olga/memberships/none", `{"role":"owner"}`,
		)
		w.want(204, "DELETE", "/users/olga", "", "")
		for _, p := range []string{"users/olga", "accounts/team", "users/ghost/memberships/team", "accounts/team/invitations/guest", "users/guest/invitations/team"} {
			w.want(404, "GET", "/docs/"+p, "", "")
		}
	})
}

func TestNobodyIsPutIntoAnAccountUnasked(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		olga, otto, mia := []string{"Authorization", w.session("olga")}, []string{"Authorization", w.session("otto")}, []string{"Authorization", w.session("mia")}
		// The answer does not tell whether there is such a user.
		there, none := w.want(202, "PUT", "/accounts/team/members/otto", `{"role":"owner"}`, "", olga...), w.want(202, "PUT", "/accounts/team/members/nobody", `{"role":"owner"}`, "", olga...)
		if a, b := there["members"], none["members"]; len(a.(map[string]any)) != 4 || len(b.(map[string]any)) != 4 {
			t.Errorf("the members are %v and %v", a, b)
		}
		w.want(404, "GET", "/accounts/team", "", "", otto...)
		w.want(404, "GET", "/chats/c1?user=olga", "", "", otto...)
		w.want(200, "GET", "/accounts/team/invitations", "", `"userId":"otto"`, mia...)
		w.want(200, "GET", "/invitations", "", `"invitedBy":"olga"`, otto...)
		w.want(200, "GET", "/invitations", "", `"items":[]`, mia...)
		w.want(404, "POST", "/invitations/team/accept", "", "there is no invitation", mia...)
		// Not even a key makes itself an invitation.
		key := []string{"Authorization", w.apiKey("vic", access.ScopeWrite)}
		w.want(403, "PUT", "/docs/users/vic/invitations/team", `{}`, "", key...)
		w.want(403, "PUT", "/docs/accounts/team/invitations/vic", `{"accountId":"team","userId":"vic","role":"owner","expiresAt":4102444800000}`, "", key...)

		w.want(204, "DELETE", "/invitations/team", "", "", otto...)
		w.want(404, "POST", "/invitations/team/accept", "", "", otto...)
		w.want(202, "PUT", "/accounts/team/members/otto", `{"role":"viewer"}`, "", olga...)
		w.want(204, "DELETE", "/accounts/team/invitations/otto", "", "", olga...)
		w.want(404, "POST", "/invitations/team/accept", "", "", otto...)
		w.want(202, "PUT", "/accounts/team/members/otto", `{"role":"viewer"}`, "", olga...)
		w.want(204, "POST", "/invitations/team/accept", "", "", otto...)
		w.want(200, "GET", "/chats/c1?user=olga", "", inSharedChat, otto...)
		w.want(200, "PUT", "/accounts/team/members/otto", `{"role":"member"}`, `"otto":"member"`, olga...) // they are in
	})
}
