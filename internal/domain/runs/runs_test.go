package runs_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func names(all []event) (list []string) {
	for _, e := range all {
		if e.name != "text" && e.name != "reasoning" && e.name != "restarted" {
			list = append(list, e.name)
		}
	}
	return list
}

func TestWhoWaitsGetsWhatCameOfAMessage(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		got := p.asks("c1", "m1", "Hello")
		if got.Run.Status != nestor.RunSuccess || got.Run.ID != "m1" || got.Text == "" || len(got.Messages) != 1 || got.Messages[0].RepliesTo != "m1" {
			p.Errorf("got %+v", got)
		}
		got = p.asks("c1", "m2", "Compute 6*7")
		run := got.Run
		if run.Status != nestor.RunSuccess || !strings.Contains(got.Text, "42") || !slices.Equal(run.Roles, []string{"general"}) || !slices.Equal(run.Tools, []string{"calculator"}) || run.Participant != "orchestrator" {
			p.Errorf("got %+v", got)
		}
		// What the chat used in all is what its runs used.
		var chat nestor.Chat
		p.Into(&chat, 200, "GET", "chats/c1", "")
		first := p.run("m1").Run
		if sum := first.Usage.Add(run.Usage); *sum != *chat.Usage {
			p.Errorf("the runs used %+v, the chat %+v", sum, chat.Usage)
		}
		want := []string{"run_began", "message", "agent_began", "tool_began", "tool_ended", "agent_ended", "message", "run_ended"}
		told := p.events("m2", "")
		if !slices.Equal(names(told), want) {
			p.Errorf("told was %q", names(told))
		}
		// A client that resumes gets what came after the last event that it saw.
		at := slices.IndexFunc(told, func(e event) bool { return e.name == "tool_ended" })
		if got := names(p.events("m2", told[at].id)); !slices.Equal(got, want[5:]) {
			p.Errorf("told after the tool was %q", got)
		}
		if got := p.Wants(200, "GET", "runs?tool=calculator", ""); strings.Contains(got, `"id":"m1"`) || !strings.Contains(got, `"id":"m2"`) {
			p.Errorf("with the calculator: %s", got)
		}
		if got := p.Wants(200, "GET", "runs?status=waiting", ""); strings.Contains(got, `"id":"m`) {
			p.Errorf("waiting: %s", got)
		}
		p.Wants(400, "GET", "runs?from=x", "", `"field":"from"`)
		p.Wants(404, "GET", "runs/none", "")
		p.Wants(400, "POST", "chats/c1/messages?wait=2", `{"content":"x"}`)
	})
}

func TestARunThatTakesLongIsToldAsItStands(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		asked, goOn := p.model.hold()
		r := p.Request("POST", "chats/c1/messages", `{"id":"m1","content":"Hello"}`)
		r.Header.Set("Prefer", "wait=1")
		p.Answers(http.StatusAccepted, r, `"status":"running"`, `"id":"m1"`)
		<-asked
		close(goOn)
		if got := p.run("m1"); got.Run.Status != nestor.RunSuccess {
			p.Errorf("got %+v", got)
		}
	})
}

func TestAnAnswerToAnAgentGoesOnWithTheAgentsRun(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		got := p.asks("c1", "m1", "Book a table for two")
		if got.Run.Status != nestor.RunWaiting || len(got.Run.WaitingFor) != 1 || got.Text != "For which day and time should I book?" {
			p.Fatalf("got %+v", got)
		}
		p.Wants(200, "GET", "runs?status=waiting", "", `"id":"m1"`)
		p.asks("c1", "m2", "Friday at 8")
		if got := p.Wants(200, "GET", "runs?status=waiting", ""); strings.Contains(got, `"id":"m`) {
			p.Errorf("waiting: %s", got)
		}
		first, second := p.run("m1"), p.run("m2")
		if first.Run.Status != nestor.RunSuccess || first.Run.Resumes != 1 || second.Run.Status != nestor.RunSuccess {
			p.Errorf("got %+v and %+v", first.Run, second.Run)
		}
		if got := names(p.events("m1", "")); !slices.Contains(got, "question") || !slices.Contains(got, "run_waits") || got[len(got)-1] != "run_ended" {
			p.Errorf("told was %q", got)
		}
		// The answer itself is a run of its own, without the agent's work.
		if len(second.Run.Roles) != 0 {
			p.Errorf("got %+v", second.Run)
		}
	})
}

