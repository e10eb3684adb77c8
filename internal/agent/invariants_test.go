package agent_test

import (
	"cmp"
	"slices"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// changes are what was committed in a world.
type changes struct {
	mu   sync.Mutex
	list []nestor.Change
}

func (l *changes) add(c nestor.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, c)
}

// sorted are the changes in the order of the log.
func (l *changes) sorted() []nestor.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(slices.Values(l.list), func(a, b nestor.Change) int { return cmp.Compare(a.Seq, b.Seq) })
}

// finish waits for the end of everything, with all gates open, and checks what
// must hold in every world, whatever happened in it.
func (w *world) finish() {
	w.Helper()
	w.until("nothing is held any more", func() bool { waiting, _ := w.gates.count(); return waiting == 0 })
	w.rest()
	for _, j := range w.jobs() {
		w.Errorf("nothing runs, and the job of %s about %s stays %s", j.Trigger, w.names.hide(string(j.Change.Path)), j.State)
	}
	w.checkDrafts()
	log := w.log.sorted()
	w.checkSteps(log)
	w.checkOneAgentPerTask(log)
	w.checkNothingAfterCancel(log)
	w.ended = map[string][]*nestor.Document{}
	if w.document(w.chat) == nil {
		return
	}
	w.checkReports(log)
	for _, a := range list[nestor.SubAgent](w, w.chat, "sub-agents") {
		w.checkAnswers(a)
		w.checkAlive(a)
		w.checkWork(a)
	}
	w.checkAccounts()
}

// checkSteps: states move only as the state machines allow.
func (w *world) checkSteps(log []nestor.Change) {
	w.Helper()
	for _, c := range log {
		if c.Type != nestor.Update {
			continue
		}
		switch store.DefaultCatalogue.Of(c.Path) {
		case store.Tasks:
			task := decode[nestor.Task](w, c.After)
			before, after := decode[nestor.Task](w, c.Before).Status, task.Status
			goesOn := task.Standing && before == nestor.TaskCancelled && after == nestor.TaskRunning
			if before != after && !before.CanBecome(after) && !goesOn {
				w.Errorf("%s went from %s to %s", w.names.hide(string(c.Path)), before, after)
			}
		case store.SubAgents:
			agent := decode[nestor.SubAgent](w, c.After)
			before, after := decode[nestor.SubAgent](w, c.Before).Status, agent.Status
			goesOn := agent.Standing && before == nestor.SubAgentCancelled && after == nestor.SubAgentActive
			if before != after && !before.CanBecome(after) && !goesOn {
				w.Errorf("%s went from %s to %s", w.names.hide(string(c.Path)), before, after)
			}
		case store.SubAgentToolCalls:
			before, after := decode[nestor.ToolCall](w, c.Before).Status, decode[nestor.ToolCall](w, c.After).Status
			if before.Ended() {
				w.Errorf("%s changed after it was %s: it is %s", w.names.hide(string(c.Path)), before, after)
			}
		case store.Messages:
			before, after := decode[nestor.Message](w, c.Before), decode[nestor.Message](w, c.After)
			if before.HandedTo != "" || after.HandedTo == "" || before.Content != after.Content {
				w.Errorf("message %s was written twice, not to be handed over", w.names.hide(string(c.Path)))
			}
		case store.SubAgentMessages:
			w.Errorf("message %s was written twice", w.names.hide(string(c.Path)))
		}
	}
}

func (w *world) checkOneAgentPerTask(log []nestor.Change) {
	w.Helper()
	agents := map[string]nestor.Path{}
	for _, c := range log {
		if store.DefaultCatalogue.Of(c.Path) != store.SubAgents || c.Type != nestor.Create {
			continue
		}
		task := decode[nestor.SubAgent](w, c.After).TaskID
		if agents[task] != "" {
			w.Errorf("%s has two agents", w.names.hide(task))
		}
		agents[task] = c.Path
	}
}

// checkNothingAfterCancel: once an agent is cancelled nothing of it changes, but
// what it was saying is kept, and counted.
func (w *world) checkNothingAfterCancel(log []nestor.Change) {
	w.Helper()
	cancelled := map[nestor.Path]bool{}
	for _, c := range log {
		if c.Type == nestor.Delete {
			continue
		}
		if store.DefaultCatalogue.Of(c.Path) == store.SubAgents && c.Type == nestor.Update && decode[nestor.SubAgent](w, c.After).Restarts > decode[nestor.SubAgent](w, c.Before).Restarts {
			delete(cancelled, c.Path) // the participant of a chat goes on
		}
		for p := range cancelled {
			if p.Contains(c.Path) && !w.keepsWhatWasSaid(p, c) {
				w.Errorf("%s was written after the agent was cancelled", w.names.hide(string(c.Path)))
			}
		}
		if store.DefaultCatalogue.Of(c.Path) == store.SubAgents && decode[nestor.SubAgent](w, c.After).Status == nestor.SubAgentCancelled {
			cancelled[c.Path] = true
		}
	}
}

// keepsWhatWasSaid reports whether a change is the message of an interrupted
// reply, or counts what that used.
func (w *world) keepsWhatWasSaid(agent nestor.Path, c nestor.Change) bool {
	w.Helper()
	switch {
	case c.Path == agent && c.Type == nestor.Update:
		before, after := decode[nestor.SubAgent](w, c.Before), decode[nestor.SubAgent](w, c.After)
		return before.Status == after.Status && after.IterationCount == before.IterationCount+1
	case c.Type == nestor.Create && store.DefaultCatalogue.Of(c.Path) == store.SubAgentMessages:
		m := decode[nestor.SubAgentMessage](w, c.After)
		return interrupted(m.Metadata) != "" && len(m.ToolCalls) == 0
	}
	return false
}

