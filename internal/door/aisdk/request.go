package aisdk

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// request is what useChat sends. System and tools are not the client's own fields: an
// application adds them to the body of its transport.
type request struct {
	ID       string      `json:"id"`
	Messages []uiMessage `json:"messages"`
	Trigger  string      `json:"trigger"`

	System string       `json:"system"`
	Tools  []clientTool `json:"tools"`
}

// clientTool is a tool that the client runs.
type clientTool struct {
	nestor.ClientTool
	// InputSchema is what the AI SDK calls the parameters.
	InputSchema json.RawMessage `json:"inputSchema"`
}

type uiMessage struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Metadata any      `json:"metadata,omitempty"`
	Parts    []uiPart `json:"parts"`
}

// uiPart is a part of a message, of any type.
type uiPart struct {
	Type       string          `json:"type"`
	Text       string          `json:"text,omitempty"`
	State      string          `json:"state,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	ErrorText  string          `json:"errorText,omitempty"`
	Approval   *struct {
		Approved *bool  `json:"approved"`
		Reason   string `json:"reason"`
	} `json:"approval,omitempty"`
	ProviderExecuted bool `json:"providerExecuted,omitempty"`
	// Filename, MediaType and URL are those of a file.
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	URL       string `json:"url,omitempty"`
}

// pieces are what a message of a person says.
func (m *uiMessage) pieces() (all []turn.Piece, err error) {
	for _, p := range m.Parts {
		switch p.Type {
		case "text":
			all = append(all, turn.Piece{Text: p.Text})
		case "file":
			f, err := turn.FileOf(p.Filename, p.MediaType, p.URL)
			if err != nil {
				return nil, err
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// act does what the client wants and returns the run that it is to be told of.
func (in *request) act(req *httpapi.Request, thread *turn.Thread) (leg turn.Leg, err error) {
	if len(in.Messages) == 0 {
		return leg, nestor.Errorf(nestor.CodeInvalid, "there is no message").With("field", "messages")
	}
	switch last := &in.Messages[len(in.Messages)-1]; last.Role {
	case "user":
		return in.say(thread, last)
	case "assistant":
		return last.settle(req, thread)
	default:
		return leg, nestor.Errorf(nestor.CodeInvalid, "the last message is of role %.40q: user or assistant are expected", last.Role).With("field", "messages")
	}
}

// say says the last message of a person, behind the message before it.
func (in *request) say(thread *turn.Thread, m *uiMessage) (leg turn.Leg, err error) {
	pieces, err := m.pieces()
	if err != nil {
		return leg, err
	}
	content, err := thread.Take(pieces)
	if err != nil {
		return leg, err
	}
	tools := make([]nestor.ClientTool, len(in.Tools))
	for i, t := range in.Tools {
		if tools[i] = t.ClientTool; t.InputSchema != nil {
			tools[i].Parameters = t.InputSchema
		}
	}
	system := in.System
	for _, m := range in.Messages {
		if m.Role != "system" {
			continue
		}
		for _, p := range m.Parts {
			system = strings.TrimSpace(system + "\n\n" + p.Text)
		}
	}
	if err := thread.Place(m.ID, in.before(), content, in.Trigger == "regenerate-message"); err != nil {
		return leg, err
	}
	if err := thread.Brief(system, tools); err != nil {
		return leg, err
	}
	leg.Run, err = thread.Say(content)
	return leg, err
}

// before is the message before the last one, by the id of what a person said: an answer
// has the id of its run, which that began.
func (in *request) before() string {
	for _, m := range slices.Backward(in.Messages[:len(in.Messages)-1]) {
		if m.Role == "user" || m.Role == "assistant" {
			return strings.TrimSuffix(m.ID, answerSuffix)
		}
	}
	return ""
}

// settle takes what a message of the assistant says about what its run waits for.
func (m *uiMessage) settle(req *httpapi.Request, thread *turn.Thread) (leg turn.Leg, err error) {
	type settlement struct {
		wait   turn.Wait
		answer turn.Answer
	}
	if err := thread.Behind(strings.TrimSuffix(m.ID, answerSuffix)); err != nil {
		return leg, err
	}
	var all []settlement
	for _, p := range m.Parts {
		a, ok := p.answer()
		if !ok || p.ProviderExecuted && p.State != "approval-responded" {
			continue // it says nothing, or the server ran it
		}
		w, err := thread.Find(p.ToolCallID)
		if err != nil {
			return leg, err
		}
		all = append(all, settlement{w, a})
	}
	if len(all) == 0 {
		return leg, nestor.Errorf(nestor.CodeInvalid, "the last message is the assistant's, and answers nothing that is waited for").With("field", "messages")
	}
	leg.Run = all[len(all)-1].wait.Run
	for _, s := range all {
		if s.wait.Run != leg.Run {
			continue // of a run before, which is over
		}
		if err := s.wait.Settle(req, s.answer); err != nil {
			return leg, err
		}
		leg.After = append(leg.After, s.wait.ID)
	}
	return leg, nil
}

// answer is what a part says about a call, if it does.
func (p *uiPart) answer() (a turn.Answer, ok bool) {
	if p.Type != "dynamic-tool" && !strings.HasPrefix(p.Type, "tool-") {
		return a, false
	}
	switch p.State {
	case "approval-responded":
		if p.Approval == nil || p.Approval.Approved == nil {
			return a, false
		}
		return turn.Answer{Yes: *p.Approval.Approved, Text: p.Approval.Reason}, true
	case "output-available":
		a.Text = string(p.Output)
		var text string
		if json.Unmarshal(p.Output, &text) == nil {
			a.Text = text
		}
		return a, true
	case "output-error":
		return turn.Answer{Text: p.ErrorText, Failed: true}, true
	}
	return a, false
}
