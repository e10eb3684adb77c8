package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/door/said"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/sse"
)

// askUser is the tool by which a client answers the question of an agent.
const askUser = "ask_user"

// teller tells a client of a run, event by event.
type teller struct {
	leg    turn.Leg
	thread *turn.Thread
	get    func(nestor.Path) (*nestor.Document, error)
	out    *sse.Writer

	// silent: the client was told of what happens now.
	silent bool
	said   said.Teller
	agents map[string]*agentData
	calls  map[string]*call
	open   map[nestor.Path]*speech
	// step is what was sent since the current step began, and of which message.
	step []sent
}

// speech is what is open of a message that is being said.
type speech struct{ text, reasoning bool }

// call is what the client was told of one.
type call struct {
	client, asked, ended bool
}

type sent struct {
	of nestor.Path
	chunk
}

func newTeller(leg turn.Leg, thread *turn.Thread, get func(nestor.Path) (*nestor.Document, error), out *sse.Writer) *teller {
	return &teller{
		leg: leg, thread: thread, get: get, out: out,
		agents: map[string]*agentData{}, calls: map[string]*call{}, open: map[nestor.Path]*speech{},
	}
}

func (t *teller) send(c *chunk) {
	if !t.silent {
		put(t.out, c)
	}
}

// add sends a chunk that is part of the current step.
func (t *teller) add(of nestor.Path, c chunk) {
	t.step = append(t.step, sent{of, c})
	t.send(&c)
}

// tell is told what happens.
func (t *teller) tell(e *runs.Event, again bool) error {
	if e == nil {
		t.out.Put(": \n\n")
		return t.out.Flush()
	}
	t.silent = again
	for _, p := range t.said.Tell(e) {
		t.part(&p)
	}
	t.happened(e)
	if again {
		return nil
	}
	return t.out.Flush()
}

// part tells of what is said.
func (t *teller) part(p *said.Part) {
	if p.AgentID != "" {
		if p.Kind == said.Text {
			t.send(&chunk{Type: "data-agent-text", Transient: true, Data: saying{p.AgentID, t.roleOf(p.AgentID), p.Text}})
		}
		return
	}
	now := t.open[p.Path]
	id := p.Path.ID()
	if now == nil {
		now = &speech{}
		t.open[p.Path] = now
		if p.Kind == said.Text || p.Kind == said.Reasoning {
			t.nextStep()
		}
	}
	switch p.Kind {
	case said.Reasoning:
		if !now.reasoning {
			now.reasoning = true
			t.add(p.Path, chunk{Type: "reasoning-start", ID: id})
		}
		t.add(p.Path, chunk{Type: "reasoning-delta", ID: id, Delta: p.Text})
	case said.Text:
		t.endReasoning(p.Path, now)
		if !now.text {
			now.text = true
			t.add(p.Path, chunk{Type: "text-start", ID: id})
		}
		t.add(p.Path, chunk{Type: "text-delta", ID: id, Delta: p.Text})
	case said.Void:
		t.takeBack(p.Path)
	case said.Done, said.Failure:
		t.endReasoning(p.Path, now)
		if now.text {
			t.add(p.Path, chunk{Type: "text-end", ID: id})
		}
		delete(t.open, p.Path)
	}
}

func (t *teller) endReasoning(p nestor.Path, now *speech) {
	if now.reasoning {
		now.reasoning = false
		t.add(p, chunk{Type: "reasoning-end", ID: p.ID()})
	}
}

// nextStep begins a step. While a call of the current one has no result, it goes on: the
// client looks for what it has to deal with in the last step.
func (t *teller) nextStep() {
	for _, s := range t.step {
		if c := t.calls[s.ToolCallID]; c != nil && !c.ended {
			return
		}
	}
	t.step = nil
	t.send(&chunk{Type: "start-step"})
}

// takeBack takes back what was said of a message. The client drops the whole step, so
// what else is in it is sent again.
func (t *teller) takeBack(p nestor.Path) {
	t.send(&chunk{Type: "reset-step"})
	t.step = slices.DeleteFunc(t.step, func(s sent) bool { return s.of == p })
	for i := range t.step {
		t.send(&t.step[i].chunk)
	}
	t.open[p] = &speech{} // what is said instead belongs to the same step
}

// happened tells of what is not said.
func (t *teller) happened(e *runs.Event) {
	switch e.Type {
	case runs.AgentEnded:
		t.agent(e.AgentID, e.Status, e.Text)
	case runs.AgentBegan, runs.Question:
		t.agent(e.AgentID, e.Status, "")
	case runs.ToolBegan, runs.ClientCall:
		t.called(e)
	case runs.Approval:
		t.approval(e)
	case runs.ToolEnded:
		t.returned(e)
	}
}

// agentOf is an agent below by its id, nil for the participant itself. One that was at
// work before the run began is met when it says or does something.
func (t *teller) agentOf(id string) *agentData {
	a, met := t.agents[id]
	if met || id == "" {
		return a
	}
	a = &agentData{ID: id, Role: "agent"}
	if d, err := t.get(t.thread.Chat.Child("sub-agents", id)); err == nil {
		if doc, err := nestor.As[nestor.SubAgent](d); err == nil {
			a.Role, a.ParentID = doc.Role, doc.ParentID
			if doc.Standing {
				a = nil
			}
		}
	}
	t.agents[id] = a
	return a
}

