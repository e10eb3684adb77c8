package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Requests turns a model's calls into their stored form, under ids that are
// ours: those of providers may repeat or not be fit for a path. Theirs are kept
// beside them.
func Requests(calls []llm.ToolCall, id func(i int) string) []nestor.ToolRequest {
	var list []nestor.ToolRequest
	for i, c := range calls {
		list = AppendRequest(list, id(i), c)
	}
	return list
}

// AppendRequest adds one of them.
func AppendRequest(list []nestor.ToolRequest, id string, c llm.ToolCall) []nestor.ToolRequest {
	return append(list, nestor.ToolRequest{
		ID: id, ProviderID: c.ID, Type: "function", Signature: c.Signature,
		Function: nestor.FunctionCall{Name: c.Name, Arguments: c.Arguments},
	})
}

// Arguments are the text that the model sent where it is JSON that can be stored,
// and else a JSON string of it: the tool runner then says what is wrong.
func Arguments(c llm.ToolCall) json.RawMessage {
	switch {
	case strings.TrimSpace(c.Arguments) == "":
		return json.RawMessage("{}")
	case store.CheckField([]byte(c.Arguments)) == nil:
		return json.RawMessage(c.Arguments)
	}
	return chatdoc.Encode(c.Arguments)
}

// ArgumentText is the inverse of [Arguments].
func ArgumentText(args json.RawMessage) string {
	if bytes.HasPrefix(args, []byte("{")) {
		return string(args)
	}
	var malformed string
	if json.Unmarshal(args, &malformed) == nil {
		return malformed
	}
	return string(args)
}

// EncodeReasoning is the stored form of what a model thought, nil if there is none.
func EncodeReasoning(blocks []llm.Reasoning) json.RawMessage {
	if len(blocks) == 0 {
		return nil
	}
	text := chatdoc.Encode(blocks)
	if bytes.Contains(text, []byte(escapedNUL)) {
		return nil // it cannot be stored, and must not be changed
	}
	return text
}

func reasoningOf(meta *nestor.MessageMetadata) []llm.Reasoning {
	if meta == nil || len(meta.Reasoning) == 0 {
		return nil
	}
	var blocks []llm.Reasoning
	if json.Unmarshal(meta.Reasoning, &blocks) != nil {
		return nil // somebody else's; not worth failing for
	}
	return blocks
}

// escapedNUL is the one character that no document can hold, as JSON has it.
const escapedNUL = `\u0000`
