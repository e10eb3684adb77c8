package terminal

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// state is what is known of the chat.
type state struct {
	tasks  map[string]*task
	order  []string          // of the tasks, as they were created
	agents map[string]string // task by agent
	// owed is what is still to be said: the answer to a message, the end of a task, its question.
	owed map[string]bool
	// running are the runs at work. Something may be said as long as there is one, such as the
	// conclusion from what agents found.
	running map[string]bool
	// waiting are tool calls that a person decides about, oldest first.
	waiting []nestor.ToolCall
}

// task is a task and what its agent is doing.
type task struct {
	nestor.Task
	steps int
	doing string
}

func newState() *state {
	return &state{tasks: map[string]*task{}, agents: map[string]string{}, owed: map[string]bool{}, running: map[string]bool{}}
}

// idle reports whether nothing more happens unless somebody speaks.
func (s *state) idle() bool {
	for _, t := range s.tasks {
		if t.atWork() {
			return false
		}
	}
	return len(s.owed)+len(s.running) == 0
}

// atWork reports whether the task goes on by itself.
func (t *task) atWork() bool { return !t.Status.Ended() && t.Status != nestor.TaskWaiting && !t.Paused }

// asking is a task whose question the user was asked, or nil.
func (s *state) asking() *task {
	for _, id := range s.order {
		if t := s.tasks[id]; t.Status == nestor.TaskWaiting && !s.owed["question "+id] {
			return t
		}
	}
	return nil
}

// below are the tasks that an agent created, "" for the orchestrator.
func (s *state) below(agent string) []*task {
	var list []*task
	for _, id := range s.order {
		if t := s.tasks[id]; t.ParentAgentID == agent {
			list = append(list, t)
		}
	}
	return list
}

// said takes in a message of the chat.
func (s *state) said(m *nestor.Message) {
	switch {
	case m.Role == nestor.RoleUser:
		s.owed["answer"] = true
		s.runs(m.RunID)
		return
	case m.Type == nestor.MessageToolCall || m.Type == nestor.MessageToolResult:
		return // more is said
	case m.RepliesTo != "":
		delete(s.owed, "answer")
	}
	if m.TaskID != "" && m.Type != nestor.MessageStatus {
		delete(s.owed, "report "+m.TaskID)
		delete(s.owed, "question "+m.TaskID)
	}
}

// reports reports whether a message tells how a task ended.
func (s *state) reports(m *nestor.Message) bool {
	return s.owed["report "+m.TaskID] && m.Type != nestor.MessageStatus && m.QuestionID == ""
}

// changed takes in a task and reports the status it had before.
func (s *state) changed(t nestor.Task) (before nestor.TaskStatus) {
	known, ok := s.tasks[t.ID]
	if !ok {
		known = &task{}
		s.tasks[t.ID] = known
		s.order = append(s.order, t.ID)
	}
	before = known.Status
	known.Task = t
	if t.SubAgentID != "" {
		s.agents[t.SubAgentID] = t.ID
	}
	if before == t.Status {
		return before
	}
	delete(s.owed, "question "+t.ID)
	reports := t.ParentCallID == "" && t.Deliver != nestor.DeliverNone // else the agent above hears of it, or nobody
	switch {
	case t.Standing && t.Status != nestor.TaskFailed: // it has spoken in the chat itself
	case t.Status == nestor.TaskWaiting:
		s.owed["question "+t.ID] = true
	case reports && (t.Status == nestor.TaskSuccess || t.Status == nestor.TaskFailed):
		s.owed["report "+t.ID] = true
	}
	if before != "" || known.atWork() {
		s.runs(t.RunID)
	}
	return before
}

// runs notes that a run is at work.
func (s *state) runs(id string) {
	if id != "" {
		s.running[id] = true
	}
}

// ran takes in how a run stands.
func (s *state) ran(run *client.RunEvent) {
	if delete(s.running, run.RunID); run.Status == nestor.RunRunning {
		s.runs(run.RunID)
	}
}

// called takes in a tool call of an agent.
func (s *state) called(c nestor.ToolCall) *task {
	s.waiting = slices.DeleteFunc(s.waiting, func(w nestor.ToolCall) bool { return w.ID == c.ID })
	if c.Status == nestor.ToolCallAwaitingApproval || c.Status == nestor.ToolCallUnknown {
		s.waiting = append(s.waiting, c)
	}
	t := s.tasks[s.agents[c.SubAgentID]]
	if t != nil {
		t.doing = c.ToolName
	}
	return t
}

// writing takes in what an agent is saying right now.
func (s *state) writing(d *client.Delta) {
	t := s.tasks[d.TaskID]
	if t == nil || d.SubAgentID == "" {
		return
	}
	switch d.Kind {
	case "text", "reasoning":
		t.doing = "thinking"
	case "tool":
		t.doing = d.Tool.Name
	}
}
