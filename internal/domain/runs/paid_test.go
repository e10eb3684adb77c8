package runs_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

// Who has left an account, or may only read in it by now, has nothing done any more that it
// pays for: what runs ends at its next step, and nothing new begins. Their chats stay theirs
// to read, and to go on with in a fork, and the members go on in them.
func TestWhoHasLeftAnAccountHasNothingDoneThatItPays(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		var team, project struct{ ID string }
		ann.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ann.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Work"}`)
		key := bob.WithKey("write")
		for end, lose := range map[string]func(){
			"left":  func() { ann.Wants(204, "DELETE", "accounts/"+team.ID+"/members/bob", "") },
			"reads": func() { ann.Wants(200, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"viewer"}`) },
		} {
			if strings.Contains(ann.Wants(200, "GET", "accounts/"+team.ID, ""), `"bob"`) {
				ann.Wants(200, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"member"}`)
			} else {
				ann.Wants(202, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"member"}`)
				bob.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
			}
			chat := "chats/" + end
			bob.Wants(201, "POST", "chats", `{"id":"`+end+`","projectId":"`+project.ID+`"}`)
			asked, goOn := p.model.hold()
			bob.Wants(201, "POST", chat+"/tasks", `{"id":"t1","name":"agent:general","instruction":"Compute 6*7"}`)
			<-asked
			lose()
			close(goOn)
			p.Settled()
			var task nestor.Task
			bob.Into(&task, 200, "GET", "docs/users/bob/orch-chats/"+end+"/tasks/t1", "")
			if task.Status != nestor.TaskFailed || !strings.Contains(task.Error, `paid by the account`) {
				p.Errorf("%s: the task is %s: %s", end, task.Status, task.Error)
			}
			for path, body := range map[string]string{
				"/messages": aMessage, "/tasks": aTask, "/tasks/t1/retry": "", "/tasks/t1/messages": `{"content":"Go on"}`, "/tasks/t1/resume": "",
			} {
				bob.Wants(403, "POST", chat+path, strings.Replace(body, "ID", "x1", 1), "go on in a fork")
			}
			at := "docs/users/bob/orch-chats/" + end
			key.Wants(403, "PUT", at+"/messages/x2", `{"role":"user","type":"text","content":"Hello"}`, "go on in a fork")
			key.Wants(403, "POST", "batch", `{"operations":[{"op":"create","path":"users/bob/orch-chats/`+end+`/messages/x3","body":{"role":"user","content":"Hello"}}]}`)
			if got := bob.Wants(200, "GET", chat+"/messages", ""); strings.Contains(got, "x1") || strings.Contains(got, "x2") {
				p.Errorf("%s: it was said all the same: %s", end, got)
			}
			bob.Wants(201, "POST", chat+"/fork", `{"id":"my-`+end+`"}`)
			bob.Wants(200, "POST", "chats/my-"+end+"/messages?wait=1", `{"content":"Compute 6*7"}`, "42")
			ann.Wants(404, "GET", "chats/my-"+end+"?user=bob", "")
			// A member goes on with what bob began.
			ann.Wants(201, "POST", chat+"/messages?user=bob", `{"id":"on","content":"Compute 6*7"}`)
			ann.Wants(200, "POST", chat+"/tasks/t1/retry?user=bob", "")
			p.Settled()
			ann.Wants(200, "GET", chat+"/messages?user=bob", "", `"repliesTo":"on"`, "42")
			if bob.Into(&task, 200, "GET", "docs/users/bob/orch-chats/"+end+"/tasks/t1", ""); task.Status != nestor.TaskSuccess {
				p.Errorf("%s: the task that a member tried again is %s: %s", end, task.Status, task.Error)
			}
		}
	})
}

// Nothing is done any more for somebody who is locked out.
func TestNothingIsDoneForWhoIsLockedOut(t *testing.T) {
	each(t, func(p *person) {
		ann := p.SignIn("ann")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		asked, goOn := p.model.hold()
		ann.Wants(201, "POST", "chats/c1/tasks", strings.Replace(aTask, "ID", "t1", 1))
		<-asked
		p.Wants(200, "PATCH", "users/ann", `{"disabled":true}`)
		close(goOn)
		p.Settled()
		var task nestor.Task
		if p.Into(&task, 200, "GET", "docs/users/ann/orch-chats/c1/tasks/t1", ""); task.Status != nestor.TaskFailed || !strings.Contains(task.Error, "locked out") {
			p.Errorf("the task is %s: %s", task.Status, task.Error)
		}
	})
}
