package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// heard collects what a model was told since it last spoke.
type heard struct {
	mu    sync.Mutex
	texts []string
}

func (h *heard) add(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts = append(h.texts, text)
}

func (h *heard) has(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.texts, func(s string) bool { return strings.Contains(s, text) })
}

// hasty is a model that concludes at once, each time in another way.
func hasty(h *heard) speaker {
	var mu sync.Mutex
	n := 0
	return func(_ context.Context, req *llm.Request, say func(llm.Event)) error {
		h.add(lastText(req))
		mu.Lock()
		n++
		i := n
		mu.Unlock()
		say(llm.Usage{Input: 10, Output: 1})
		switch {
		case len(req.Tools) == 0 || i%3 == 0:
			say(llm.Text{Text: "Done."})
		case i%3 == 1:
			say(llm.ToolCall{ID: fmt.Sprint(i), Name: "final_answer", Arguments: `{"answer": "Done."}`})
		default:
			say(llm.ToolCall{ID: fmt.Sprint(i), Name: "echo", Arguments: `{"text": "once more"}`})
		}
		return nil
	}
}

// crowd lets several people do the same at once, and returns what each was told.
func crowd(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var people sync.WaitGroup
	for i := range n {
		people.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	people.Wait()
	return errs
}

func TestNoMessageToAnAgentThatIsAboutToConcludeIsLost(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		h := &heard{}
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": hasty(h)}})
		const tasks, messages = 4, 4
		for i := range tasks {
			w.do(fmt.Sprintf("task general: Task %d", i))
		}
		crowd(tasks*messages, func(i int) error {
			text := fmt.Sprintf("<%d>", i)
			_, err := w.agents.Steer(t.Context(), w.task(fmt.Sprintf("task%d", i%tasks+1)), w.person("ann"), text)
			if err != nil {
				t.Error(err)
			}
			return err
		})
		w.rest()
		w.finish()
		for i := range tasks * messages {
			if text := fmt.Sprintf("<%d>", i); !h.has(text) {
				t.Errorf("the model never saw %s", text)
			}
		}
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			if task.Status != nestor.TaskSuccess {
				t.Errorf("%s is %s", w.names.hide(task.ID), task.Status)
			}
		}
	})
}

func TestMessagesOfManyPeopleAtOnceAreAllAnswered(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		h := &heard{}
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": speaker(func(_ context.Context, req *llm.Request, say func(llm.Event)) error {
			for _, m := range req.Messages { // what it said before it was interrupted may stand in between
				h.add(lastText(&llm.Request{Messages: []llm.Message{m}}))
			}
			say(llm.Text{Text: "Answer."})
			return nil
		})}})
		const messages = 12
		crowd(messages, func(i int) error {
			w.say(fmt.Sprintf("<%d>", i))
			return nil
		})
		w.rest()
		w.finish()
		for i := range messages {
			if text := fmt.Sprintf("<%d>", i); !h.has(text) {
				t.Errorf("the model never saw %s", text)
			}
		}
		said := list[nestor.Message](w, w.chat, "messages")
		for _, m := range said {
			if m.Role == nestor.RoleUser && !slices.ContainsFunc(said, func(a nestor.Message) bool {
				return interrupted(a.Metadata) == "" && (a.RepliesTo == m.ID || slices.Contains(a.Answers, m.ID))
			}) {
				t.Errorf("%s was never answered", m.Content)
			}
		}
	})
}

func TestOfSeveralDecisionsAboutACallOneCounts(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := stage(t, b, txtar.Parse([]byte(`
-- reply call --
call pay {"to": "bob"}
-- reply done --
text: Done.
`)), false)
		w.do("task general: Pay bob.")
		call := w.call("agent1", "pay", 1)
		actions := []nestor.DecisionAction{nestor.Approve, nestor.Deny}
		errs := crowd(8, func(i int) error {
			return w.agents.Decide(t.Context(), call, nestor.Decision{Action: actions[i%2], By: fmt.Sprint("user", i)})
		})
		w.rest()
		w.finish()
		winner := slices.Index(errs, nil)
		for i, err := range errs {
			if i != winner && (nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "there is nothing to decide")) {
				t.Errorf("person %d was told %v", i, err)
			}
		}
		decisions := load[nestor.ToolCall](w, call).Decisions
		if winner < 0 || len(decisions) != 1 || decisions[0].By != fmt.Sprint("user", winner) || decisions[0].At == 0 {
			t.Fatalf("%d won, decided was %+v", winner, decisions)
		}
		if paid := len(w.tools.done()); paid != (winner+1)%2 {
			t.Errorf("%s, and it was paid %d times", decisions[0].Action, paid)
		}
	})
}

// diligent is a model that makes three calls, one of which creates an agent, and
// then concludes; the agents below it conclude at once.
func diligent(_ context.Context, req *llm.Request, say func(llm.Event)) error {
	say(llm.Usage{Input: 10, Output: 1})
	if req.System == "You lead." && len(req.Messages) == 1 {
		say(llm.ToolCall{ID: "a", Name: "echo", Arguments: `{"text": "a"}`})
		say(llm.ToolCall{ID: "b", Name: "create_agent", Arguments: `{"type": "general", "instruction": "Work"}`})
		say(llm.ToolCall{ID: "c", Name: "send", Arguments: `{"to": "bob"}`})
		return nil
	}
	say(llm.Text{Text: "Done."})
	return nil
}

