package runs_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
)

func TestWhoStartsATaskMayWaitForWhatComesOfIt(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		for _, task := range []string{
			`{"id":"t1","name":"agent:general","instruction":"Compute 6*7"}`,
			`{"id":"t2","name":"tool:calculator","args":{"expression":"6*7"}}`,
		} {
			var got nestor.RunResult
			p.Into(&got, 200, "POST", "chats/c1/tasks?wait=1", task)
			if got.Run.Kind != nestor.RunOfTask || got.Run.Status != nestor.RunSuccess || !strings.Contains(got.Text, "42") {
				p.Errorf("of %s came %+v", task, got)
			}
			var again nestor.RunResult // as if the answer had been lost
			if p.Into(&again, 200, "POST", "chats/c1/tasks?wait=1", task); again.Run.ID != got.Run.ID || again.Run.Version != got.Run.Version {
				p.Errorf("at the second time of %s came %+v", task, again)
			}
		}
		p.Wants(400, "POST", "chats/c1/tasks?wait=soon", `{"id":"t3","name":"tool:calculator","args":{"expression":"6*7"}}`, "Prefer: wait=SECONDS")
		p.Wants(404, "GET", "runs/t3", "")
	})
}

const (
	aTask    = `{"id":"ID","name":"agent:general","instruction":"Compute 6*7"}`
	aMessage = `{"id":"ID","content":"Compute 6*7"}`
)

// Waiting tells nothing that the caller could not read afterwards.
func TestAKeySeesOfARunWhatItReaches(t *testing.T) {
	each(t, func(p *person) {
		ann := p.SignIn("ann")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		const chat = "users/ann/orch-chats/c1"
		for i, c := range []struct {
			to, body string
			scopes   []string
			status   int // 403: it sees no runs, and nothing is written
			text     string
		}{
			{"tasks", aTask, []string{chat, chat + "/tasks/**"}, 403, "not for users/ann/runs"},
			{"messages", aMessage, []string{chat, chat + "/messages/**"}, 403, "not for users/ann/runs"},
			{"tasks", aTask, []string{chat, chat + "/tasks/**", "users/ann/runs/*"}, 200, `"text":""`},
			{"tasks", aTask, []string{chat + "/**", "users/ann/runs/*"}, 200, `42`},
			{"tasks", aTask, []string{chat + "/**", "users/ann/runs/another"}, 404, "users/ann/runs/"},
		} {
			id := string(rune('a' + i))
			key := ann.WithKey(append([]string{"write"}, c.scopes...)...)
			body := strings.Replace(c.body, "ID", id, 1)
			got := key.Wants(c.status, "POST", "chats/c1/"+c.to+"?wait=1", body, c.text)
			if c.text == `"text":""` && strings.Contains(got, `"content"`) {
				p.Errorf("with %q it is told %s", c.scopes, got)
			}
			if c.status == 403 {
				ann.Wants(404, "GET", "runs/"+id, "")
				key.Wants(201, "POST", "chats/c1/"+c.to, body)
			}
		}
	})
}

// Who loses the right to see a run while they wait for it is not told what came of it.
func TestARightThatEndsWhileSomebodyWaits(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		var team, project struct{ ID string }
		ann.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ann.Wants(202, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"member"}`)
		bob.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		ann.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Work"}`)
		ann.Wants(201, "POST", "chats", `{"id":"c1","projectId":"`+project.ID+`"}`)
		key := ann.WithKey("write")
		var keys struct{ Items []struct{ ID string } }
		ann.Into(&keys, 200, "GET", "keys", "")
		for i, c := range []struct {
			who    *servertest.Person
			to     string
			status int
			ends   func()
		}{
			{key, "chats/c1/tasks?wait=1", 401, func() { ann.Wants(204, "DELETE", "keys/"+keys.Items[0].ID, "") }},
			{bob, "chats/c1/tasks?user=ann&wait=1", 404, func() { ann.Wants(204, "DELETE", "accounts/"+team.ID+"/members/bob", "") }},
		} {
			asked, goOn := p.model.hold()
			answered := make(chan string, 1)
			go func() {
				res, text, err := c.who.Try(c.who.Request("POST", c.to, strings.Replace(aTask, "ID", string(rune('a'+i)), 1)))
				if err != nil || res.StatusCode != c.status {
					p.Errorf("it ends with %v, %v, want %d", res, err, c.status)
				}
				answered <- text
			}()
			<-asked
			c.ends()
			close(goOn)
			if text := <-answered; strings.Contains(text, "42") || strings.Contains(text, "success") {
				p.Errorf("it is told %s", text)
			}
		}
	})
}

// Who waits holds a connection as long as who follows a stream, so both count.
func TestWaitsCountAmongTheStreamsOfAUser(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		for _, who := range []*servertest.Person{ann, bob} {
			who.Wants(201, "POST", "chats", `{"id":"c1"}`)
		}
		ann.Wants(200, "POST", "chats/c1/tasks?wait=1", strings.Replace(aTask, "ID", "t0", 1))
		var open []*http.Response
		for range 256 {
			open = append(open, ann.Open(ann.Request("GET", "stream", "")))
		}
		const refused = `"code":"rate_limited"`
		ann.Wants(429, "GET", "runs/t0?wait=1", "", refused, `"limit":256`, `"of":"user"`)
		ann.Wants(429, "POST", "chats/c1/tasks?wait=1", strings.Replace(aTask, "ID", "t1", 1), refused)
		ann.Wants(429, "POST", "chats/c1/messages?wait=1", strings.Replace(aMessage, "ID", "m1", 1), refused)
		ann.Wants(404, "GET", "docs/users/ann/orch-chats/c1/tasks/t1", "") // nothing of it was written
		ann.Wants(404, "GET", "docs/users/ann/orch-chats/c1/messages/m1", "")
		ann.Wants(200, "GET", "runs/t0", "")
		ann.Wants(201, "POST", "chats/c1/tasks", strings.Replace(aTask, "ID", "t1", 1))
		bob.Wants(200, "POST", "chats/c1/tasks?wait=1", strings.Replace(aTask, "ID", "t1", 1))
		for _, res := range open {
			res.Body.Close()
		}
	})
}
