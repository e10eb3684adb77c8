package remote_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
)

// Two real servers: the orchestrator of one is a role of the other.
func TestARoleIsTheOrchestratorOfAnotherServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		p := enterHere(t, cfg, there.Token, there.roles("orchestrator"))
		p.begins("t1", "Compute 6*7")
		task := p.task("t1")
		if task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "42") {
			t.Fatalf("the task is %+v", task)
		}
		note, text := p.note(task)
		if runs := there.runs(); len(runs) != 1 || runs[0].ID != note.TaskID || runs[0].ChatID != note.ContextID || runs[0].Status != nestor.RunSuccess {
			t.Errorf("there ran %+v, and known is %s", runs, text)
		}
		if strings.Contains(text, there.Token) {
			t.Error("the key is in the document")
		}
		// Who comes back to the agent goes on in the same conversation.
		p.Wants(201, "POST", "chats/c1/tasks/t1/messages", `{"content":"Compute 7*8"}`)
		if task = p.task("t1"); task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "56") {
			t.Errorf("the task is %+v", task)
		}
		if runs := there.runs(); len(runs) != 2 || runs[0].ChatID != runs[1].ChatID {
			t.Errorf("there ran %+v", runs)
		}
		// The orchestrator here gives it work, and tells what came of it.
		p.Wants(201, "POST", "chats", `{"id":"c2","participant":"agent:peer"}`)
		var got nestor.RunResult
		p.Into(&got, 200, "POST", "chats/c2/messages?wait=1", `{"content":"Compute 2*3"}`)
		contains(t, got.Text, "6")
	})
}

// An orchestrator delegates to a remote agent as to any other.
func TestTheOrchestratorDelegatesToARemoteAgent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		model, err := modeltest.Parse(`
-- reply delegate --
when tools contains create_agent
call create_agent {"type": "peer", "instruction": "Compute 6*7"}
`)
		if err != nil {
			t.Fatal(err)
		}
		p := enterHere(t, cfg, there.Token, there.roles("orchestrator"), func(cfg *server.Config) { cfg.Model = model })
		p.Wants(201, "POST", "chats", `{"id":"c1","title":"t"}`)
		var got nestor.RunResult
		p.Into(&got, 200, "POST", "chats/c1/messages?wait=1", `{"content":"Six times seven?"}`)
		if got.Run.Status != nestor.RunSuccess || !strings.Contains(got.Text, "42") || !slices.Contains(got.Run.Roles, "peer") {
			t.Errorf("got %+v", got)
		}
	})
}

// What a remote agent says is seen here while it says it.
func TestWhatARemoteAgentSaysIsSeenAsItComes(t *testing.T) {
	goOn := make(chan struct{})
	far := newPeer(t, &peer{streams: true, answers: map[string][]string{"message/stream": {
		event(state("submitted", "", "")) + event(`{"kind":"artifact-update","taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"The "}]}}`) + pause +
			event(`{"kind":"artifact-update","append":true,"taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"answer."}]}}`) +
			event(`{"kind":"status-update","taskId":"T1","contextId":"C1","final":true,"status":{"state":"completed"}}`),
	}}, goOn: goOn})
	p := enterHere(t, server.Config{Data: t.TempDir()}, key, far.roles())
	p.begins("t1", "Do it")
	for e, err := range p.Client().Events(t.Context(), "c1", "0") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Delta != nil && e.Delta.Kind == "text" {
			if e.Delta.Text != "The" {
				t.Errorf("said was %q", e.Delta.Text)
			}
			break
		}
	}
	close(goOn)
	if task := p.task("t1"); task.Result != "The answer." {
		t.Errorf("the task is %+v", task)
	}
}

func TestAQuestionOfARemoteAgentIsTheAgentsQuestion(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		p := enterHere(t, cfg, there.Token, there.roles("agent:general"))
		p.begins("t1", "Book a table for two")
		task := p.task("t1")
		if task.Status != nestor.TaskWaiting || !strings.Contains(task.Question, "?") {
			t.Fatalf("the task is %+v", task)
		}
		p.Wants(201, "POST", "chats/c1/tasks/t1/messages", `{"content":"Friday at 8"}`)
		if task = p.task("t1"); task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "Friday at 8") {
			t.Errorf("the task is %+v", task)
		}
		note, _ := p.note(task)
		for _, run := range there.runs() {
			if run.ID == note.TaskID && (run.Status != nestor.RunSuccess || run.Resumes != 1) {
				t.Errorf("there ran %+v", run)
			}
		}
	})
}

func TestATaskThatIsCancelledIsCancelledElsewhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		p := enterHere(t, cfg, there.Token, there.roles("orchestrator"))
		asked, goOn := there.model.hold()
		defer close(goOn)
		p.begins("t1", "Compute 6*7")
		<-asked
		p.Wants(200, "POST", "chats/c1/tasks/t1/cancel", "")
		if task := p.task("t1"); task.Status != nestor.TaskCancelled {
			t.Errorf("the task is %+v", task)
		}
		runs := there.runs()
		if len(runs) != 1 {
			t.Fatalf("there ran %+v", runs)
		}
		r := there.Request("GET", "runs/"+runs[0].ID, "")
		r.Header.Set("Prefer", "wait=20")
		there.Answers(200, r, `"status":"cancelled"`)
	})
}

func TestAFailureElsewhereFailsTheTaskAndCanBeTriedAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		p := enterHere(t, cfg, there.Token, there.roles("orchestrator"))
		there.model.fails(nestor.Errorf(nestor.CodeInvalid, "the model is broken"))
		p.begins("t1", "Compute 6*7")
		task := p.task("t1")
		if task.Status != nestor.TaskFailed || !strings.Contains(task.Error, "the remote agent failed") {
			t.Fatalf("the task is %+v", task)
		}
		there.model.fails(nil)
		p.Wants(200, "POST", "chats/c1/tasks/t1/retry", "")
		if task = p.task("t1"); task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "42") {
			t.Errorf("the task is %+v", task)
		}
	})
}

func TestWithoutItsKeyARemoteAgentIsNotAsked(t *testing.T) {
	there := enterThere(t, server.Config{Data: t.TempDir()})
	for key, why := range map[string]string{"": "set the environment variable PEER_KEY", "nst_k_wrong": "401"} {
		p := enterHere(t, server.Config{Data: t.TempDir()}, key, there.roles("orchestrator"))
		p.begins("t1", "Compute 6*7")
		if task := p.task("t1"); task.Status != nestor.TaskFailed || !strings.Contains(task.Error, why) {
			t.Errorf("with the key %q the task is %+v", key, task)
		}
	}
	if runs := there.runs(); len(runs) != 0 {
		t.Errorf("there ran %+v", runs)
	}
}
