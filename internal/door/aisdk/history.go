package aisdk

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/turn"
)

// history are the messages of a chat as useChat begins with them: what came of a message
// of a person is one message of the assistant.
func history(chat []nestor.Message) []uiMessage {
	all := []uiMessage{}
	for i := range chat {
		m := &chat[i]
		if m.Role == nestor.RoleUser {
			all = append(all, uiMessage{ID: m.ID, Role: "user", Parts: []uiPart{{Type: "text", Text: m.Content}}})
			continue
		}
		if n := len(all); n == 0 || all[n-1].ID != answerID(m.RunID) {
			all = append(all, uiMessage{ID: answerID(m.RunID), Role: "assistant", Parts: []uiPart{}, Metadata: metadata{RunID: m.RunID, ChatID: m.ChatID}})
		}
		all[len(all)-1].take(m)
	}
	return all
}

// take adds what a message of the chat says.
func (u *uiMessage) take(m *nestor.Message) {
	if m.Type == nestor.MessageToolResult {
		for i := range u.Parts {
			if p := &u.Parts[i]; p.ToolCallID == turn.ID(m.SubAgentID, m.ToolCallID) {
				p.State, p.Output = "output-available", quoted(m.Content)
			}
		}
		return
	}
	u.Parts = append(u.Parts, uiPart{Type: "step-start"})
	if m.Content != "" {
		u.Parts = append(u.Parts, uiPart{Type: "text", Text: m.Content, State: "done"})
	}
	for _, c := range m.ToolCalls {
		if m.Type != nestor.MessageToolCall {
			break
		}
		input := json.RawMessage(c.Function.Arguments)
		if !json.Valid(input) {
			input = quoted(c.Function.Arguments)
		}
		u.Parts = append(u.Parts, uiPart{
			Type: "dynamic-tool", ToolName: c.Function.Name, ToolCallID: turn.ID(m.SubAgentID, c.ID), State: "input-available", Input: input, ProviderExecuted: true,
		})
	}
}

func quoted(text string) json.RawMessage {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text has a JSON form
	}
	return data
}
