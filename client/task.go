package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/nestorhq/nestor"
)

// StartTask runs an agent of a role directly, without the orchestrator.
func (c *Client) StartTask(ctx context.Context, chatID, role, instruction string) (*nestor.Task, error) {
	return c.Start(ctx, chatID, NewTask{Name: "agent:" + role, Instruction: instruction})
}

// NewTask is a task to start.
type NewTask struct {
	// ID is the task's own. Defaults to one that the server makes.
	ID string `json:"id,omitempty"`
	// Name is "agent:" and a role, or "tool:" and a tool, which is called
	// without a model.
	Name string `json:"name"`
	// Instruction is what an agent is to do. For a tool without Args it is the
	// arguments: a JSON object, or the one text that the tool needs.
	Instruction string `json:"instruction,omitempty"`
	// Args are the arguments of a tool, anything whose JSON is an object.
	Args any `json:"args,omitempty"`
	// TriggerMessageID is the message of the chat that led to the task, if one
	// did.
	TriggerMessageID string         `json:"triggerMessageId,omitempty"`
	Budget           *nestor.Budget `json:"budget,omitempty"`
}

// Start starts a task without the orchestrator.
func (c *Client) Start(ctx context.Context, chatID string, task NewTask) (*nestor.Task, error) {
	return do[nestor.Task](ctx, c, http.MethodPost, chatPath(chatID, "tasks"), task)
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

// Answer gives a task's agent the answer to the question that the task waits with,
// and returns it as the chat has it. If the agent does not wait for that answer any more,
// nothing is said, and the error is [nestor.ErrConflict].
func (c *Client) Answer(ctx context.Context, task *nestor.Task, content string) (*nestor.Message, error) {
	return do[nestor.Message](ctx, c, http.MethodPost, chatPath(task.ChatID, "tasks", task.ID, "answer"),
		map[string]string{"questionId": task.QuestionID, "content": content})
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

// Decide takes the decision about a tool call that waits for a person, in the
// name of the token's owner.
func (c *Client) Decide(ctx context.Context, chatID, agentID, callID string, d nestor.Decision) error {
	_, err := do[nestor.ToolCall](ctx, c, http.MethodPost, chatPath(chatID, "sub-agents", agentID, "tool-calls", callID, "decision"),
		map[string]any{"action": d.Action, "args": d.Args, "reason": d.Reason})
	return err
}
