package agui

import (
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/turn"
)

// message is one of a thread as the client has it.
type message struct {
	ID            string     `json:"id"`
	Role          string     `json:"role"`
	Name          string     `json:"name,omitempty"`
	Content       *string    `json:"content,omitempty"`
	ToolCalls     []toolCall `json:"toolCalls,omitempty"`
	ToolCallID    string     `json:"toolCallId,omitempty"`
	SubagentRunID string     `json:"subagentRunId,omitempty"`
	// sent is the message as the client sent it, if it did.
	sent json.RawMessage
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// MarshalJSON gives the client back what it sent.
func (m *message) MarshalJSON() ([]byte, error) {
	if m.sent != nil {
		return m.sent, nil
	}
	type plain message
	return json.Marshal((*plain)(m))
}

// resultID is the id of the message that has the result of a call.
func resultID(call string) string { return call + ".result" }

// callOf is the message that has a call, under the id that the client gives it.
func callOf(id, tool, args, agent string) *message {
	return &message{ID: id, Role: "assistant", SubagentRunID: agent, ToolCalls: []toolCall{{ID: id, Type: "function", Function: function{Name: tool, Arguments: args}}}}
}

// resultOf is the message that has the result of a call.
func resultOf(id, text, agent string) *message {
	return &message{ID: resultID(id), Role: "tool", ToolCallID: id, Content: &text, SubagentRunID: agent}
}

// shown are the messages that tell a client of one of the chat.
func shown(m *nestor.Message) (all []*message) {
	switch {
	case m.Role == nestor.RoleUser || m.Content != "" && m.Role == nestor.RoleAssistant:
		all = append(all, &message{ID: m.ID, Role: string(m.Role), Content: &m.Content})
	case m.Type == nestor.MessageToolResult:
		all = append(all, resultOf(turn.ID(m.SubAgentID, m.ToolCallID), m.Content, ""))
	}
	if m.Type == nestor.MessageToolCall {
		for _, c := range m.ToolCalls {
			all = append(all, callOf(turn.ID(m.SubAgentID, c.ID), c.Function.Name, c.Function.Arguments, ""))
		}
	}
	return all
}

// texts is the content of a message that a client sent: a text, or parts, of which only
// texts can be taken.
func texts(content json.RawMessage) (string, error) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the content of a message is a text or a list of parts").With("field", "messages")
	}
	all := make([]string, len(parts))
	for i, p := range parts {
		if p.Type != "text" {
			return "", nestor.Errorf(nestor.CodeInvalid, "a message has a part of type %.40q: only text can be sent here", p.Type).With("field", "messages")
		}
		all[i] = p.Text
	}
	return strings.Join(all, "\n"), nil
}
