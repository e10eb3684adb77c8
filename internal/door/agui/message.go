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

// piece is a part of the content of a message that a client sent.
type piece struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source struct {
		Type     string `json:"type"`
		Value    string `json:"value"`
		MimeType string `json:"mimeType"`
		Provider string `json:"provider"`
	} `json:"source"`
}

// provider is the name by which a client means files of Nestor.
const provider = "nestor"

// pieces are the content of a message that a client sent: a text, or parts.
func pieces(content json.RawMessage) ([]turn.Piece, error) {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return []turn.Piece{{Text: text}}, nil
	}
	var parts []piece
	if err := json.Unmarshal(content, &parts); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the content of a message is a text or a list of parts").With("field", "messages")
	}
	all := make([]turn.Piece, len(parts))
	for i, p := range parts {
		var err error
		switch src := p.Source; {
		case p.Type == "text":
			all[i] = turn.Piece{Text: p.Text}
		case src.Type == "data":
			all[i], err = turn.Base64("", src.MimeType, src.Value)
		case src.Type == "file" && src.Provider == provider && src.Value != "":
			all[i] = turn.Piece{FileID: src.Value}
		case src.Type == "url":
			all[i], err = turn.FileOf("", src.MimeType, src.Value)
		default:
			err = nestor.Errorf(nestor.CodeInvalid, "a part of type %.40q cannot be taken: send its bytes", p.Type).With("field", "messages")
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// texts is the text of a message that a client sent, which has no files.
func texts(content json.RawMessage) (string, error) {
	parts, err := pieces(content)
	if err != nil {
		return "", err
	}
	all := make([]string, len(parts))
	for i, p := range parts {
		if all[i] = p.Text; p.Data != nil || p.FileID != "" {
			return "", nestor.Errorf(nestor.CodeInvalid, "only what a user says may have files").With("field", "messages")
		}
	}
	return strings.Join(all, "\n"), nil
}
