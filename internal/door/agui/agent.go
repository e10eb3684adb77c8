package agui

import (
	"maps"
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
)

// agent is one that takes part.
type agent struct {
	role, parent string
	// standing: it is the participant itself, and nobody below.
	standing bool
	// told is under which id the client knows of it, while it works: each time that it
	// sets to work is another one. Times counts them.
	told  string
	times int
}

// agentBegan tells of an agent that sets to work.
func (t *teller) agentBegan(e *runs.Event) {
	t.setAgent(e.AgentID, e.Status)
	t.attributed(e.AgentID)
}

// agentOf is an agent by its id, nil for "". One that was at work before the run began is
// met when it says or does something.
func (t *teller) agentOf(id string) *agent {
	if a := t.agents[id]; a != nil || id == "" {
		return a
	}
	a := &agent{role: "agent"}
	t.agents[id] = a
	if d, err := t.get(t.thread.Chat.Child("sub-agents", id)); err == nil {
		if doc, err := nestor.As[nestor.SubAgent](d); err == nil {
			a.role, a.parent, a.standing = doc.Role, doc.ParentID, doc.Standing
		}
	}
	return a
}

// attributed is under which id the client knows of an agent that says or does something
// now, "" for the participant itself. A client that does not know of it is told.
func (t *teller) attributed(id string) string {
	a := t.agentOf(id)
	if a == nil || a.standing || t.silent {
		return ""
	}
	if a.told != "" {
		return a.told
	}
	parent := ""
	if a.parent != "" {
		parent = t.attributed(a.parent)
	}
	if a.times++; a.times == 1 {
		a.told = id
	} else {
		a.told = id + "." + strconv.Itoa(a.times)
	}
	t.send(&event{Type: agentStarted, SubagentRunID: a.told, Name: a.role, ParentSubagentRunID: parent})
	return a.told
}

// roleOf is the name under which an agent below speaks.
func (t *teller) roleOf(id string) string {
	if a := t.agentOf(id); a != nil && !a.standing {
		return a.role
	}
	return ""
}

func (t *teller) setAgent(id, status string) {
	if a := t.agentOf(id); a != nil && !a.standing {
		t.change(t.state.setAgent(agentState{ID: id, Role: a.role, Status: status, ParentID: a.parent}))
	}
}

// agentEnded tells of an agent that has done its work.
func (t *teller) agentEnded(e *runs.Event) {
	a := t.agentOf(e.AgentID)
	if a == nil || a.standing {
		return
	}
	by := t.attributed(e.AgentID)
	if a.told = ""; by != "" {
		done := &event{Type: agentFinished, SubagentRunID: by, Outcome: &outcome{Type: "success"}}
		if e.Text != "" {
			done.Result = e.Text
		}
		if e.Status == string(nestor.SubAgentFailed) {
			done = &event{Type: agentError, SubagentRunID: by, Message: e.Text, Code: e.Status}
			if done.Message == "" {
				done.Message = "the agent failed"
			}
		}
		t.send(done)
	}
	t.setAgent(e.AgentID, e.Status)
}

// suspend tells of all agents that are at work that they rest.
func (t *teller) suspend(interrupts []interrupt) {
	for _, id := range slices.Sorted(maps.Keys(t.agents)) {
		a := t.agents[id]
		if a.told == "" {
			continue
		}
		rests := &outcome{Type: "suspended"}
		for _, i := range interrupts {
			if i.SubagentRunID == a.told {
				rests.InterruptIDs = append(rests.InterruptIDs, i.ID)
			}
		}
		t.send(&event{Type: agentFinished, SubagentRunID: a.told, Outcome: rests})
		a.told = ""
	}
}
