package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// take prints an event and remembers what it means.
func (c *chat) take(e client.Event) error {
	switch {
	case e.Delta != nil:
		c.state.writing(e.Delta)
		c.delta(e.Delta)
		return nil
	case e.Run != nil:
		c.state.ran(e.Run)
		return nil
	case e.Change.Type == nestor.Delete:
		return nil
	}
	switch e.Change.Collection {
	case "messages":
		if e.Change.Type == nestor.Update {
			return nil // it is known, and was handed to the participant of the chat
		}
		return withDocument(e.Change, c.message)
	case "tasks":
		return withDocument(e.Change, c.task)
	case "sub_agents":
		return withDocument(e.Change, c.agent)
	case "sub_agent_tool_calls":
		return withDocument(e.Change, c.call)
	}
	return nil
}

func withDocument[T any](change *client.Change, fn func(T)) error {
	var v T
	if err := change.Decode(&v); err != nil {
		return nestor.Errorf(nestor.CodeInternal, "%s cannot be read: %w", change.Path, err)
	}
	fn(v)
	return nil
}

// delta prints what is said in the chat itself, while it is said.
func (c *chat) delta(d *client.Delta) {
	if strings.Contains(string(d.Path), "/sub-agents/") {
		return
	}
	switch d.Kind {
	case "restart", "drop":
		if d.Path == c.streamed {
			c.view.stream(" […]")
			c.view.endStream()
			c.streamed, c.printed = "", 0
		}
	case "text":
		if c.streamed == "" {
			c.streamed, c.printed = d.Path, 0
			c.view.stream("\n")
		}
		if d.Path == c.streamed {
			text := []rune(d.Text)
			if known := c.printed - d.Offset; known > 0 {
				text = text[min(known, len(text)):]
			}
			c.view.stream(string(text))
			c.printed += len(text)
		}
	}
}

func (c *chat) message(m nestor.Message) {
	reports := c.state.reports(&m)
	c.state.said(&m)
	if reports {
		c.report(&m)
		return
	}
	streamed := m.ID == c.streamed.ID() && c.printed > 0
	switch {
	case streamed:
		text := []rune(m.Content)
		c.view.stream(string(text[min(c.printed, len(text)):]))
		c.view.endStream()
		c.streamed, c.printed = "", 0
	case m.Role == nestor.RoleUser && c.Live:
	case m.Role == nestor.RoleUser:
		c.view.say("> " + m.Content)
	case m.Type == nestor.MessageSummary || m.Type == nestor.MessageToolResult: // calls are told as they are made
	case m.Type == nestor.MessageToolCall && m.Content == "":
	default:
		c.view.say("\n" + m.Content + "\n")
	}
}

// report prints how a task ended, and what came of it.
func (c *chat) report(m *nestor.Message) {
	t := c.state.tasks[m.TaskID]
	c.view.ended(t)
	c.view.say("\n" + cmp.Or(t.Error, m.Content) + "\n")
}

func (c *chat) task(t nestor.Task) {
	before := c.state.changed(t)
	switch {
	case before == "":
		c.view.note(t.Depth, fmt.Sprintf("› %s  %s", role(&t), title(&t)))
	case t.Status.Ended() && !before.Ended() && !c.state.owed["report "+t.ID]:
		c.view.ended(c.state.tasks[t.ID])
	}
}

func (c *chat) agent(a nestor.SubAgent) {
	if t := c.state.tasks[a.TaskID]; t != nil {
		t.steps = a.IterationCount
	}
}

func (c *chat) call(call nestor.ToolCall) {
	t := c.state.called(call)
	if t == nil {
		return
	}
	args := firstLine(string(call.Args), 80)
	switch call.Status {
	case nestor.ToolCallPending:
		c.view.note(t.Depth+1, fmt.Sprintf("%s %s", call.ToolName, args))
	case nestor.ToolCallSuccess:
		c.view.note(t.Depth+1, fmt.Sprintf("%s → %s", call.ToolName, firstLine(call.Result, 80)))
	case nestor.ToolCallFailed:
		c.view.note(t.Depth+1, fmt.Sprintf("%s ✗ %s", call.ToolName, firstLine(call.Error, 80)))
	case nestor.ToolCallAwaitingApproval, nestor.ToolCallUnknown:
		c.view.say(howToDecide(call))
	}
}
