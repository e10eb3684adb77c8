package record

import (
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
)

// MessageThread is one state of a conversation. It never changes: whoever adds to it
// makes another thread, which stores what was added and where the rest is; see
// package thread.
type MessageThread struct {
	nestor.Meta
	UserID string `json:"userId"`
	// ParentID is the thread that this one continues, nil for a new one.
	ParentID *string `json:"parentId"`
	// Added are the turns that this thread has beyond its parent. The first one is a
	// part of the parent's last turn if both are of the same sender.
	Added []MessageTurn `json:"added"`
	// TurnCount is how many turns there are in all, and LastSenderID whose the last
	// one is.
	TurnCount    int64  `json:"turnCount"`
	LastSenderID string `json:"lastSenderId,omitempty"`
	// Place is where the thread stands: its line and its depth there.
	Place string `json:"place"`
	// Above are the ends of the lines that its line goes on from, nearest first. Only
	// the first thread of a line has them.
	Above []LinePart `json:"above,omitempty"`
}

// LinePart is the part of a line that lies between two depths, both included.
type LinePart struct {
	Line string `json:"line"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// MessageTurn is what one sender says before another one does.
type MessageTurn struct {
	SenderID string           `json:"senderId"`
	Partials []MessagePartial `json:"partials"`
}

// MessagePartial is a piece of a turn. Its type says what the payload has.
type MessagePartial struct {
	Type    PartialType    `json:"type"`
	Payload PartialPayload `json:"payload"`
}

// PartialType is what a piece of a turn is.
type PartialType string

// The types of pieces.
const (
	TextPartial         PartialType = "text"
	ToolRequestPartial  PartialType = "toolRequest"
	ToolResponsePartial PartialType = "toolResponse"
)

// PartialPayload has the fields of all types.
type PartialPayload struct {
	// Content is the text of a text.
	Content *string `json:"content,omitempty"`
	// CallID is the call that a request makes and a response answers.
	CallID string `json:"callId,omitempty"`
	// ShortID is the tool that a request is for, and Input what it is given.
	ShortID string          `json:"shortId,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	// Status is how a call went, and Output what came of it.
	Status CallStatus `json:"status,omitempty"`
	Output *string    `json:"output,omitempty"`
}

// CallStatus is how the call of a tool went.
type CallStatus string

// CallStatuses are all there are.
var CallStatuses = []CallStatus{"pending", "running", "success", "failed", "cancelled"}

// Check reports what is wrong with a piece: each type has its own fields and no
// others.
func (p *MessagePartial) Check() error {
	has := p.Payload
	missing, other := false, false
	switch p.Type {
	case TextPartial:
		missing = has.Content == nil
		other = has.CallID != "" || has.ShortID != "" || has.Input != nil || has.Status != "" || has.Output != nil
	case ToolRequestPartial:
		missing = has.CallID == "" || has.ShortID == "" || has.Input == nil
		other = has.Content != nil || has.Status != "" || has.Output != nil
	case ToolResponsePartial:
		missing = has.CallID == "" || has.Status == "" || has.Output == nil
		other = has.Content != nil || has.ShortID != "" || has.Input != nil
	default:
		return nestor.Errorf(nestor.CodeInvalid, "the type of a partial is text, toolRequest or toolResponse, not %q", p.Type).With("field", "type")
	}
	if p.Type == ToolResponsePartial && has.Status != "" && !slices.Contains(CallStatuses, has.Status) {
		return nestor.Errorf(nestor.CodeInvalid, "the status of a call is one of %v, not %q", CallStatuses, has.Status).With("field", "status")
	}
	if missing || other {
		return nestor.Errorf(nestor.CodeInvalid, "the payload of a %s has %s, and nothing else", p.Type, payloads[p.Type]).With("field", "payload")
	}
	return nil
}

var payloads = map[PartialType]string{
	TextPartial: "content", ToolRequestPartial: "callId, shortId and input", ToolResponsePartial: "callId, status and output",
}
