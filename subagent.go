package nestor

import (
	"encoding/json"
	"slices"
	"strings"
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

// MaxAgentDepth is how many agents may be above one, whatever its role allows. A walk up
// that meets more is in a circle.
const MaxAgentDepth = 100

// SubAgent carries out one task, stored below the chat at sub-agents/{id}.
type SubAgent struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// AskedBy are those for whom the work is done: who asked for the task, and
	// whoever has spoken to the agent since. The server sets it.
	AskedBy Askers `json:"askedBy,omitempty"`
	// RunID is the run that it works for. The server sets it.
	RunID string `json:"runId,omitempty"`
	// TaskID is unique: a task never gets a second agent.
	TaskID string         `json:"taskId"`
	Role   string         `json:"role"`
	Status SubAgentStatus `json:"status"`
	// Tool is, for a task of type tool, the tool that it calls, and ToolCallID
	// the call; a retry makes another one. There is no model then, and nobody to
	// speak to: the task ends with the call.
	Tool       string `json:"tool,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	// IterationCount rises with every model call. At IterationLimit the agent
	// is asked to conclude.
	IterationCount int `json:"iterationCount"`
	IterationLimit int `json:"iterationLimit,omitempty"`
	// ResultSchema is that of its task, and Unfit how many results did not fit it.
	ResultSchema json.RawMessage `json:"resultSchema,omitempty"`
	Unfit        int             `json:"unfit,omitempty"`
	// Summary is what came of the work, in a line.
	Summary string `json:"summary,omitempty"`
	// Question is what a waiting agent wants to know, QuestionCallID the call
	// that asks it. AutoAnswers is how often the orchestrator answered the agent
	// since a person spoke to it or in the chat, where AutoAnsweredAfter was the
	// newest message of a person then.
	Question          string `json:"question,omitempty"`
	QuestionCallID    string `json:"questionCallId,omitempty"`
	AutoAnswers       int    `json:"autoAnswers,omitempty"`
	AutoAnsweredAfter string `json:"autoAnsweredAfter,omitempty"`
	// Paused: the agent rests after the step it is in. False, in contrast to
	// absent, says that somebody set it going again.
	Paused *bool `json:"paused,omitempty"`
	// Standing is as that of its task. SeenSeq is up to which change such an agent
	// was told what was said in the chat, Unanswered are the messages that it was
	// given there and has not answered, and Restarts is how often it went on after it
	// was cancelled.
	Standing   bool     `json:"standing,omitempty"`
	SeenSeq    int64    `json:"seenSeq,omitempty"`
	Unanswered []string `json:"unanswered,omitempty"`
	Restarts   int      `json:"restarts,omitempty"`
	// ClientTools are those that the chat's client runs for this agent.
	ClientTools []ClientTool `json:"clientTools,omitempty"`
	// ParentID is the agent that created this one, if it was not the
	// orchestrator; Depth counts the agents above.
	ParentID string `json:"parentId,omitempty"`
	Depth    int    `json:"depth,omitempty"`
	// ModelConnectionID is the connection that the agent started with and keeps. Without
	// one it calls the default of the chat's user.
	ModelConnectionID string `json:"modelConnectionId,omitempty"`
	// Model is who answered the latest call. Usage and CostMicros are the sum
	// over all calls, ModelMS the time they took.
	Model      string `json:"model,omitempty"`
	Usage      *Usage `json:"usage,omitempty"`
	CostMicros int64  `json:"costMicros,omitempty"`
	ModelMS    int64  `json:"modelMs,omitempty"`
	// Work tells, with Usage and CostMicros, what it did for its run. It is absent
	// once the agent has worked for another run than its first: then its messages and
	// calls tell what was for which.
	Work *AgentWork `json:"work,omitempty"`
}

// AgentWork is what an agent did, as its messages and calls tell it one by one.
type AgentWork struct {
	// Replies is how many messages tell what a model call used.
	Replies int `json:"replies,omitempty"`
	// Models are those that answered, and Tools those that were called, in the order
	// of the first time.
	Models []string `json:"models,omitempty"`
	Tools  []string `json:"tools,omitempty"`
}

// WithReply is w and a message. Nil stays nil.
func (w *AgentWork) WithReply(m *MessageMetadata) *AgentWork {
	if w == nil || m == nil {
		return w
	}
	after := *w
	if m.Usage != nil {
		after.Replies++
	}
	if m.Model != "" && !slices.Contains(after.Models, m.Model) {
		after.Models = append(slices.Clip(after.Models), m.Model)
	}
	return &after
}

// WithTool is w and a call of a tool. Nil stays nil.
func (w *AgentWork) WithTool(name string) *AgentWork {
	if w == nil || slices.Contains(w.Tools, name) {
		return w
	}
	after := *w
	after.Tools = append(slices.Clip(after.Tools), name)
	return &after
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

// SubAgentMessage is something said to an agent or by it, stored below it at
// messages/{id}.
type SubAgentMessage struct {
	Meta
	UserID     string `json:"userId,omitempty"`
	ChatID     string `json:"chatId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	// AuthorID is who wrote a message of role user, if a person did. The server
	// sets it.
	AuthorID string `json:"authorId,omitempty"`
	// RunID is the run that it is part of. The server sets it.
	RunID string `json:"runId,omitempty"`
	Role  Role   `json:"role"`
	// Type is text unless it says otherwise: summary or error.
	Type    MessageType `json:"type,omitempty"`
	Content string      `json:"content"`
	// Parts, if there are any, are all that the message says, and Content is their
	// text. In a message of role tool they are the files that came with the result,
	// which Content describes.
	Parts []Part `json:"parts,omitempty"`
	// RepliesTo is, in what the model said, the newest message it had seen;
	// later ones wait for its next step. In a summary it is the last message
	// that the summary covers.
	RepliesTo string `json:"repliesTo,omitempty"`
	// ToolCallID says which call a message of role tool answers, IsError that
	// the call failed: then Content is why. See Outcome for where it is missing.
	ToolCallID string `json:"toolCallId,omitempty"`
	IsError    *bool  `json:"isError,omitempty"`
	// Media are what came with a result in messages of older versions; now Parts
	// name files.
	Media     []Media          `json:"media,omitempty"`
	ToolCalls []ToolRequest    `json:"toolCalls,omitempty"`
	Name      string           `json:"name,omitempty"`
	Metadata  *MessageMetadata `json:"metadata,omitempty"`
}

