package nestor

import (
	"encoding/json"
	"slices"
)

// Chat is a conversation between a person and a participant, stored at
// users/{userId}/orch-chats/{id}.
type Chat struct {
	Meta
	UserID string `json:"userId,omitempty"`
	Title  string `json:"title,omitempty"`
	// TitleGenerated is true once a title was made from the first message.
	TitleGenerated bool `json:"titleGenerated,omitempty"`
	// AccountID and ProjectID say whose work the chat is part of. They are set
	// when it is created.
	AccountID         string `json:"accountId,omitempty"`
	ProjectID         string `json:"projectId,omitempty"`
	ModelConnectionID string `json:"modelConnectionId,omitempty"`
	// ForkedFrom is set in a chat that goes on from another one.
	ForkedFrom *ForkPoint `json:"forkedFrom,omitempty"`
	// Participant is who answers: see [ParseParticipant]. Defaults to the
	// orchestrator.
	Participant string `json:"participant,omitempty"`
	// SystemPrompt is what the participant is told in this chat, below its own
	// instructions.
	SystemPrompt string `json:"systemPrompt,omitempty"`
	// ClientTools are what the chat's client runs for the agents. They count for agents
	// that begin, or are spoken to, from now on.
	ClientTools []ClientTool `json:"clientTools,omitempty"`
	// Metadata is an object that means something to the chat's clients only.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Budget bounds what the chat and everything below it may use.
	Budget *Budget `json:"budget,omitempty"`
	// Usage and CostMicros are what it used: the orchestrator's calls at once,
	// those of an agent whenever it ends or asks.
	Usage      *Usage `json:"usage,omitempty"`
	CostMicros int64  `json:"costMicros,omitempty"`
	// UnsaidUsage and UnsaidCostMicros are the part of it that no message tells: of
	// titles, of graphs, and of replies that nobody wanted any more when they came.
	UnsaidUsage      *Usage `json:"unsaidUsage,omitempty"`
	UnsaidCostMicros int64  `json:"unsaidCostMicros,omitempty"`
}

// Role says who speaks in a message.
type Role string

// The roles of chat and sub-agent messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// MessageType says what a chat message is for.
type MessageType string

// The types of chat messages.
const (
	MessageText       MessageType = "text"
	MessageToolCall   MessageType = "tool_call"
	MessageToolResult MessageType = "tool_result"
	MessageStatus     MessageType = "status"
	MessageSummary    MessageType = "summary"
	MessageError      MessageType = "error"
)

