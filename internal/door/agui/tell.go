package agui

import (
	"errors"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/door/said"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/sse"
)

// teller tells a client of a run, event by event. It keeps the messages and the state as
// the client has them.
type teller struct {
	in     *input
	thread *turn.Thread
	get    func(nestor.Path) (*nestor.Document, error)
	out    *sse.Writer

	// silent: the client was told of what happens now.
	silent bool
	begun  bool

	said   said.Teller
	view   []*message
	state  state
	agents map[string]*agent
	calls  map[string]bool // those that were told
	open   map[nestor.Path]*speech
	voided map[nestor.Path]int
}

// speech is what is open of a message that is being said. Ours: the client has it from
// this stream alone.
type speech struct{ text, reasoning, ours bool }

func (t *teller) send(e *event) {
	if !t.silent {
		put(t.out, e)
	}
}

// begin is told before the events of a run. The client has, or will be given, what the
// chat said up to the message that began the run.
func (t *teller) begin(run string) error {
	t.agents, t.calls, t.open, t.voided = map[string]*agent{}, map[string]bool{}, map[nestor.Path]*speech{}, map[nestor.Path]int{}
	t.said.Whole = t.written
	t.silent = true // until something is to be told
	if run != "" {
		t.state.Run = runState{run, nestor.RunRunning} // what is being said may be told before that
	}
	return t.base(run)
}

// written is what an agent below wrote.
func (t *teller) written(p nestor.Path) string {
	d, err := t.get(p)
	if err != nil {
		return ""
	}
	m, err := nestor.As[nestor.SubAgentMessage](d)
	if err != nil {
		return ""
	}
	return m.Content
}

// base is what the client should have of the thread before the run.
func (t *teller) base(run string) error {
	chat, err := t.thread.Messages(run)
	if err != nil {
		return err
	}
	known, missing := t.known(chat), false
	for i := range chat {
		for _, m := range shown(&chat[i]) {
			if had := known[m.ID]; had != nil {
				m = had.message()
			} else if m.ToolCalls == nil && m.ToolCallID == "" {
				missing = true
			}
			t.view = append(t.view, m)
		}
	}
	root := known[run]
	if missing || root == nil {
		t.view = append(t.instructions(), t.view...)
		return nil
	}
	// The client has all of it, and perhaps more, which it keeps.
	t.view = nil
	for i := range t.in.Messages {
		m := &t.in.Messages[i]
		if t.view = append(t.view, m.message()); m == root {
			break
		}
	}
	return nil
}

// known are the messages that the client sent, by their ids in the chat.
func (t *teller) known(chat []nestor.Message) map[string]*sent {
	ids, known := map[string]bool{}, map[string]*sent{}
	for i := range chat {
		ids[chat[i].ID] = true
	}
	for i := range t.in.Messages {
		m := &t.in.Messages[i]
		if known[m.ID] = m; m.Role != "user" || ids[m.ID] {
			continue
		}
		for _, id := range t.thread.Names(m.ID) {
			known[id] = m
		}
	}
	return known
}

// instructions are the messages that only the client keeps.
func (t *teller) instructions() (all []*message) {
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; m.Role == "system" || m.Role == "developer" {
			all = append(all, m.message())
		}
	}
	return all
}

// loud begins to tell the client. Messages that it has and should not have, and those
// that it lacks, are a reason for a snapshot.
func (t *teller) loud() {
	t.silent, t.begun = false, true
	if t.state.Run.Status == nestor.RunWaiting {
		t.state.Run.Status = nestor.RunRunning // the client has dealt with it
	}
	has, should, same, later := map[string]bool{}, map[string]bool{}, true, false
	for _, m := range t.in.Messages {
		has[m.ID] = true
	}
	for _, m := range t.view {
		should[m.ID] = true
		later = later || !same && has[m.ID]
		same = same && has[m.ID]
	}
	for i := range t.in.Messages {
		switch m := &t.in.Messages[i]; {
		case should[m.ID]:
		case m.Role == "user", m.Role == "tool" && t.calls[m.ToolCallID]:
			t.view = append(t.view, m.message()) // what it says or brings now
		case m.Role != "reasoning" && m.Role != "activity":
			same = false
		}
	}
	if later { // the client adds what it lacks at the end, so it has to forget all
		t.send(&event{Type: messagesSnapshot, Messages: []*message{}})
	}
	if !same {
		t.snapshot()
	}
	t.send(&event{Type: stateSnapshot, Snapshot: t.state.snapshot(t.in.State)})
}

func (t *teller) snapshot() {
	messages := t.view
	if messages == nil {
		messages = []*message{}
	}
	t.send(&event{Type: messagesSnapshot, Messages: messages})
}

// tell is told what happens.
func (t *teller) tell(e *runs.Event, again bool) error {
	if e == nil {
		t.out.Put(": \n\n")
		return t.out.Flush()
	}
	if e.Type == runs.RunBegan && t.silent {
		t.state.setRun(e.Run) // as the snapshot is to have it
	}
	switch {
	case again:
		t.silent = true
	case t.silent && !t.begun:
		t.loud()
	case t.silent:
		t.silent = false
		t.send(&event{Type: stateSnapshot, Snapshot: t.state.snapshot(t.in.State)})
	}
	for _, p := range t.said.Tell(e) {
		t.part(&p)
	}
	t.happened(e)
	if t.silent {
		return nil
	}
	return t.out.Flush()
}

