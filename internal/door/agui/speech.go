package agui

import (
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/said"
)

// part tells of what is said. A client of before 1.0 cannot tell agents below from the
// participant: what they say would stand beside the result, which is told in the chat.
func (t *teller) part(p *said.Part) {
	if t.roleOf(p.AgentID) != "" && t.before1() {
		return
	}
	now := t.open[p.Path]
	if now == nil {
		now = &speech{}
		t.open[p.Path] = now
	}
	id, by := p.Path.ID(), t.attributed(p.AgentID)
	switch p.Kind {
	case said.Reasoning:
		t.thinks(p, now, by)
	case said.Text:
		t.endThought(p.Path, now, by)
		if !now.text {
			now.text = true
			t.send(&event{Type: textStart, MessageID: id, Role: "assistant", Name: t.roleOf(p.AgentID), SubagentRunID: by})
			now.ours = t.show(&message{ID: id, Role: "assistant", Content: new(string), Name: t.roleOf(p.AgentID), SubagentRunID: by})
		}
		t.send(&event{Type: textContent, MessageID: id, Delta: p.Text, SubagentRunID: by})
		if i := t.viewed(id); i >= 0 && now.ours {
			*t.view[i].Content += p.Text
		}
	case said.Void:
		t.close(p.Path, now, by)
		t.voided[p.Path]++
		if i := t.viewed(id); i >= 0 && now.ours {
			t.view = slices.Delete(t.view, i, i+1)
			t.snapshot() // the only way to take a message back
		}
	case said.Done, said.Failure:
		t.close(p.Path, now, by)
	}
}

// viewed is where a message that was told stands in the view.
func (t *teller) viewed(id string) int {
	return slices.IndexFunc(t.view, func(m *message) bool { return m.ID == id && m.sent == nil })
}

// thinks tells of what a model thinks, unless the client has it: reasoning is the
// client's to keep, and cannot be taken back.
func (t *teller) thinks(p *said.Part, now *speech, by string) {
	id := t.thoughtID(p.Path)
	if slices.ContainsFunc(t.in.Messages, func(m sent) bool { return m.ID == id }) {
		return
	}
	if !now.reasoning {
		now.reasoning = true
		t.send(&event{Type: reasoningStart, MessageID: id, SubagentRunID: by})
		t.send(&event{Type: thoughtStart, MessageID: id, Role: "reasoning", SubagentRunID: by})
	}
	t.send(&event{Type: thoughtContent, MessageID: id, Delta: p.Text, SubagentRunID: by})
}

// thoughtID is the id of the reasoning before a message. What is thought after a retry is
// another one.
func (t *teller) thoughtID(p nestor.Path) string {
	id := p.ID() + ".reasoning"
	if n := t.voided[p]; n > 0 {
		id += "." + strconv.Itoa(n)
	}
	return id
}

func (t *teller) endThought(p nestor.Path, now *speech, by string) {
	if !now.reasoning {
		return
	}
	now.reasoning = false
	id := t.thoughtID(p)
	t.send(&event{Type: thoughtEnd, MessageID: id, SubagentRunID: by})
	t.send(&event{Type: reasoningEnd, MessageID: id, SubagentRunID: by})
}

// close ends a message.
func (t *teller) close(p nestor.Path, now *speech, by string) {
	t.endThought(p, now, by)
	if now.text {
		t.send(&event{Type: textEnd, MessageID: p.ID(), SubagentRunID: by})
	}
	delete(t.open, p)
}
