// Package node says what a type of graph nodes is: its ports, its parameters and what
// its nodes do. Modules and programs that embed Nestor make types of it; the graphs
// domain runs them.
package node

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/tool"
)

// PortType is what goes through a port.
type PortType string

// The types of ports. A signal carries nothing: it gives a node its turn.
const (
	String    PortType = "string"
	Number    PortType = "number"
	Boolean   PortType = "boolean"
	Thread    PortType = "thread"
	Chat      PortType = "chat"
	ChatModel PortType = "chat-model"
	ToolSet   PortType = "tool-set"
	Signal    PortType = "signal"
	JSON      PortType = "json"
)

// Types are all of them.
var Types = []PortType{String, Number, Boolean, Thread, Chat, ChatModel, ToolSet, Signal, JSON}

// Takes reports whether an input takes what an output gives. An input of json takes
// all data.
func (in PortType) Takes(out PortType) bool { return in == out || in == JSON && out != Signal }

// Fits reports whether a JSON value can go through a port of the type. It looks at
// what kind of value it is, not at what is inside.
func (in PortType) Fits(value json.RawMessage) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 {
		return in == Signal
	}
	switch first := value[0]; in {
	case String:
		return first == '"'
	case Number:
		return first == '-' || first >= '0' && first <= '9'
	case Boolean:
		return first == 't' || first == 'f'
	case Thread, Chat, ChatModel:
		return first == '{'
	case ToolSet:
		return first == '['
	}
	return true
}

// Port is an input or output of a node type.
type Port struct {
	ID   string   `json:"id"`
	Type PortType `json:"type"`
	// Required: the input must be connected, or a parameter of its name be given.
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
}

// The ports that types made by modules and programs have beside their own.
var (
	Run  = Port{ID: "run", Type: Signal, Description: "Gives the node its turn."}
	Done = Port{ID: "done", Type: Signal, Description: "The node has had its turn."}
)

// Type is a kind of node.
type Type struct {
	ID          string
	Description string
	// Effect says what a turn does to the world. Defaults to once, the careful choice.
	Effect tool.Effect
	// Inputs and Outputs are beside run, done, onError and error, which all have.
	Inputs, Outputs []Port
	// Parameters is a JSON Schema of an object. Defaults to no parameters.
	Parameters json.RawMessage
	// Run does the work of a turn. Its outputs are by port; a signal is given if it is
	// there, and done always is.
	Run func(context.Context, *Call) (map[string]any, error)
}

// Call is one turn of a node.
type Call struct {
	UserID      string
	ExecutionID string
	// NodeID is the node's own id in its graph.
	NodeID string
	// Resolution is the number of the turn in its execution.
	Resolution int
	// IdempotencyKey is the same whenever this turn is tried, and different for every
	// other turn.
	IdempotencyKey string
	Parameters     map[string]any
	// Inputs are what the inputs have: what came last, or else a parameter.
	Inputs map[string]json.RawMessage
}

// Interrupted is the error of a node that may have had an effect which must not be had
// twice. Such a node is not tried again.
type Interrupted struct{ Err error }

func (i Interrupted) Error() string {
	return "it is not known whether the node had its effect, so it is not repeated: " + i.Err.Error()
}

func (i Interrupted) Unwrap() error { return i.Err }
