package record

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
)

// MaxSteps is how many steps the reasoning of a session has at most.
const MaxSteps = 10

// AgentSession is one analysis: it orders a user's tasks for an outcome.
type AgentSession struct {
	nestor.Meta
	UserID    string `json:"userId"`
	OutcomeID string `json:"outcome_id"`
	// RunID is the run that it is part of. The server sets it.
	RunID  string        `json:"runId,omitempty"`
	Status SessionStatus `json:"status,omitempty"`
	// Slot is [SlotRunning] while it is queued or running and [SlotCurrent] while
	// its plan is the latest good one.
	Slot Slot `json:"slot,omitempty"`
	// Partial: a tool failed for good. FailedTools names them.
	Partial     bool     `json:"partial,omitempty"`
	FailedTools []string `json:"failed_tools,omitempty"`
	Error       string   `json:"error,omitempty"`
	// Notices tell what was wrong with the model's plan and was repaired.
	Notices []string `json:"notices,omitempty"`
	// Doing is the step that was decided on and has not ended. Next are the other calls
	// of the same reply, which are steps after it, and Skipped names those for which no
	// step was left.
	Doing             *ReasoningStep       `json:"doing,omitempty"`
	Next              []ReasoningStep      `json:"next,omitempty"`
	Skipped           []string             `json:"skipped,omitempty"`
	PrioritizedPlan   *PrioritizedTaskPlan `json:"prioritized_plan,omitempty"`
	ExecutionMetadata ExecutionMetadata    `json:"execution_metadata"`
}

// SessionStatus is how far a session is.
type SessionStatus string

const (
	SessionQueued    SessionStatus = "queued"
	SessionRunning   SessionStatus = "running"
	SessionCompleted SessionStatus = "completed"
	SessionFailed    SessionStatus = "failed"
)

// ExecutionMetadata is what a session took.
type ExecutionMetadata struct {
	StepsTaken          int            `json:"steps_taken"`
	ToolCallCount       map[string]int `json:"tool_call_count"`
	ThinkingTimeMS      int64          `json:"thinking_time_ms"`
	ToolExecutionTimeMS int64          `json:"tool_execution_time_ms"`
	TotalTimeMS         int64          `json:"total_time_ms"`
	ErrorCount          int            `json:"error_count"`
	SuccessRate         float64        `json:"success_rate"`
}

// ReasoningTrace is how a session reasoned. It is gone with its session.
type ReasoningTrace struct {
	nestor.Meta
	UserID          string          `json:"userId"`
	SessionID       string          `json:"sessionId"`
	Steps           []ReasoningStep `json:"steps"`
	TotalDurationMS int64           `json:"total_duration_ms"`
	TotalSteps      int             `json:"total_steps"`
	ToolsUsedCount  map[string]int  `json:"tools_used_count"`
}

// ReasoningStep is one thought and the tool that was used for it.
type ReasoningStep struct {
	StepNumber int             `json:"step_number"`
	Timestamp  string          `json:"timestamp"` // ISO 8601
	Thought    *string         `json:"thought"`
	ToolName   *string         `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolOutput json.RawMessage `json:"tool_output"`
	DurationMS int64           `json:"duration_ms"`
	Status     StepStatus      `json:"status,omitempty"` // "" until it ends
	Error      string          `json:"error,omitempty"`
}

// StepStatus is how a step ended.
type StepStatus string

const (
	StepSuccess StepStatus = "success"
	StepFailed  StepStatus = "failed"
	StepSkipped StepStatus = "skipped"
)
