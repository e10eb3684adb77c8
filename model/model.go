// Package model is what a language model is asked and answers. A Go program that
// runs Nestor can bring models of its own: whatever implements [Model] and is given
// to the server's Config. For tests there is one that follows a script, in
// model/modeltest.
package model

import "github.com/nestorhq/nestor/internal/llm"

// Model is one language model. It is safe for concurrent use.
//
// Generate sends one request and yields the reply's events in order. The last event
// of a complete reply is a [Finish]; an error ends the sequence. Errors with a code of
// package nestor are understood: rate_limited and unavailable are tried again,
// invalid is not.
type Model = llm.Model

// Request is everything that a model sees, and Message one turn of it.
type (
	Request = llm.Request
	Message = llm.Message
	Tool    = llm.Tool
)

// Role says who speaks in a message.
type Role = llm.Role

// The roles. The system's instruction is Request.System.
const (
	User      = llm.RoleUser
	Assistant = llm.RoleAssistant
	ToolRole  = llm.RoleTool
)

// Part is what a message consists of: Text, Reasoning, ToolCall, ToolResult or
// Media. Event is what a reply consists of: Text, Reasoning, ToolCall, Usage and
// Finish.
type (
	Part  = llm.Part
	Event = llm.Event
)

// The parts and events.
type (
	// Text is said to the reader; as an event, its next piece.
	Text = llm.Text
	// Reasoning is what a model thinks before it answers.
	Reasoning = llm.Reasoning
	// ToolCall is one complete call that the model wants made.
	ToolCall = llm.ToolCall
	// ToolResult answers the call of the same id.
	ToolResult = llm.ToolResult
	// Media is an image or a file.
	Media = llm.Media
	// Usage counts the tokens of one call.
	Usage = llm.Usage
	// Finish ends a complete reply.
	Finish = llm.Finish
)

// Reason says why a reply ended.
type Reason = llm.Reason

// The reasons.
const (
	Stop      = llm.ReasonStop
	ToolCalls = llm.ReasonToolCalls
	Length    = llm.ReasonLength
	Refusal   = llm.ReasonRefusal
)