// agent tells where an agent below stands.
func (t *teller) agent(id, status, result string) {
	a := t.agentOf(id)
	if a == nil {
		return
	}
	a.Status, a.Result = status, result
	t.add("", chunk{Type: "data-agent", ID: id, Data: *a})
}

func (t *teller) roleOf(agent string) string {
	if a := t.agentOf(agent); a != nil {
		return a.Role
	}
	return ""
}

// called tells of a call.
func (t *teller) called(e *runs.Event) *call {
	id := turn.ID(e.AgentID, e.CallID)
	if c := t.calls[id]; c != nil {
		return c
	}
	c := &call{client: t.isClients(e)}
	t.calls[id] = c
	told := chunk{Type: "tool-input-available", ToolCallID: id, ToolName: e.Tool, Input: e.Args, ProviderExecuted: !c.client, Dynamic: !c.client}
	if len(told.Input) == 0 {
		told.Input = json.RawMessage("{}")
	}
	if a := t.agentOf(e.AgentID); a != nil {
		told.ToolMetadata = &agentData{ID: a.ID, Role: a.Role, ParentID: a.ParentID}
	}
	t.add("", told)
	return c
}

// isClients reports whether the client runs the tool of a call.
func (t *teller) isClients(e *runs.Event) bool {
	if e.Type == runs.ClientCall {
		return true
	}
	d, err := t.get(e.Path)
	if err != nil {
		return false
	}
	doc, err := nestor.As[nestor.ToolCall](d)
	return err == nil && doc.Client
}

// approval asks the person whether a call may be made.
func (t *teller) approval(e *runs.Event) {
	c, id := t.called(e), turn.ID(e.AgentID, e.CallID)
	c.asked = true
	asks := chunk{Type: "tool-approval-request", ApprovalID: id, ToolCallID: id}
	if e.Status == string(nestor.ToolCallUnknown) {
		asks.Reason = "A crash left open whether the call took effect. Approve to make it again, deny to go on without knowing."
	}
	t.add("", asks)
}

// returned tells of the result of a call.
func (t *teller) returned(e *runs.Event) {
	c, id := t.called(e), turn.ID(e.AgentID, e.CallID)
	c.ended = true
	result := chunk{Type: "tool-output-available", ToolCallID: id, Output: e.Text, ProviderExecuted: !c.client, Dynamic: !c.client}
	switch {
	case c.client && slices.Contains(t.leg.After, id):
		return // the client brought it
	case c.asked && e.Error != "" && t.denied(e):
		result = chunk{Type: "tool-output-denied", ToolCallID: id}
	case e.Error != "":
		result = chunk{Type: "tool-output-error", ToolCallID: id, ErrorText: e.Error, ProviderExecuted: !c.client, Dynamic: !c.client}
	}
	t.add("", result)
}

// denied reports whether a call was not made because somebody said so.
func (t *teller) denied(e *runs.Event) bool {
	d, err := t.get(e.Path)
	if err != nil {
		return false
	}
	doc, err := nestor.As[nestor.ToolCall](d)
	if err != nil || len(doc.Decisions) == 0 {
		return false
	}
	return doc.Decisions[len(doc.Decisions)-1].Action == nestor.Deny
}

// end tells how it ended.
func (t *teller) end(end *turn.End, err error) {
	t.silent = false
	if err != nil {
		text, ok := nestor.PublicText(err)
		if !ok {
			text = "something went wrong on the server"
		}
		t.send(&chunk{Type: "error", ErrorText: text})
		return
	}
	run := &end.Run
	about := metadata{RunID: t.leg.Run.ID(), Status: run.Status, Usage: run.Usage, CostMicros: run.CostMicros, Models: run.Models}
	done := &chunk{Type: "finish", FinishReason: "stop", MessageMetadata: about}
	switch run.Status {
	case nestor.RunFailed:
		text := strings.Join(run.Errors, "\n")
		if text == "" {
			text = "the run failed"
		}
		t.send(&chunk{Type: "message-metadata", MessageMetadata: about})
		t.send(&chunk{Type: "error", ErrorText: text})
		return
	case nestor.RunCancelled:
		t.send(&chunk{Type: "message-metadata", MessageMetadata: about})
		t.send(&chunk{Type: "abort", Reason: "the run was cancelled"})
		return
	case nestor.RunWaiting:
		done.FinishReason = "tool-calls"
		for i := range end.Open {
			t.question(&end.Open[i])
		}
	}
	t.send(done)
}

// question asks the person what an agent asks: the client has a tool for that.
func (t *teller) question(w *turn.Wait) {
	if w.Kind != need.Answer {
		return
	}
	input, err := json.Marshal(map[string]string{"question": w.Text})
	if err != nil {
		panic(err) // a text has a JSON form
	}
	t.add("", chunk{Type: "tool-input-available", ToolCallID: w.ID, ToolName: askUser, Input: input})
}