func TestAnAnswerThatIsGivenToAnAgentDirectlyIsPartOfTheAgentsRun(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		if got := p.asks("c1", "m1", "Book a table for two"); got.Run.Status != nestor.RunWaiting {
			p.Fatalf("got %+v", got)
		}
		var tasks struct{ Items []nestor.Task }
		p.Into(&tasks, 200, "GET", "chats/c1/tasks", "")
		task := tasks.Items[0]
		body := `{"id":"a1","questionId":"` + task.QuestionID + `","content":"Friday at 8"}`
		p.Wants(201, "POST", "chats/c1/tasks/"+task.ID+"/answer", body)
		p.Wants(200, "POST", "chats/c1/tasks/"+task.ID+"/answer", body) // as if the first answer had been lost
		p.Wants(409, "POST", "chats/c1/tasks/"+task.ID+"/answer", strings.Replace(body, "Friday", "Sunday", 1))
		run := p.run("m1").Run
		if run.Status != nestor.RunSuccess || run.Resumes != 1 || len(run.WaitingFor) != 0 {
			p.Errorf("got %+v", run)
		}
		p.Wants(404, "GET", "runs/a1", "") // it is none of its own
		p.Wants(409, "POST", "chats/c1/tasks/"+task.ID+"/answer", strings.Replace(body, "a1", "a2", 1))
		var said struct{ Items []nestor.Message }
		p.Into(&said, 200, "GET", "chats/c1/messages", "")
		var about []string
		for _, m := range said.Items {
			if m.QuestionID != "" {
				about = append(about, string(m.Role)+" "+m.RunID)
			}
		}
		if !slices.Equal(about, []string{"assistant m1", "user m1"}) {
			p.Errorf("question and answer are %q", about)
		}
	})
}

func TestARunIsCancelled(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.asks("c1", "m1", "Book a table for two") // and waits
		p.Wants(200, "POST", "runs/m1/cancel", "")
		if got := p.run("m1"); got.Run.Status != nestor.RunCancelled || got.Run.CancelledBy == "" || len(got.Run.WaitingFor) != 0 {
			p.Errorf("a run that waited: %+v", got.Run)
		}
		asked, goOn := p.model.hold()
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m2","content":"Hello"}`)
		<-asked
		p.Wants(200, "POST", "runs/m2/cancel", "")
		if got := p.run("m2"); got.Run.Status != nestor.RunCancelled {
			p.Errorf("a run that was being answered: %+v", got.Run)
		}
		close(goOn)
		p.Wants(200, "POST", "runs/m2/cancel", "", `"status":"cancelled"`)
	})
}

func TestMessagesThatAreAnsweredTogetherEndTogether(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		asked, goOn := p.model.hold()
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"Hello"}`)
		<-asked
		p.Wants(201, "POST", "chats/c1/messages", `{"id":"m2","content":"Compute 6*7"}`)
		close(goOn)
		first, second := p.run("m1"), p.run("m2")
		if first.Run.JoinedTo != "m2" || first.Run.Status != nestor.RunSuccess || !slices.Equal(first.Run.Answers, second.Run.Answers) {
			p.Errorf("the first: %+v", first.Run)
		}
		if second.Run.Status != nestor.RunSuccess || !strings.Contains(second.Text, "42") || !slices.Contains(second.Run.Joined, "m1") {
			p.Errorf("the second: %+v %s", second.Run, second.Text)
		}
	})
}

func TestOtherBeginnings(t *testing.T) {
	each(t, func(p *person) {
		p.chat("c1")
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t1","name":"tool:calculator","type":"tool","instruction":"6*7"}`)
		if got := p.run("t1").Run; got.Status != nestor.RunSuccess || got.Kind != nestor.RunOfTask || !slices.Equal(got.Tools, []string{"calculator"}) {
			p.Errorf("a task: %+v", got)
		}
		p.Wants(201, "POST", "chats/c1/tasks", `{"id":"t2","name":"agent:nobody","instruction":"x"}`)
		if got := p.run("t2").Run; got.Status != nestor.RunFailed || len(got.Errors) == 0 {
			p.Errorf("a task that fails: %+v", got)
		}
		// A chat that is deleted ends its runs.
		p.chat("c2")
		p.asks("c2", "m1", "Book a table for two")
		p.Wants(204, "DELETE", "chats/c2", "")
		if got := p.run("m1").Run; got.Status != nestor.RunCancelled {
			p.Errorf("of a deleted chat: %+v", got)
		}
		// What nobody answers has caused nothing.
		for _, id := range []string{"on-user-message", "on-first-message"} {
			p.Wants(200, "PATCH", "triggers/"+id, `{"enabled":false}`)
		}
		got := p.asks("c1", "m3", "Hello")
		if got.Run.Status != nestor.RunSuccess || len(got.Run.Answers) != 0 || got.Run.Usage != nil {
			p.Errorf("of what nobody answers: %+v", got.Run)
		}
	})
}