// checkReports: each time that a task of the orchestrator succeeds there is
// exactly one report, and each failure is told once.
func (w *world) checkReports(log []nestor.Change) {
	w.Helper()
	for _, c := range log {
		if store.DefaultCatalogue.Of(c.Path) != store.Tasks || c.Type != nestor.Update {
			continue
		}
		before, after := decode[nestor.Task](w, c.Before), decode[nestor.Task](w, c.After)
		if before.Status == after.Status || after.ParentCallID != "" {
			continue
		}
		trigger, purpose := "on-task-completed", "answer"
		switch after.Status {
		case nestor.TaskFailed:
			trigger, purpose = "on-task-failed", "failure"
		case nestor.TaskSuccess:
		default:
			continue
		}
		if after.Standing && (after.Status == nestor.TaskSuccess || after.Outcome == nestor.TaskCouldNot) {
			w.checkTold(log, after)
			continue
		}
		report := nestor.DeriveID(nestor.JobID(trigger, &c), purpose)
		if w.document(w.chat.Child("messages", report)) == nil {
			w.Errorf("nothing tells that %s ended as %s", w.names.hide(after.ID), after.Status)
		}
	}
}

// checkTold: all that a standing agent said, and what came of its calls, is in the
// chat, once.
func (w *world) checkTold(log []nestor.Change, task nestor.Task) {
	w.Helper()
	agent := w.chat.Child("sub-agents", task.SubAgentID)
	for _, c := range log {
		switch {
		case c.Path.Parent() != agent:
		case c.Type == nestor.Create && store.DefaultCatalogue.Of(c.Path) == store.SubAgentMessages && decode[nestor.SubAgentMessage](w, c.After).Role == nestor.RoleAssistant:
			if w.document(w.chat.Child("messages", c.Path.ID())) == nil {
				w.Errorf("the chat is not told %s", w.names.hide(string(c.Path)))
			}
		case store.DefaultCatalogue.Of(c.Path) == store.SubAgentToolCalls:
			call := decode[nestor.ToolCall](w, c.After)
			told := w.document(w.chat.Child("messages", nestor.DeriveID("result", call.ID))) != nil
			ends := call.ToolName == "final_answer" || call.ToolName == "ask_user" // the chat is told what it says
			if call.Status.Ended() && call.Status != nestor.ToolCallSkipped && !told && !(ends && call.Status == nestor.ToolCallSuccess) {
				w.Errorf("the chat is not told what came of %s", w.names.hide(string(c.Path)))
			}
		}
	}
}

// checkAnswers: every call that a model made has exactly one answer, unless
// the agent was cancelled or the call still waits for somebody.
func (w *world) checkAnswers(a nestor.SubAgent) {
	w.Helper()
	p := w.chat.Child("sub-agents", a.ID)
	open := map[string]bool{}
	for _, c := range list[nestor.ToolCall](w, p, "tool-calls") {
		open[c.ID] = !c.Status.Ended() || c.Status == nestor.ToolCallCancelled && !a.Standing
	}
	answers := map[string]int{}
	messages := list[nestor.SubAgentMessage](w, p, "messages")
	for _, m := range messages {
		if m.Role == nestor.RoleTool {
			answers[m.ToolCallID]++
		}
	}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			want := 1
			if open[c.ID] {
				want = 0
			}
			if answers[c.ID] != want {
				w.Errorf("%s: %s has %d answers, want %d", w.names.hide(a.ID), c.Function.Name, answers[c.ID], want)
			}
		}
	}
}

// checkWork: what an agent is said to have done for its run is what its messages and
// calls tell, all of which are of that run.
func (w *world) checkWork(a nestor.SubAgent) {
	w.Helper()
	if a.Work == nil {
		return
	}
	told, p := &nestor.AgentWork{}, w.agent(a.ID)
	for _, m := range list[nestor.SubAgentMessage](w, p, "messages") {
		told = told.WithReply(m.Metadata)
		if m.RunID != a.RunID {
			w.Errorf("%s works for one run only, and has a message of another", w.names.hide(a.ID))
		}
	}
	for _, c := range list[nestor.ToolCall](w, p, "tool-calls") {
		told = told.WithTool(c.ToolName)
	}
	for _, sets := range [][2][]string{{a.Work.Models, told.Models}, {a.Work.Tools, told.Tools}} {
		if !slices.Equal(slices.Sorted(slices.Values(sets[0])), slices.Sorted(slices.Values(sets[1]))) {
			w.Errorf("%s is said to have used %q, its messages and calls tell of %q", w.names.hide(a.ID), sets[0], sets[1])
		}
	}
	if a.Work.Replies != told.Replies {
		w.Errorf("%s is said to have got %d replies, its messages tell of %d", w.names.hide(a.ID), a.Work.Replies, told.Replies)
	}
}

// checkAlive: an agent that is active when everything rests is paused, or waits
// for the end of a call. Nothing is ever left behind.
func (w *world) checkAlive(a nestor.SubAgent) {
	w.Helper()
	if a.Status != nestor.SubAgentActive || a.Paused != nil && *a.Paused {
		return
	}
	for _, c := range list[nestor.ToolCall](w, w.agent(a.ID), "tool-calls") {
		if !c.Status.Ended() {
			return
		}
	}
	w.Errorf("%s is active and nothing will wake it", w.names.hide(a.ID))
}
