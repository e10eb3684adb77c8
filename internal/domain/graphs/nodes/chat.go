package nodes

import (
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/tool"
)

// chatMessage is what an execution is begun with by a message of a chat. One that is
// begun with something else may have some of it.
type chatMessage struct {
	Text         string  `json:"text"`
	ChatID       string  `json:"chatId"`
	MessageID    string  `json:"messageId"`
	SystemPrompt string  `json:"systemPrompt"`
	Thread       *thread `json:"thread"`
}

var onChatMessage = engine.NodeType{
	Type: graph.Type{
		ID: "on-chat-message", Start: true, Description: "Begins, with what a person said in a chat whose participant is this graph.",
		Outputs: []graph.Port{
			{ID: "signal", Type: graph.Signal},
			{ID: "text", Type: graph.String, Description: "What the person said."},
			{ID: "thread", Type: graph.Thread, Description: "What was said before."},
			{ID: "chat", Type: graph.Chat},
			{ID: "system", Type: graph.String, Description: "The chat's system prompt."},
			{ID: "message", Type: graph.JSON, Description: "The ids of the message, its chat and its author."},
		},
	},
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		var m chatMessage
		if json.Unmarshal(c.Input, &m) != nil {
			m = chatMessage{Text: words(c.Input)}
		}
		if m.Thread == nil {
			m.Thread = &thread{}
		}
		if m.Thread.Messages == nil {
			m.Thread.Messages = []said{}
		}
		return engine.Outputs{
			"signal": true, "text": m.Text, "thread": m.Thread, "chat": map[string]string{"id": m.ChatID}, "system": m.SystemPrompt,
			"message": map[string]string{"id": m.MessageID, "chatId": m.ChatID},
		}, nil
	},
}

var writeChatMessage = engine.NodeType{
	Type: graph.Type{
		ID: "write-chat-message", Effect: tool.Idempotent,
		Description: "Writes a message into the chat that the execution answers in. Without a chat it is the output message.",
		Inputs:      []graph.Port{run, {ID: "text", Type: graph.String, Required: true}, {ID: "chat", Type: graph.Chat}},
		Outputs:     []graph.Port{done},
		Parameters:  schema(`"text":{"type":"string"}`),
	},
	Says: true,
	Run:  func(context.Context, *engine.Call) (engine.Outputs, error) { return engine.Outputs{"done": true}, nil },
}
