package aisdk

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/sse"
)

// chunk is one of a stream, of any type.
type chunk struct {
	Type            string `json:"type"`
	ID              string `json:"id,omitempty"`
	Delta           string `json:"delta,omitempty"`
	MessageID       string `json:"messageId,omitempty"`
	MessageMetadata any    `json:"messageMetadata,omitempty"`
	FinishReason    string `json:"finishReason,omitempty"`

	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     any             `json:"output,omitempty"`
	ErrorText  string          `json:"errorText,omitempty"`
	// ProviderExecuted: the server runs the tool, and Dynamic: the client need not
	// know it.
	ProviderExecuted bool       `json:"providerExecuted,omitempty"`
	Dynamic          bool       `json:"dynamic,omitempty"`
	ToolMetadata     *agentData `json:"toolMetadata,omitempty"`
	ApprovalID       string     `json:"approvalId,omitempty"`
	Reason           string     `json:"reason,omitempty"`

	Data      any  `json:"data,omitempty"`
	Transient bool `json:"transient,omitempty"`
}

// metadata is what a message of the assistant tells of its run.
type metadata struct {
	RunID      string           `json:"runId"`
	ChatID     string           `json:"chatId,omitempty"`
	Status     nestor.RunStatus `json:"status,omitempty"`
	Usage      *nestor.Usage    `json:"usage,omitempty"`
	CostMicros int64            `json:"costMicros,omitempty"`
	Models     []string         `json:"models,omitempty"`
}

// agentData is the data of a part of type data-agent.
type agentData struct {
	ID       string `json:"id"`
	Role     string `json:"role"`
	Status   string `json:"status,omitempty"`
	ParentID string `json:"parentId,omitempty"`
	Result   string `json:"result,omitempty"`
}

// saying is the data of a part of type data-agent-text, which is passed by: a piece of
// what an agent below says.
type saying struct {
	AgentID string `json:"agentId"`
	Role    string `json:"role"`
	Delta   string `json:"delta"`
}

// answerID is the id of the message of the assistant that tells of a run.
func answerID(run string) string { return run + answerSuffix }

// answerSuffix ends the ids of messages of the assistant.
const answerSuffix = ".answer"

// put adds a chunk to a stream.
func put(out *sse.Writer, c *chunk) {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // only values that have a JSON form are sent
	}
	out.Put("data: ")
	out.Put(string(text))
	out.Put("\n\n")
}