func TestCancelRacesWithWhateverIsAboutToBeCommitted(t *testing.T) {
	lead := json.RawMessage(`{"roles": {"lead": {"description": "leads", "instructions": "You lead.", "agents": ["general"]}}}`)
	// Where each run stops until several people cancel it at once.
	stops := []string{
		"job agent-init", "commit agent-init", "commit agent-loop", "commit tool-runner", "tool echo", "tool send", "model Work",
		"commit agent-loop CHAT/sub-agents/agentN.2/", "commit agent-loop CHAT/sub-agents/agentN/", "commit orchestrator-finalize",
	}
	eachBench(t, func(t *testing.T, b *bench) {
		w := newWorld(t, b, setup{Roles: lead, models: map[string]llm.Model{"": speaker(diligent)}})
		for i, stop := range stops {
			task := fmt.Sprintf("task%d", i+1)
			stop = strings.ReplaceAll(strings.ReplaceAll(stop, "CHAT", string(w.chat)), "agentN", fmt.Sprintf("agent%d", i+1))
			w.do("hold " + stop)
			w.do("task lead: Lead")
			crowd(4, func(p int) error {
				if p == 0 {
					w.gates.open(stop)
					return nil
				}
				err := w.agents.Cancel(t.Context(), w.task(task), fmt.Sprint("user", p))
				if err != nil {
					t.Error(err)
				}
				return err
			})
			w.rest()
		}
		w.finish()
		notices := map[string]int{}
		for _, m := range list[nestor.Message](w, w.chat, "messages") {
			if m.Type == nestor.MessageStatus {
				notices[m.TaskID]++
			}
		}
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			want := 0
			if task.Status == nestor.TaskCancelled && task.ParentAgentID == "" {
				want = 1
			}
			if !task.Status.Ended() || notices[task.ID] != want {
				t.Errorf("%s is %s and has %d notices", w.names.hide(task.ID), task.Status, notices[task.ID])
			}
		}
	})
}

func TestPauseResumeAndRetryAtRandomLeaveNothingBehind(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": hasty(&heard{})}})
		const tasks = 4
		for i := range tasks {
			w.do(fmt.Sprintf("task general: Task %d", i))
		}
		crowd(tasks*5, func(i int) error {
			p := w.task(fmt.Sprintf("task%d", i%tasks+1))
			switch i / tasks {
			case 0:
				_, err := w.agents.Steer(t.Context(), p, w.person("ann"), "Go on.")
				return err
			case 1, 2:
				return w.agents.Pause(t.Context(), p, w.person("ann"))
			case 3:
				return w.agents.Resume(t.Context(), p, w.person("ann"))
			}
			return w.agents.Retry(t.Context(), p, w.person("ann"))
		})
		w.rest()
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			if task.Paused {
				w.do("resume " + w.names.hide(task.ID))
			}
		}
		w.finish()
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			if task.Status != nestor.TaskSuccess || task.Paused {
				t.Errorf("%s is %s, paused: %v", w.names.hide(task.ID), task.Status, task.Paused)
			}
		}
	})
}

// curious is a model that asks what it is not told, and concludes with the answer.
func curious(_ context.Context, req *llm.Request, say func(llm.Event)) error {
	say(llm.Usage{Input: 10, Output: 1})
	if text := lastText(req); strings.HasPrefix(text, "Task ") {
		say(llm.ToolCall{ID: "ask", Name: "ask_user", Arguments: `{"question": "Which one?"}`})
	} else {
		say(llm.Text{Text: "Done: " + text})
	}
	return nil
}

// Of many people who answer a question at once one is heard, by the agent and in the
// chat, and each of the others is told who was faster.
func TestOfManyAnswersAtOnceOneCounts(t *testing.T) {
	eachBench(t, func(t *testing.T, b *bench) {
		w := newWorld(t, b, setup{models: map[string]llm.Model{"": speaker(curious)}})
		const tasks, answers = 3, 4
		for i := range tasks {
			w.do(fmt.Sprintf("task general: Task %d", i))
		}
		questions := map[nestor.Path]string{}
		for i := range tasks {
			p := w.task(fmt.Sprintf("task%d", i+1))
			questions[p] = w.question(p, 0)
		}
		errs := crowd(tasks*answers, func(i int) error {
			p, by := w.task(fmt.Sprintf("task%d", i%tasks+1)), w.person(people[i/tasks%len(people)])
			_, _, err := w.agents.AnswerQuestion(t.Context(), p, nestor.Answer{
				ID: fmt.Sprintf("a%d", i), QuestionID: questions[p], By: by, Content: fmt.Sprintf("<%d>", i),
			})
			return err
		})
		w.rest()
		w.finish()
		given := map[string][]string{} // by task, in the chat
		for _, m := range list[nestor.Message](w, w.chat, "messages") {
			if m.Role == nestor.RoleUser {
				given[m.TaskID] = append(given[m.TaskID], m.Content)
			}
		}
		for _, task := range list[nestor.Task](w, w.chat, "tasks") {
			var told []string
			for _, m := range list[nestor.SubAgentMessage](w, w.chat.Child("sub-agents", task.SubAgentID), "messages") {
				if m.Role == nestor.RoleUser && m.AuthorID != "" {
					told = append(told, m.Content)
				}
			}
			if len(told) != 1 || !slices.Equal(told, given[task.ID]) || !strings.HasSuffix(task.Result, told[0]) {
				t.Errorf("the agent was told %q, the chat %q; the result is %q", told, given[task.ID], task.Result)
			}
		}
		refused := 0
		for _, err := range errs {
			if err == nil {
				continue
			}
			refused++
			var e *nestor.Error
			if !errors.As(err, &e) || e.Code != nestor.CodeConflict || e.Details["reason"] != "answered" || e.Details["by"] == nil {
				t.Errorf("refused with %v", err)
			}
		}
		if want := tasks * (answers - 1); refused != want {
			t.Errorf("%d answers were refused, want %d", refused, want)
		}
	})
}
