package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/nestorhq/nestor"
)

// StartTask runs an agent of a role directly, without the orchestrator.
func (c *Client) StartTask(ctx context.Context, chatID, role, instruction string) (*nestor.Task, error) {
	return do[nestor.Task](ctx, c, http.MethodPost, chatPath(chatID, "tasks"),
		map[string]string{"name": "agent:" + role, "instruction": instruction})
}

// Tasks yields the tasks of a chat, oldest first.
func (c *Client) Tasks(ctx context.Context, chatID string) iter.Seq2[nestor.Task, error] {
	return list[nestor.Task](ctx, c, chatPath(chatID, "tasks"))
}

// Cancel ends a task and everything below it.
func (c *Client) Cancel(ctx context.Context, chatID, taskID string) error {
	return c.control(ctx, chatID, taskID, "cancel")
}

// Pause makes a task's agent rest after the step it is in.
func (c *Client) Pause(ctx context.Context, chatID, taskID string) error {
	return c.control(ctx, chatID, taskID, "pause")
}

// Resume lets a paused agent go on.
func (c *Client) Resume(ctx context.Context, chatID, taskID string) error {
	return c.control(ctx, chatID, taskID, "resume")
}

// Retry has a failed task go on from its last good step.
func (c *Client) Retry(ctx context.Context, chatID, taskID string) error {
	return c.control(ctx, chatID, taskID, "retry")
}

func (c *Client) control(ctx context.Context, chatID, taskID, action string) error {
	_, err := do[nestor.Task](ctx, c, http.MethodPost, chatPath(chatID, "tasks", taskID, action), nil)
	return err
}

// Steer tells a task's agent something that it sees at its next step.
func (c *Client) Steer(ctx context.Context, chatID, taskID, content string) (*nestor.SubAgentMessage, error) {
	return do[nestor.SubAgentMessage](ctx, c, http.MethodPost, chatPath(chatID, "tasks", taskID, "messages"),
		map[string]string{"content": content})
}

// SubAgents yields the agents of a chat, oldest first.
func (c *Client) SubAgents(ctx context.Context, chatID string) iter.Seq2[nestor.SubAgent, error] {
	return list[nestor.SubAgent](ctx, c, chatPath(chatID, "sub-agents"))
}

// AgentMessages yields what was said inside an agent, oldest first.
func (c *Client) AgentMessages(ctx context.Context, chatID, agentID string) iter.Seq2[nestor.SubAgentMessage, error] {
	return list[nestor.SubAgentMessage](ctx, c, chatPath(chatID, "sub-agents", agentID, "messages"))
}

// ToolCalls yields the tool calls of an agent, oldest first.
func (c *Client) ToolCalls(ctx context.Context, chatID, agentID string) iter.Seq2[nestor.ToolCall, error] {
	return list[nestor.ToolCall](ctx, c, chatPath(chatID, "sub-agents", agentID, "tool-calls"))
}

// Decide settles a tool call that waits for a person. Who decided is the
// owner of the token.
func (c *Client) Decide(ctx context.Context, chatID, agentID, callID string, d nestor.Decision) error {
	_, err := do[nestor.ToolCall](ctx, c, http.MethodPost, chatPath(chatID, "sub-agents", agentID, "tool-calls", callID, "decision"),
		map[string]any{"action": d.Action, "args": d.Args, "reason": d.Reason})
	return err
}
