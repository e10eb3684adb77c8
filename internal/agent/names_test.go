package agent_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// names are what tests call things: task1, task2 in the order in which they are
// created, agent1 for the agent of task1, call1.2 for the second call that it
// makes, and task1.2 for the task that this call creates. Models speak of them
// by these names, too.
type names struct {
	mu   sync.Mutex
	name map[string]string // by id
	id   map[string]string // by name
	n    int               // tasks
	made map[string]int    // calls, by agent
}

func (n *names) learn(c *nestor.Change) {
	if c.Type != nestor.Create {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch store.DefaultCatalogue.Of(c.Path) {
	case store.Tasks:
		task, _ := nestor.As[nestor.Task](c.After)
		if call, ok := n.name[task.ParentCallID]; ok {
			n.add(c.Path.ID(), strings.Replace(call, "call", "task", 1))
			break
		}
		n.n++
		n.add(c.Path.ID(), fmt.Sprintf("task%d", n.n))
	case store.SubAgents:
		agent, _ := nestor.As[nestor.SubAgent](c.After)
		n.add(c.Path.ID(), strings.Replace(n.name[agent.TaskID], "task", "agent", 1))
	case store.Messages:
		m, _ := nestor.As[nestor.Message](c.After)
		if m.Type == nestor.MessageToolCall && m.SubAgentID == "" { // of the orchestrator
			for _, call := range m.ToolCalls {
				n.made[""]++
				n.add(call.ID, fmt.Sprintf("call%d", n.made[""]))
			}
		}
	case store.SubAgentMessages:
		m, _ := nestor.As[nestor.SubAgentMessage](c.After)
		for _, call := range m.ToolCalls {
			agent := n.name[c.Path.Parent().ID()]
			n.made[agent]++
			n.add(call.ID, fmt.Sprintf("%s.%d", strings.Replace(agent, "agent", "call", 1), n.made[agent]))
		}
	}
}

func newNames() names {
	return names{name: map[string]string{}, id: map[string]string{}, made: map[string]int{}}
}

func (n *names) add(id, name string) {
	n.name[id], n.id[name] = name, id
}

// of is the id behind a name; what is no name stays as it is.
func (n *names) of(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.id[name]; ok {
		return id
	}
	return name
}

// hide puts names in the place of ids.
func (n *names) hide(text string) string {
	return n.replace(text, func() map[string]string { return n.name })
}

// reveal puts ids in the place of names that stand in quotes, as in arguments.
func (n *names) reveal(text string) string {
	return n.replace(text, func() map[string]string {
		quoted := map[string]string{}
		for name, id := range n.id {
			quoted[`"`+name+`"`] = `"` + id + `"`
		}
		return quoted
	})
}

func (n *names) replace(text string, pairs func() map[string]string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	for from, to := range pairs() {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// hideIn is a request in which the texts speak by names.
func (n *names) hideIn(req *llm.Request) *llm.Request {
	out := *req
	out.Messages = make([]llm.Message, len(req.Messages))
	for i, m := range req.Messages {
		out.Messages[i].Role = m.Role
		for _, p := range m.Parts {
			switch part := p.(type) {
			case llm.Text:
				part.Text = n.hide(part.Text)
				p = part
			case llm.ToolCall:
				part.Arguments = n.hide(part.Arguments)
				p = part
			case llm.ToolResult:
				part.Content = n.hide(part.Content)
				p = part
			}
			out.Messages[i].Parts = append(out.Messages[i].Parts, p)
		}
	}
	return &out
}