// Outcome is what a message of role tool says of its call, and whether that
// failed. In a message without isError, as older versions wrote and other
// programs may, a failure begins with "Error: ", which is taken off.
func (m *SubAgentMessage) Outcome() (content string, failed bool) {
	if m.IsError != nil {
		return m.Content, *m.IsError
	}
	if why, ok := strings.CutPrefix(m.Content, "Error: "); ok {
		return why, true
	}
	return m.Content, false
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
	// ToolCallSkipped: the agent asked or concluded in the same reply.
	ToolCallSkipped ToolCallStatus = "skipped"
	// ToolCallUnknown: a crash left open whether a once-only call took effect;
	// a person decides.
	ToolCallUnknown   ToolCallStatus = "unknown"
	ToolCallCancelled ToolCallStatus = "cancelled"
)

// ToolCall is one call of a tool by an agent, stored below the agent at
// tool-calls/{id}. Its id is the toolCallId of the message that answers it.
type ToolCall struct {
	Meta
	UserID     string `json:"userId,omitempty"`
	ChatID     string `json:"chatId,omitempty"`
	SubAgentID string `json:"subAgentId,omitempty"`
	// AskedBy are those for whom the call is made, as they were when the agent
	// asked for it. The server sets it.
	AskedBy Askers `json:"askedBy,omitempty"`
	// RunID is the run that it is part of. The server sets it.
	RunID    string          `json:"runId,omitempty"`
	ToolName string          `json:"toolName"`
	Args     json.RawMessage `json:"args,omitempty"`
	// Sent is the call as the model sent it, if it was carried out as it was meant:
	// with another name, or other arguments.
	Sent   *FunctionCall  `json:"sent,omitempty"`
	Status ToolCallStatus `json:"status"`
	Result string         `json:"result,omitempty"`
	Error  string         `json:"error,omitempty"`
	// Held and Next are for an agent that runs its calls one after the other:
	// the call waits for the one before it, and Next is the one after it.
	Held bool   `json:"held,omitempty"`
	Next string `json:"next,omitempty"`
	// MessageID is the message that asks for the call.
	MessageID string `json:"messageId,omitempty"`
	// Effect is the tool's: pure, idempotent or once.
	Effect string `json:"effect,omitempty"`
	// Client: the client runs it. It is running until the client gives the result.
	Client bool `json:"client,omitempty"`
	// EndsTask: the agent's task is this call, and ends with it.
	EndsTask bool `json:"endsTask,omitempty"`
	// TaskID is the task that the call created, for a call that creates one.
	TaskID string `json:"taskId,omitempty"`
	// Untold: the chat is to be told what comes of the call, and has not been.
	Untold bool `json:"untold,omitempty"`
	// StartedAt is when the latest run began, in Unix milliseconds.
	StartedAt  int64 `json:"startedAt,omitempty"`
	DurationMS int64 `json:"durationMs,omitempty"`
	// Decisions are what people said about the call, oldest first.
	Decisions []Decision `json:"decisions,omitempty"`
}

// Ended reports whether the call has its final outcome.
func (s ToolCallStatus) Ended() bool {
	switch s {
	case ToolCallSuccess, ToolCallFailed, ToolCallSkipped, ToolCallCancelled:
		return true
	}
	return false
}

// DecisionAction is what a person wants done about a tool call.
type DecisionAction string

// The decisions about a call that awaits approval, one that the client runs, and one
// whose effect is unknown.
const (
	// Approve runs the call as it is, or with the arguments of the decision.
	Approve DecisionAction = "approve"
	// Deny answers the call with a refusal and its reason.
	Deny DecisionAction = "deny"
	// GiveResult and FailCall end a call that the client runs: the reason is its result, or
	// what went wrong.
	GiveResult DecisionAction = "result"
	FailCall   DecisionAction = "fail"
	// RetryCall runs a call of unknown effect again.
	RetryCall DecisionAction = "retry"
	// MarkDone takes a call of unknown effect for done, with the result given.
	MarkDone DecisionAction = "done"
	// SkipCall leaves it open whether the call took effect and goes on.
	SkipCall DecisionAction = "skip"
)

// Decision is what a person said about a tool call.
type Decision struct {
	Action DecisionAction `json:"action"`
	// By is the user's id, At the time in Unix milliseconds.
	By string `json:"by"`
	At int64  `json:"at"`
	// Args are the arguments the person wants instead of the model's.
	Args json.RawMessage `json:"args,omitempty"`
	// Reason explains a refusal, or is the result of a call that the client ran or that is
	// marked done.
	Reason string `json:"reason,omitempty"`
}

// Answer is what a person answers to the question of an agent.
type Answer struct {
	// ID is that of the message, in the chat and among those of the agent.
	ID string
	// QuestionID is the question that it answers, as the task that waits names it.
	QuestionID string
	// By is the user's id.
	By string
	// Content is the text. Parts, if there are any, are all that it says.
	Content string
	Parts   []Part
}
