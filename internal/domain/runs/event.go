package runs

import (
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// EventType says what happened.
type EventType string

// What happens in a run. Text and reasoning come as they are said; a message tells the
// whole of it when it is written.
const (
	RunBegan   EventType = "run_began"
	Text       EventType = "text"
	Reasoning  EventType = "reasoning"
	Restarted  EventType = "restarted" // what was said so far at Path is void
	Said       EventType = "message"   // a message was written into the chat
	AgentBegan EventType = "agent_began"
	AgentEnded EventType = "agent_ended"
	ToolBegan  EventType = "tool_began"
	ToolEnded  EventType = "tool_ended"
	Question   EventType = "question"    // an agent waits for an answer
	Approval   EventType = "approval"    // a call waits for somebody to decide about it
	ClientCall EventType = "client_call" // a call waits for the client, which runs it
	RunWaits   EventType = "run_waits"
	RunEnded   EventType = "run_ended" // the last one
)

// Event is something that happened in a run.
type Event struct {
	Type  EventType `json:"type"`
	RunID string    `json:"runId"`
	// Path is the document that tells it, or will.
	Path nestor.Path `json:"path,omitempty"`
	// TaskID and AgentID are on whose behalf; the orchestrator has neither. Role is the
	// agent's.
	TaskID  string `json:"taskId,omitempty"`
	AgentID string `json:"agentId,omitempty"`
	Role    string `json:"role,omitempty"`
	// CallID, Tool and Args are the call that begins, waits or ended.
	CallID string          `json:"callId,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	// Status is that of the agent, call or run.
	Status string `json:"status,omitempty"`
	// Text is what was said, from the character Offset on; the result of a call or an
	// agent; or the question.
	Text   string `json:"text,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Error  string `json:"error,omitempty"`
	// Message is what was written into the chat, and Run the run as it is now.
	Message *nestor.Message `json:"message,omitempty"`
	Run     *nestor.Run     `json:"run,omitempty"`
}

// teller tells the events of a run from changes and deltas.
type teller struct {
	id string
	// ids are the run and those that it ends with. Nil stands for all runs.
	ids map[string]bool
}

func (t *teller) of(run string) bool { return run != "" && (t.ids == nil || t.ids[run]) }

// inStreams are the events that every stream of documents tells beside the changes that
// they come from. What else there is to say stands in these.
var inStreams = []EventType{RunBegan, RunWaits, RunEnded, AgentBegan, AgentEnded, ToolBegan, ToolEnded, Question, Approval, ClientCall}

// Tells returns the events of runs that a change tells.
func Tells(c *nestor.Change) (told []httpapi.Event, err error) {
	if c.After == nil {
		return nil, nil
	}
	events, err := (&teller{}).change(c)
	for _, e := range events {
		if slices.Contains(inStreams, e.Type) {
			e.Args, e.Text, e.Message, e.Run = nil, "", nil, nil
			told = append(told, httpapi.Event{Name: string(e.Type), Data: e})
		}
	}
	return told, err
}

func newTeller(run *nestor.Run) *teller {
	t := &teller{id: run.ID, ids: map[string]bool{run.ID: true}}
	if run.JoinedTo != "" {
		t.ids[run.JoinedTo] = true
	}
	return t
}

// delta is what a delta tells.
func (t *teller) delta(d *feed.Delta) []Event {
	if !t.of(d.RunID) {
		return nil
	}
	e := Event{RunID: d.RunID, Path: d.Path, TaskID: d.TaskID, AgentID: d.SubAgentID, Text: d.Text, Offset: d.Offset}
	switch d.Kind {
	case feed.KindText:
		e.Type = Text
	case feed.KindReasoning:
		e.Type = Reasoning
	case feed.KindRestart, feed.KindDrop:
		e.Type = Restarted
	default:
		return nil
	}
	return []Event{e}
}

// change is what a change tells.
func (t *teller) change(c *nestor.Change) ([]Event, error) {
	if c.After == nil {
		if Collection.Has(c.Path) && c.Path.ID() == t.id {
			return []Event{{Type: RunEnded, RunID: t.id, Status: string(nestor.RunCancelled), Error: "the run was deleted"}}, nil
		}
		return nil, nil
	}
	switch {
	case Collection.Has(c.Path):
		return t.run(c)
	case store.Messages.Has(c.Path):
		m, err := nestor.As[nestor.Message](c.After)
		if err != nil || c.Type != nestor.Create || m.Role == nestor.RoleUser || !t.of(m.RunID) {
			return nil, err
		}
		return []Event{{Type: Said, RunID: m.RunID, Path: c.Path, TaskID: m.TaskID, AgentID: m.SubAgentID, Text: m.Content, Message: &m}}, nil
	case store.SubAgents.Has(c.Path):
		return t.agent(c)
	case store.SubAgentToolCalls.Has(c.Path):
		return t.call(c)
	}
	return nil, nil
}

func before[T any](c *nestor.Change) (v T, err error) {
	if c.Before != nil {
		v, err = nestor.As[T](c.Before)
	}
	return v, err
}

func (t *teller) run(c *nestor.Change) ([]Event, error) {
	if t.ids != nil && c.Path.ID() != t.id {
		return nil, nil
	}
	run, err := nestor.As[nestor.Run](c.After)
	if err != nil {
		return nil, err
	}
	was, err := before[nestor.Run](c)
	if err != nil {
		return nil, err
	}
	if run.JoinedTo != "" && t.ids != nil {
		t.ids[run.JoinedTo] = true
	}
	e := Event{RunID: c.Path.ID(), Path: c.Path, Status: string(run.Status), Run: &run}
	switch {
	case c.Type == nestor.Create:
		e.Type = RunBegan
	case run.Status.Ended() && !was.Status.Ended():
		e.Type = RunEnded
	case run.Status == nestor.RunWaiting && was.Status != nestor.RunWaiting:
		e.Type = RunWaits
	default:
		return nil, nil
	}
	return []Event{e}, nil
}

func (t *teller) agent(c *nestor.Change) ([]Event, error) {
	a, err := nestor.As[nestor.SubAgent](c.After)
	if err != nil || !t.of(a.RunID) {
		return nil, err
	}
	was, err := before[nestor.SubAgent](c)
	if err != nil || was.Status == a.Status && was.RunID == a.RunID {
		return nil, err
	}
	e := Event{RunID: a.RunID, Path: c.Path, TaskID: a.TaskID, AgentID: a.ID, Role: a.Role, Status: string(a.Status)}
	switch a.Status {
	case nestor.SubAgentActive:
		if was.Status == nestor.SubAgentWaiting {
			return nil, nil // it was answered
		}
		e.Type = AgentBegan
	case nestor.SubAgentWaiting:
		e.Type, e.Text, e.CallID = Question, a.Question, a.QuestionCallID
	default:
		e.Type, e.Text = AgentEnded, a.Summary
	}
	return []Event{e}, nil
}

func (t *teller) call(c *nestor.Change) (events []Event, err error) {
	call, err := nestor.As[nestor.ToolCall](c.After)
	if err != nil || !t.of(call.RunID) {
		return nil, err
	}
	was, err := before[nestor.ToolCall](c)
	if err != nil || was.Status == call.Status && was.Held == call.Held {
		return nil, err
	}
	e := Event{RunID: call.RunID, Path: c.Path, AgentID: call.SubAgentID, CallID: call.ID, Tool: call.ToolName, Args: call.Args, Status: string(call.Status)}
	begun := was.Status != "" && was.Status != nestor.ToolCallAwaitingApproval
	if !begun && call.Status != nestor.ToolCallAwaitingApproval {
		began := e
		began.Type, began.Status = ToolBegan, string(nestor.ToolCallRunning)
		events = append(events, began)
	}
	switch {
	case call.Status == nestor.ToolCallAwaitingApproval, call.Status == nestor.ToolCallUnknown:
		e.Type = Approval
	case call.Client && call.Status == nestor.ToolCallRunning && !call.Held:
		e.Type = ClientCall
	case call.Status.Ended():
		e.Type, e.Text, e.Error = ToolEnded, call.Result, call.Error
	default:
		return events, nil
	}
	return append(events, e), nil
}
