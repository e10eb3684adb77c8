package nodes

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// partial is a piece of a turn beside its text. It looks as in a message thread.
type partial struct {
	Type    string  `json:"type"` // toolRequest or toolResponse
	Payload payload `json:"payload"`
}

// payload has the fields of both types.
type payload struct {
	CallID string `json:"callId"`
	// ShortID is the tool that a request is for, and Input what it is given.
	ShortID string          `json:"shortId,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	// Status is how a call went, and Output what came of it.
	Status nestor.ToolCallStatus `json:"status,omitempty"`
	Output *string               `json:"output,omitempty"`
}

func requested(call llm.ToolCall) partial {
	return partial{"toolRequest", payload{CallID: call.ID, ShortID: call.Name, Input: tool.Recorded(call.Arguments)}}
}

func responded(callID string, r toolOutcome) partial {
	return partial{"toolResponse", payload{CallID: callID, Status: r.Status, Output: &r.Output}}
}

// message is a turn as models take it. The names of tools are by call.
func (s *said) message(tools map[string]string) llm.Message {
	m := llm.Message{Role: s.Role}
	if s.Text != "" || len(s.Partials) == 0 {
		m.Parts = append(m.Parts, llm.Text{Text: s.Text})
	}
	for _, p := range s.Partials {
		switch p.Type {
		case "toolRequest":
			tools[p.Payload.CallID] = p.Payload.ShortID
			m.Parts = append(m.Parts, llm.ToolCall{ID: p.Payload.CallID, Name: p.Payload.ShortID, Arguments: llm.UnwrapArguments(p.Payload.Input)})
		case "toolResponse":
			output := ""
			if p.Payload.Output != nil {
				output = *p.Payload.Output
			}
			m.Parts = append(m.Parts, llm.ToolResult{
				CallID: p.Payload.CallID, Name: tools[p.Payload.CallID], Content: output, IsError: p.Payload.Status != nestor.ToolCallSuccess,
			})
		}
	}
	return m
}
