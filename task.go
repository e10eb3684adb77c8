package nestor

import "slices"

// TaskType says who carries a task out.
type TaskType string

// The types of tasks.
const (
	TaskAgent TaskType = "agent"
	TaskTool  TaskType = "tool"
)

// TaskStatus says where a task stands.
type TaskStatus string

// The states of a task: pending → running ⇄ waiting → success | failed |
// cancelled, and success → running when its agent is reactivated.
const (
	TaskPending   TaskStatus = "pending"
	TaskRunning   TaskStatus = "running"
	TaskWaiting   TaskStatus = "waiting"
	TaskSuccess   TaskStatus = "success"
	TaskFailed    TaskStatus = "failed"
	TaskCancelled TaskStatus = "cancelled"
)

// Task is work the orchestrator hands to a sub-agent, stored below the chat
// at tasks/{id}.
type Task struct {
	Meta
	UserID string   `json:"userId,omitempty"`
	ChatID string   `json:"chatId,omitempty"`
	Type   TaskType `json:"type"`
	// Name is "agent:" and the role, such as agent:researcher.
	Name        string `json:"name"`
	Instruction string `json:"instruction"`
	// SubAgentID is set when the agent starts.
	SubAgentID string `json:"subAgentId,omitempty"`
	// TriggerMessageID is the message that led to the task.
	TriggerMessageID string     `json:"triggerMessageId,omitempty"`
	Status           TaskStatus `json:"status"`
	Result           string     `json:"result,omitempty"`
	Error            string     `json:"error,omitempty"`
}

var taskSteps = map[TaskStatus][]TaskStatus{
	TaskPending: {TaskRunning, TaskFailed, TaskCancelled},
	TaskRunning: {TaskWaiting, TaskSuccess, TaskFailed, TaskCancelled},
	TaskWaiting: {TaskRunning, TaskSuccess, TaskFailed, TaskCancelled},
	TaskSuccess: {TaskRunning},
	TaskFailed:  {TaskRunning},
}

// CanBecome reports whether a task may go from s to next. A failed task may
// run again: that is a retry from its last good step.
func (s TaskStatus) CanBecome(next TaskStatus) bool { return slices.Contains(taskSteps[s], next) }
