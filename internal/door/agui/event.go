package agui

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
)

// protocolVersion is the version of AG-UI that this package speaks.
const protocolVersion = "1.0"

// The types of events that are sent.
const (
	runStarted       = "RUN_STARTED"
	runFinished      = "RUN_FINISHED"
	runError         = "RUN_ERROR"
	messagesSnapshot = "MESSAGES_SNAPSHOT"
	stateSnapshot    = "STATE_SNAPSHOT"
	stateDelta       = "STATE_DELTA"
	textStart        = "TEXT_MESSAGE_START"
	textContent      = "TEXT_MESSAGE_CONTENT"
	textEnd          = "TEXT_MESSAGE_END"
	reasoningStart   = "REASONING_START"
	thoughtStart     = "REASONING_MESSAGE_START"
	thoughtContent   = "REASONING_MESSAGE_CONTENT"
	thoughtEnd       = "REASONING_MESSAGE_END"
	reasoningEnd     = "REASONING_END"
	callStart        = "TOOL_CALL_START"
	callArgs         = "TOOL_CALL_ARGS"
	callEnd          = "TOOL_CALL_END"
	callResult       = "TOOL_CALL_RESULT"
	agentStarted     = "SUBAGENT_STARTED"
	agentFinished    = "SUBAGENT_FINISHED"
	agentError       = "SUBAGENT_ERROR"
)

// event is any event. A field that an event does not have is left out: the client takes
// null for an error.
type event struct {
	Type            string `json:"type"`
	ThreadID        string `json:"threadId,omitempty"`
	RunID           string `json:"runId,omitempty"`
	ProtocolVersion string `json:"protocolVersion,omitempty"`

	// SubagentRunID is the agent below that an event is of.
	SubagentRunID       string `json:"subagentRunId,omitempty"`
	ParentSubagentRunID string `json:"parentSubagentRunId,omitempty"`
	Name                string `json:"name,omitempty"`

	MessageID    string `json:"messageId,omitempty"`
	Role         string `json:"role,omitempty"`
	ToolCallID   string `json:"toolCallId,omitempty"`
	ToolCallName string `json:"toolCallName,omitempty"`
	// Delta is a piece of text, or the changes of the state.
	Delta    any     `json:"delta,omitempty"`
	Content  *string `json:"content,omitempty"`
	Snapshot any     `json:"snapshot,omitempty"`
	Messages any     `json:"messages,omitempty"`

	Message string   `json:"message,omitempty"`
	Code    string   `json:"code,omitempty"`
	Result  any      `json:"result,omitempty"`
	Outcome *outcome `json:"outcome,omitempty"`
	Usage   []tokens `json:"usage,omitempty"`
}

// outcome says how a run or an agent ended: success, interrupt, cancelled or suspended.
type outcome struct {
	Type               string      `json:"type"`
	PendingToolCallIDs []string    `json:"pendingToolCallIds,omitempty"`
	Interrupts         []interrupt `json:"interrupts,omitempty"`
	InterruptIDs       []string    `json:"interruptIds,omitempty"`
}

// interrupt is something that a run needs of the person before the client.
type interrupt struct {
	ID             string          `json:"id"`
	Reason         string          `json:"reason"`
	Message        string          `json:"message,omitempty"`
	ToolCallID     string          `json:"toolCallId,omitempty"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	SubagentRunID  string          `json:"subagentRunId,omitempty"`
}

// tokens are what models used.
type tokens struct {
	Model             string `json:"model,omitempty"`
	InputTokens       int64  `json:"inputTokens"`
	OutputTokens      int64  `json:"outputTokens"`
	TotalTokens       int64  `json:"totalTokens"`
	ReasoningTokens   int64  `json:"reasoningTokens,omitempty"`
	CachedInputTokens int64  `json:"cachedInputTokens,omitempty"`
}

func usageOf(run *nestor.Run) []tokens {
	u := run.Usage
	if u == nil {
		return nil
	}
	t := tokens{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens,
		ReasoningTokens: u.ReasoningTokens, CachedInputTokens: u.CachedInputTokens,
	}
	if len(run.Models) == 1 {
		t.Model = run.Models[0]
	}
	return []tokens{t}
}
