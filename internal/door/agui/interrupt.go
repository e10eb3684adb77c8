package agui

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/door/turn"
)

// The reasons of interrupts.
const (
	inputRequired = "input_required" // an agent asks something
	approval      = "tool_call"      // a call needs leave
	unknownEffect = "tool_call_unknown"
	paused        = "paused"
)

// Schemas of what resolves an interrupt.
var (
	answerSchema   = json.RawMessage(`{"type":"string","description":"the answer"}`)
	approvalSchema = json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
		`"approved":{"type":"boolean"},"reason":{"type":"string"},"args":{"type":"object","description":"arguments instead of the model's"}}}`)
	unknownSchema = json.RawMessage(`{"type":"object","required":["approved"],"properties":{` +
		`"approved":{"type":"boolean","description":"true makes the call again, false goes on without knowing"},"reason":{"type":"string"}}}`)
)

// interruptOf tells a person what is waited for.
func interruptOf(w *turn.Wait, agent string) interrupt {
	i := interrupt{ID: w.ID, SubagentRunID: agent}
	switch w.Kind {
	case need.Answer:
		i.Reason, i.Message, i.ResponseSchema = inputRequired, w.Text, answerSchema
	case need.Unknown:
		i.Reason, i.ToolCallID, i.ResponseSchema = unknownEffect, w.ID, unknownSchema
		i.Message = "A crash left open whether the call of " + w.Tool + " took effect."
	default:
		i.Reason, i.ToolCallID, i.ResponseSchema = approval, w.ID, approvalSchema
		i.Message = "The tool " + w.Tool + " may be called only with your approval."
	}
	return i
}

// answer is what a person said about what a run waits for. Whoever cancels gives no
// leave, and no answer.
func (r *resume) answer(kind need.Kind) (a turn.Answer, err error) {
	if kind == need.Answer {
		a.Text, err = r.text()
		return a, err
	}
	if r.Status == "cancelled" {
		return turn.Answer{Text: "the user dismissed the question"}, nil
	}
	if json.Unmarshal(r.Payload, &a.Yes) == nil {
		return a, nil
	}
	var said struct {
		Approved *bool           `json:"approved"`
		Reason   string          `json:"reason"`
		Args     json.RawMessage `json:"args"`
	}
	if json.Unmarshal(r.Payload, &said) != nil || said.Approved == nil {
		return a, nestor.Errorf(nestor.CodeInvalid, `the payload for %.60s is true, false or {"approved": true}`, r.InterruptID).With("field", "resume")
	}
	return turn.Answer{Yes: *said.Approved, Text: said.Reason, Args: said.Args}, nil
}

// text is the answer to a question: a text, or an object with one.
func (r *resume) text() (string, error) {
	if r.Status == "cancelled" {
		return "The user does not want to answer this. Go on without an answer.", nil
	}
	var text string
	if json.Unmarshal(r.Payload, &text) != nil {
		var said struct{ Answer, Text, Content string }
		if json.Unmarshal(r.Payload, &said) == nil {
			text = said.Answer + said.Text + said.Content
		}
	}
	if text == "" {
		return "", nestor.Errorf(nestor.CodeInvalid, `the payload for %.60s is a text, or {"answer": "a text"}`, r.InterruptID).With("field", "resume")
	}
	return text, nil
}