// happened tells of what is not said.
func (t *teller) happened(e *runs.Event) {
	switch e.Type {
	case runs.AgentBegan:
		t.agentBegan(e)
	case runs.AgentEnded:
		t.agentEnded(e)
	case runs.Question:
		t.setAgent(e.AgentID, e.Status)
	case runs.ToolBegan, runs.Approval, runs.ClientCall:
		t.called(e)
	case runs.ToolEnded:
		t.returned(e)
	case runs.RunBegan, runs.RunWaits, runs.RunEnded:
		if e.Run != nil {
			t.setRun(e.Run)
		}
	}
}

func (t *teller) setRun(run *nestor.Run) { t.change(t.state.setRun(run)) }

// change tells of changes of the state.
func (t *teller) change(changes []operation) {
	if len(changes) > 0 {
		t.send(&event{Type: stateDelta, Delta: changes})
	}
}

// called tells of a call.
func (t *teller) called(e *runs.Event) {
	id := turn.ID(e.AgentID, e.CallID)
	if t.calls[id] {
		return
	}
	t.calls[id] = true
	args, by := string(e.Args), t.attributed(e.AgentID)
	t.send(&event{Type: callStart, ToolCallID: id, ToolCallName: e.Tool, SubagentRunID: by})
	if args != "" {
		t.send(&event{Type: callArgs, ToolCallID: id, Delta: args, SubagentRunID: by})
	}
	t.send(&event{Type: callEnd, ToolCallID: id, SubagentRunID: by})
	t.show(callOf(id, e.Tool, args, by))
}

// show notes a message that the client has now, and reports whether it had it not before.
func (t *teller) show(m *message) bool {
	if slices.ContainsFunc(t.view, func(v *message) bool { return v.ID == m.ID }) {
		return false
	}
	t.view = append(t.view, m)
	return true
}

// returned tells of the result of a call.
func (t *teller) returned(e *runs.Event) {
	t.called(e)
	id, text, by := turn.ID(e.AgentID, e.CallID), e.Text, t.attributed(e.AgentID)
	if e.Error != "" {
		text = "Error: " + e.Error
	}
	if slices.ContainsFunc(t.view, func(m *message) bool { return m.ToolCallID == id }) {
		return // the client ran it: it knows
	}
	if i := slices.IndexFunc(t.in.Messages, func(m sent) bool { return m.Role == "tool" && m.ToolCallID == id }); i >= 0 && t.silent {
		t.view = append(t.view, t.in.Messages[i].message())
		return
	}
	m := resultOf(id, text, by)
	t.show(m)
	t.send(&event{Type: callResult, MessageID: m.ID, ToolCallID: id, Content: &text, Role: "tool", SubagentRunID: by})
}

// end tells how it ended.
func (t *teller) end(end *turn.End, err error) {
	if err != nil {
		t.silent = false
		message, ok := nestor.PublicText(err)
		if !ok {
			message = "something went wrong on the server"
		}
		code := nestor.CodeInternal
		if e := new(nestor.Error); errors.As(err, &e) {
			code = e.Code
		}
		t.send(&event{Type: runError, Message: message, Code: string(code)})
		return
	}
	if !t.begun {
		t.loud() // nothing has happened since
	}
	run := &end.Run
	switch run.Status {
	case nestor.RunFailed:
		message := strings.Join(run.Errors, "\n")
		if message == "" {
			message = "the run failed"
		}
		t.send(&event{Type: runError, Message: message, Code: string(run.Status), Usage: usageOf(run)})
		return
	case nestor.RunWaiting:
		t.waits(end)
		return
	}
	t.suspend(nil)
	done := &event{Type: runFinished, ThreadID: t.in.ThreadID, RunID: t.in.RunID, Usage: usageOf(run), Outcome: &outcome{Type: "success"}, Result: t.state.Run}
	if run.Status == nestor.RunCancelled {
		done.Outcome = t.newer(&outcome{Type: "cancelled"})
	}
	t.send(done)
}

// newer is an outcome that AG-UI has since 1.0. Clients of before refuse it, and get none:
// the state and the result say how the run stands.
func (t *teller) newer(o *outcome) *outcome {
	if t.before1() {
		return nil
	}
	return o
}

// before1 reports whether the client is one of before 1.0.
func (t *teller) before1() bool { return t.in.ProtocolVersion == "" }

// waits tells what the run waits for: interrupts, or the results of calls that the
// client runs.
func (t *teller) waits(end *turn.End) {
	done := &event{Type: runFinished, ThreadID: t.in.ThreadID, RunID: t.in.RunID, Usage: usageOf(&end.Run)}
	var calls []string
	var interrupts []interrupt
	for i := range end.Open {
		w := &end.Open[i]
		if w.Kind == need.Result {
			calls = append(calls, w.ID)
			continue
		}
		interrupts = append(interrupts, interruptOf(w, t.attributed(w.AgentID)))
	}
	if calls == nil && interrupts == nil {
		interrupts = []interrupt{{ID: end.Run.ID, Reason: paused, Message: "The work was paused. It goes on when somebody resumes it."}}
	}
	if interrupts != nil {
		done.Outcome = &outcome{Type: "interrupt", Interrupts: interrupts}
	} else {
		done.Outcome = t.newer(&outcome{Type: "success", PendingToolCallIDs: calls})
	}
	t.suspend(interrupts)
	t.send(done)
}
