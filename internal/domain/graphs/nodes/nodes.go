// Package nodes has the types of nodes that come with the program.
package nodes

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

// Options are what some types need.
type Options struct {
	// AllowPrivate lets http-request reach any address. Defaults to public ones only.
	AllowPrivate bool
}

// All are the types.
func All(opts Options) []engine.NodeType {
	return []engine.NodeType{
		onStart, onChatMessage, writeChatMessage, constantString, languageModel, tools, invokeModel, addTools, invokeAgent, subGraph, forEach, condition, mapValue, join, httpRequest(opts), debugLog, output,
	}
}

// The ports that most types have.
var (
	run  = graph.Port{ID: "run", Type: graph.Signal, Description: "Gives the node its turn."}
	done = graph.Port{ID: "done", Type: graph.Signal, Description: "The node has had its turn."}
)

// schema is a JSON Schema of an object with these properties.
func schema(properties string, required ...string) json.RawMessage {
	if required == nil {
		required = []string{}
	}
	names, _ := json.Marshal(required)
	return json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{` + properties + `},"required":` + string(names) + `}`)
}

// text is a parameter that is one, "" if it is not given.
func text(parameters map[string]any, name string) string {
	s, _ := parameters[name].(string)
	return s
}

// read decodes an input. One that nothing came to stays as it is.
func read(c *engine.Call, port string, into any) error {
	value := c.Inputs[port]
	if value == nil {
		return nil
	}
	if err := json.Unmarshal(value, into); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "the input %q cannot be read: %v", port, err)
	}
	return nil
}

// words is a value as text: a text as it is, anything else as JSON.
func words(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
