package nestor

import (
	"encoding/json"
	"slices"
)

// SubAgentStatus says where a sub-agent stands.
type SubAgentStatus string

// The states of a sub-agent: active ⇄ waiting_for_user → completed | failed |
// cancelled. A completed or failed agent becomes active when it is reactivated.
const (
	SubAgentActive    SubAgentStatus = "active"
	SubAgentWaiting   SubAgentStatus = "waiting_for_user"
	SubAgentCompleted SubAgentStatus = "completed"
	SubAgentFailed    SubAgentStatus = "failed"
	SubAgentCancelled SubAgentStatus = "cancelled"
)

// SubAgent carries out one task, stored below the chat at sub-agents/{id}.
type SubAgent struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// TaskID is unique: a task never gets a second agent.
	TaskID string         `json:"taskId"`
	Role   string         `json:"role"`
	Status SubAgentStatus `json:"status"`
	// IterationCount rises with every model call.
	IterationCount int `json:"iterationCount"`
	// Summary condenses the older part of a long conversation.
	Summary string `json:"summary,omitempty"`
}

var subAgentSteps = map[SubAgentStatus][]SubAgentStatus{
	SubAgentActive:    {SubAgentWaiting, SubAgentCompleted, SubAgentFailed, SubAgentCancelled},
	SubAgentWaiting:   {SubAgentActive, SubAgentCompleted, SubAgentFailed, SubAgentCancelled},
	SubAgentCompleted: {SubAgentActive},
	SubAgentFailed:    {SubAgentActive},
}

// CanBecome reports whether an agent may go from s to next.
func (s SubAgentStatus) CanBecome(next SubAgentStatus) bool {
	return slices.Contains(subAgentSteps[s], next)
}

// SubAgentMessage is one turn inside an agent, stored below it at
// messages/{id}.
type SubAgentMessage struct {
	Meta
	UserID     string `json:"userId,omitempty"`
	ChatID     string `json:"chatId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	Role       Role   `json:"role"`
	Content    string `json:"content"`
	// ToolCallID says which call a message of role tool answers.
	ToolCallID string           `json:"toolCallId,omitempty"`
	ToolCalls  []ToolRequest    `json:"toolCalls,omitempty"`
	Name       string           `json:"name,omitempty"`
	Metadata   *MessageMetadata `json:"metadata,omitempty"`
}

// ToolCallStatus says where a tool call stands.
type ToolCallStatus string

// The states of a tool call.
const (
	ToolCallPending          ToolCallStatus = "pending"
	ToolCallAwaitingApproval ToolCallStatus = "awaiting_approval"
	ToolCallRunning          ToolCallStatus = "running"
	ToolCallSuccess          ToolCallStatus = "success"
	ToolCallFailed           ToolCallStatus = "failed"
	// ToolCallSkipped: the agent asked or concluded in the same breath.
	ToolCallSkipped ToolCallStatus = "skipped"
	// ToolCallUnknown: a crash left open whether a once-only call took effect;
	// a person decides.
	ToolCallUnknown   ToolCallStatus = "unknown"
	ToolCallCancelled ToolCallStatus = "cancelled"
)

// ToolCall is one execution of a tool, stored below the agent at
// tool-calls/{id}. Its id is the toolCallId of the message that answers it.
type ToolCall struct {
	Meta
	UserID     string          `json:"userId,omitempty"`
	ChatID     string          `json:"chatId,omitempty"`
	SubAgentID string          `json:"subAgentId,omitempty"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args,omitempty"`
	Status     ToolCallStatus  `json:"status"`
	Result     string          `json:"result,omitempty"`
	Error      string          `json:"error,omitempty"`
}