// Message is something said in a chat, stored below it at messages/{id}.
type Message struct {
	Meta
	UserID string `json:"userId,omitempty"`
	ChatID string `json:"chatId,omitempty"`
	// AuthorID is who wrote a message of role user. The server sets it.
	AuthorID string `json:"authorId,omitempty"`
	// RunID is the run that it began, or is part of. The server sets it.
	RunID string      `json:"runId,omitempty"`
	Role  Role        `json:"role"`
	Type  MessageType `json:"type,omitempty"`
	// Content is the text of the message. Parts, if there are any, are all that it
	// says; then Content is their text, see [TextOf].
	Content   string        `json:"content"`
	Parts     []Part        `json:"parts,omitempty"`
	ToolCalls []ToolRequest `json:"toolCalls,omitempty"`
	// TaskID links a message that reports on a task, or comes from its agent, to it. Title
	// is what that task is about, where the message tells how it ended.
	TaskID string `json:"taskId,omitempty"`
	Title  string `json:"title,omitempty"`
	// SubAgentID is the agent that says this, where it answers in the chat itself.
	// Then a message of type tool_call has the calls in ToolCalls, and one of type
	// tool_result is about the call ToolCallID. Their texts may be shortened; the
	// whole is in the agent's tool call.
	SubAgentID string `json:"subAgentId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	// QuestionID is, in a message that puts something to people, the call of the agent
	// of TaskID that asks it: of ask_user, or of a tool about which a person decides. In what a
	// person said it is the question that this answers, which the agent was given
	// directly: the participant of the chat has nothing to answer.
	QuestionID string `json:"questionId,omitempty"`
	// HandedTo is, in what a person said, the participant that was given it and
	// answers it. ExecutionID is the execution of a graph that this began, or that
	// says this.
	HandedTo    string `json:"handedTo,omitempty"`
	ExecutionID string `json:"executionId,omitempty"`
	// RepliesTo is the newest message of the user that was known when this was
	// said: later ones are not answered by it. In a summary it is the last
	// message that the summary covers.
	RepliesTo string `json:"repliesTo,omitempty"`
	// Answers are the other messages of the user that this answers, besides
	// RepliesTo. An older message is not answered for being older: of two that were
	// said at the same time, the older one may be committed after the other was
	// answered.
	Answers []string `json:"answers,omitempty"`
	// IsLLMMessage says whether the model is shown the message. Where it is
	// missing, the model is shown what people say and nothing else.
	IsLLMMessage *bool            `json:"isLlmMessage,omitempty"`
	Metadata     *MessageMetadata `json:"metadata,omitempty"`
}

// ToolRequest is a call as a model asked for it, in the form the providers use.
type ToolRequest struct {
	ID string `json:"id"`
	// ProviderID is the id that the provider gave the call, which it gets back
	// with the result.
	ProviderID string       `json:"providerId,omitempty"`
	Type       string       `json:"type"`
	Function   FunctionCall `json:"function"`
	// Signature is provider state that travels back with the call.
	Signature string `json:"signature,omitempty"`
}

// FunctionCall names a tool and holds the arguments as the text the model sent.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// FinishInterrupted is the finish reason of a reply that a person interrupted.
const FinishInterrupted = "interrupted"

// MessageMetadata tells how a message came about.
type MessageMetadata struct {
	Model string `json:"model,omitempty"`
	Usage *Usage `json:"usage,omitempty"`
	// CostMicros is the cost of the call in millionths of a US dollar.
	CostMicros int64 `json:"costMicros,omitempty"`
	// DurationMS is how long the model took, until the message was complete. It had begun to
	// say something after FirstMS.
	DurationMS int64 `json:"durationMs,omitempty"`
	FirstMS    int64 `json:"firstMs,omitempty"`
	// Attempts is how often it was tried, if more than once.
	Attempts int `json:"attempts,omitempty"`
	// FinishReason is why the model stopped: stop, tool_calls, length, refusal,
	// or interrupted, if a person stopped it or said something else. Then the
	// message is what it had said until then, and answers nothing.
	FinishReason string `json:"finishReason,omitempty"`
	// Reasoning holds the model's reasoning blocks, sent back where the
	// provider demands it.
	Reasoning json.RawMessage `json:"reasoning,omitempty"`
}

// Usage counts the tokens of one model call, or of several.
type Usage struct {
	InputTokens       int64 `json:"inputTokens"`
	CachedInputTokens int64 `json:"cachedInputTokens,omitempty"`
	OutputTokens      int64 `json:"outputTokens"`
	ReasoningTokens   int64 `json:"reasoningTokens,omitempty"`
	// Estimated: the provider did not report all of it, and the rest was counted
	// here.
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum of u and v. Nil counts nothing.
func (u *Usage) Add(v *Usage) *Usage {
	switch {
	case u == nil:
		return v
	case v == nil:
		return u
	}
	return &Usage{
		InputTokens:       u.InputTokens + v.InputTokens,
		CachedInputTokens: u.CachedInputTokens + v.CachedInputTokens,
		OutputTokens:      u.OutputTokens + v.OutputTokens,
		ReasoningTokens:   u.ReasoningTokens + v.ReasoningTokens,
		Estimated:         u.Estimated || v.Estimated,
	}
}

// Tokens is the number of tokens that a budget counts: all that went in and
// came out.
func (u *Usage) Tokens() int64 {
	if u == nil {
		return 0
	}
	return u.InputTokens + u.OutputTokens
}

// Budget is the most that something may use: for life, and per day and month in
// UTC. Zero sets no bound.
type Budget struct {
	Tokens     int64      `json:"tokens,omitempty"`
	CostMicros int64      `json:"costMicros,omitempty"`
	PerDay     *Allowance `json:"perDay,omitempty"`
	PerMonth   *Allowance `json:"perMonth,omitempty"`
}

// Allowance is the most that may be used in a period. Zero sets no bound.
type Allowance struct {
	Tokens     int64 `json:"tokens,omitempty"`
	CostMicros int64 `json:"costMicros,omitempty"`
}

// periods are what a budget allows for life, per day and per month.
func (b *Budget) periods() []Allowance {
	all := []Allowance{{b.Tokens, b.CostMicros}}
	for _, a := range []*Allowance{b.PerDay, b.PerMonth} {
		if a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// Bounds reports whether the budget sets any bound.
func (b *Budget) Bounds() bool {
	return b != nil && slices.ContainsFunc(b.periods(), func(a Allowance) bool { return a != Allowance{} })
}

// BoundsCost reports whether the budget bounds what may be spent.
func (b *Budget) BoundsCost() bool {
	return b != nil && slices.ContainsFunc(b.periods(), func(a Allowance) bool { return a.CostMicros > 0 })
}

// Check refuses a budget that is negative, with [CodeInvalid]. Nil sets no bound.
func (b *Budget) Check() error {
	if b == nil || !slices.ContainsFunc(b.periods(), func(a Allowance) bool { return a.Tokens < 0 || a.CostMicros < 0 }) {
		return nil
	}
	return Errorf(CodeInvalid, "a budget is not negative: it is the most that may be used, and 0 sets no bound").With("field", "budget")
}
