package trigger

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// moment is something that happens in a chat and is left undone if no trigger
// fires on it.
type moment struct {
	trigger       string // the built-in one for it
	what          string
	path          nestor.Path
	before, after string // the document; no before for one that is created
}

const sampleChat = "users/u/orch-chats/c/"

var moments = []moment{
	{"on-user-message", "messages of users get no answer", sampleChat + "messages/m", "", `{"role":"user","type":"text","content":"x"}`},
	{"on-new-task", "agent tasks stay pending", sampleChat + "tasks/t", "", `{"type":"agent","name":"agent:general","status":"pending"}`},
	{"on-sub-agent-message", "agents never make a step", sampleChat + "sub-agents/a/messages/m", "", `{"role":"user","content":"x"}`},
	{"on-sub-agent-message", "agents never see what their tools said", sampleChat + "sub-agents/a/messages/m", "", `{"role":"tool","content":"x"}`},
	{"on-sub-agent-resumed", "agents that are resumed or tried again stay where they are", sampleChat + "sub-agents/a", `{"status":"active","paused":true}`, `{"status":"active","paused":false}`},
	{"on-sub-agent-tool", "tool calls stay pending", sampleChat + "sub-agents/a/tool-calls/k", "", `{"toolName":"x","status":"pending"}`},
	{"on-sub-agent-tool", "approved tool calls stay pending", sampleChat + "sub-agents/a/tool-calls/k", `{"toolName":"x","status":"awaiting_approval"}`, `{"toolName":"x","status":"pending"}`},
	{"on-task-completed", "results are not told in the chat", sampleChat + "tasks/t", `{"type":"agent","status":"running"}`, `{"type":"agent","status":"success"}`},
	{"on-task-failed", "failures are not told in the chat", sampleChat + "tasks/t", `{"type":"agent","status":"running"}`, `{"type":"agent","status":"failed"}`},
	{"on-task-waiting", "questions of agents are not told in the chat", sampleChat + "tasks/t", `{"type":"agent","status":"running"}`, `{"type":"agent","status":"waiting"}`},
	{"on-first-message", "chats get no title", sampleChat + "messages/m", "", `{"role":"user","type":"text","content":"x"}`},
}

// Warnings say what the triggers leave undone of Nestor's own work, and what
// of them does not count.
func (s *Set) Warnings() []string {
	warnings := slices.Clone(s.ignored)
	for i := range moments {
		if m := &moments[i]; !s.handles(m) {
			warnings = append(warnings, fmt.Sprintf("nothing does the work of the built-in trigger %s: %s", m.trigger, m.what))
		}
	}
	return warnings
}

// handles reports whether a trigger fires at the moment. Messages of users have
// two built-in triggers, so for the title its own handler or id is looked for.
func (s *Set) handles(m *moment) bool {
	if m.trigger == "on-first-message" {
		for _, r := range s.rules {
			if r.enabled.Load() && (r.ID == m.trigger || r.action.Handler == "title") {
				return true
			}
		}
		return false
	}
	scope := newScope(m.event())
	for _, r := range s.index.candidates(scope) {
		if !r.on() || r.action.Handler == "log" || r.action.Handler == "title" {
			continue
		}
		if outcome, _ := r.judge(scope); outcome.fires() {
			return true
		}
	}
	return false
}

func (m *moment) event() *store.Event {
	document := func(body string) *nestor.Document {
		if body == "" {
			return nil
		}
		return &nestor.Document{Path: m.path, Data: json.RawMessage(body)}
	}
	c := nestor.Change{Path: m.path, Type: nestor.Create, Before: document(m.before), After: document(m.after)}
	if m.before != "" {
		c.Type = nestor.Update
	}
	return store.NewEvent(c)
}
