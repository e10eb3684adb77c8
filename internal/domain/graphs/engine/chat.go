package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// An execution that answers a message of a chat writes into it: what its nodes say, in
// the transactions that finish them, and how it ended, if that is to be told.

// say writes what a node says into the chat of its execution. Without a chat it is
// part of the output.
func (m *move) say(x *record.AgentGraphExecution, n *graph.Node, number int, value json.RawMessage) (*record.Failure, error) {
	if x.ChatID == "" {
		return m.note(&graph.Node{ID: n.ID, Parameters: map[string]any{"name": "message"}}, value), nil
	}
	content := words(value)
	if content == "" {
		return &record.Failure{NodeID: n.ID, Code: string(nestor.CodeInvalid), Message: "there is nothing to write: the text is empty"}, nil
	}
	m.progress.Said = true
	return nil, m.write(x, fmt.Sprint(number), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: content, IsLLMMessage: new(true), RepliesTo: x.MessageID,
	})
}

// write creates a message in the chat, unless that was deleted.
func (m *move) write(x *record.AgentGraphExecution, part string, message nestor.Message) error {
	chat, err := store.Find[nestor.Chat](m.tx, x.Chat())
	if err != nil || chat == nil {
		return err
	}
	message.ExecutionID = m.path.ID()
	_, err = m.tx.Create(x.Chat().Child("messages", nestor.DeriveID("execution", m.path.ID(), part)), message)
	return err
}

// tellEnd tells the chat how the execution ended, unless its nodes have answered.
func (m *move) tellEnd(x *record.AgentGraphExecution) error {
	said := nestor.Message{Role: nestor.RoleSystem, Type: nestor.MessageStatus, RepliesTo: x.MessageID}
	switch {
	case x.ChatID == "" || m.quiet:
		return nil
	case x.Status == record.ExecutionFailed:
		said.Type = nestor.MessageError
		said.Content = fmt.Sprintf("The graph “%s” failed: %s", x.Name, x.Error.Message)
		if x.Error.NodeID != "" {
			said.Content = fmt.Sprintf("The graph “%s” failed at the node %s: %s", x.Name, x.Error.NodeID, x.Error.Message)
		}
	case x.Status == record.ExecutionCancelled:
		said.Content = fmt.Sprintf("The graph “%s” was cancelled.", x.Name)
	case m.progress.Said:
		return nil
	case len(x.Output) > 0:
		said.Role, said.Type, said.IsLLMMessage, said.Content = nestor.RoleAssistant, nestor.MessageText, new(true), outputWords(x.Output)
	default:
		said.Content = fmt.Sprintf("The graph “%s” is done. It wrote nothing.", x.Name)
	}
	return m.write(x, "end", said)
}

// outputWords is an output as people read it: one text as it is, anything else as JSON.
func outputWords(output map[string]json.RawMessage) string {
	if len(output) == 1 {
		for _, v := range output {
			if text := words(v); text != "" {
				return text
			}
		}
	}
	raw, err := json.Marshal(output)
	var indented bytes.Buffer
	if err != nil || json.Indent(&indented, raw, "", "  ") != nil {
		return string(raw)
	}
	return "```json\n" + indented.String() + "\n```"
}

// words is a value as text: a text as it is, anything else as JSON.
func words(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
