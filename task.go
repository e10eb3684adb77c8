package nestor

import (
	"encoding/json"
	"slices"
)

// TaskType says who carries a task out.
type TaskType string

// The types of tasks.
const (
	TaskAgent TaskType = "agent" // an agent, by steps of its own
	TaskTool  TaskType = "tool"  // one call of a tool, without a model
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

// Delivery says where the result of a task goes.
type Delivery string

// The deliveries. Without one, the only task of a message answers the person, and of
// several the results come back.
const (
	// DeliverAnswer: the result answers the person as it is.
	DeliverAnswer Delivery = "answer"
	// DeliverReturn: the result is shown, and comes back to the orchestrator, which goes on.
	DeliverReturn Delivery = "return"
	// DeliverNone: nobody waits in the chat, so that nothing is said there.
	DeliverNone Delivery = "none"
)

// TaskOutcome says more about how a task ended.
type TaskOutcome string

// TaskCouldNot is the outcome of a task that failed because its agent says that it
// could not be done.
const TaskCouldNot TaskOutcome = "could_not"

// Task is work for a sub-agent, stored below the chat at tasks/{id}.
type Task struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// AskedBy are those for whom the work is done. The server sets it.
	AskedBy Askers `json:"askedBy,omitempty"`
	// RunID is the run that it is part of. The server sets it.
	RunID string   `json:"runId,omitempty"`
	Type  TaskType `json:"type"`
	// Name is "agent:" and the role, such as agent:researcher, or "tool:" and
	// the tool, such as tool:calculator.
	Name string `json:"name"`
	// Title says in a few words what it is about.
	Title       string `json:"title,omitempty"`
	Instruction string `json:"instruction"`
	// ResultSchema is a JSON Schema that the result of an agent fits: then it is JSON.
	ResultSchema json.RawMessage `json:"resultSchema,omitempty"`
	// Deliver says where the result goes.
	Deliver Delivery `json:"deliver,omitempty"`
	// Args are the arguments of a task of type tool. Without them its
	// instruction is: a JSON object, or the one text that the tool needs.
	Args json.RawMessage `json:"args,omitempty"`
	// SubAgentID is set when the agent starts.
	SubAgentID string `json:"subAgentId,omitempty"`
	// TriggerMessageID is the message that led to the task.
	TriggerMessageID string `json:"triggerMessageId,omitempty"`
	// Status of a task that is created without one is pending.
	Status TaskStatus `json:"status"`
	Result string     `json:"result,omitempty"`
	// Error is why it failed: with the outcome could_not, the agent's own answer.
	Error   string      `json:"error,omitempty"`
	Outcome TaskOutcome `json:"outcome,omitempty"`
	// Question is what a waiting task's agent wants to know, QuestionID what an answer
	// names it by, and Choices are answers that the agent suggests.
	Question   string   `json:"question,omitempty"`
	QuestionID string   `json:"questionId,omitempty"`
	Choices    []string `json:"choices,omitempty"`
	// Paused: the agent rests after the step it is in.
	Paused bool `json:"paused,omitempty"`
	// Standing: its agent is the participant of the chat, and answers there itself.
	// Each message begins another run of the task.
	Standing bool `json:"standing,omitempty"`
	// ParentAgentID and ParentCallID are the agent that created the task and
	// the tool call that waits for its result. A task of the orchestrator has none.
	ParentAgentID string `json:"parentAgentId,omitempty"`
	ParentCallID  string `json:"parentCallId,omitempty"`
	// Depth is 0 for a task of the orchestrator, and one more than its
	// parent's for a task that an agent created.
	Depth int `json:"depth,omitempty"`
	// Budget bounds what the task and everything below it may use.
	Budget *Budget `json:"budget,omitempty"`
	// Usage, CostMicros and Steps are what its agent used so far, brought up
	// to date whenever the agent ends or asks.
	Usage      *Usage `json:"usage,omitempty"`
	CostMicros int64  `json:"costMicros,omitempty"`
	Steps      int    `json:"steps,omitempty"`
	// StartedAt and EndedAt are Unix milliseconds.
	StartedAt int64 `json:"startedAt,omitempty"`
	EndedAt   int64 `json:"endedAt,omitempty"`
}

// Ended reports whether nothing more happens to a task by itself.
func (s TaskStatus) Ended() bool {
	return s == TaskSuccess || s == TaskFailed || s == TaskCancelled
}

var taskSteps = map[TaskStatus][]TaskStatus{
	TaskPending: {TaskRunning, TaskFailed, TaskCancelled},
	TaskRunning: {TaskWaiting, TaskSuccess, TaskFailed, TaskCancelled},
	TaskWaiting: {TaskRunning, TaskSuccess, TaskFailed, TaskCancelled},
	TaskSuccess: {TaskRunning},
	TaskFailed:  {TaskRunning, TaskPending},
}

// CanBecome reports whether a task may go from s to next. A failed task may
// run again: that is a retry from its last good step, or from the start if it
// had none.
func (s TaskStatus) CanBecome(next TaskStatus) bool { return slices.Contains(taskSteps[s], next) }
