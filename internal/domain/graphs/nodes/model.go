package nodes

import (
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// chatModel is what goes through a port of that type.
type chatModel struct {
	ConnectionID string   `json:"connectionId"`
	MaxTokens    int      `json:"maxTokens,omitempty"`
	Temperature  *float64 `json:"temperature,omitempty"`
}

// thread is what goes through a port of that type: a conversation, and the tools that
// a model is offered in it.
type thread struct {
	Messages []said   `json:"messages"`
	Tools    []string `json:"tools,omitempty"`
}

// said is a turn. Tools that a model called, and what they said, are partials, as those
// of message threads.
type said struct {
	Role     llm.Role  `json:"role"`
	Text     string    `json:"text"`
	Partials []partial `json:"partials,omitempty"`
}

var languageModel = engine.NodeType{
	Type: graph.Type{
		ID: "input-language-model", Static: true, Description: "A model connection of the user.",
		Outputs: []graph.Port{{ID: "model", Type: graph.ChatModel}},
		Parameters: schema(`"connectionId":{"type":"string","description":"The default connection, if it is not given."},` +
			`"maxTokens":{"type":"integer","minimum":1,"maximum":200000},"temperature":{"type":"number","minimum":0,"maximum":2}`),
	},
	Values: func(p map[string]any) engine.Outputs {
		m := chatModel{ConnectionID: text(p, "connectionId")}
		if n, ok := p["maxTokens"].(float64); ok {
			m.MaxTokens = int(n)
		}
		if t, ok := p["temperature"].(float64); ok {
			m.Temperature = &t
		}
		return engine.Outputs{"model": m}
	},
}

var tools = engine.NodeType{
	Type: graph.Type{
		ID: "input-tools", Static: true, Description: "Tools by their names; * stands for any letters.",
		Outputs:    []graph.Port{{ID: "tools", Type: graph.ToolSet}},
		Parameters: schema(`"tools":{"type":"array","items":{"type":"string","minLength":1,"maxLength":200},"maxItems":100}`, "tools"),
	},
	Values: func(p map[string]any) engine.Outputs { return engine.Outputs{"tools": p["tools"]} },
}

var addTools = engine.NodeType{
	Type: graph.Type{
		ID: "add-tools-to-thread", Description: "Offers tools in a thread, beside those that are offered already.",
		Inputs:  []graph.Port{run, {ID: "thread", Type: graph.Thread}, {ID: "tools", Type: graph.ToolSet, Required: true}},
		Outputs: []graph.Port{done, {ID: "thread", Type: graph.Thread}},
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		t := thread{Messages: []said{}}
		var more []string
		if err := read(c, "thread", &t); err != nil {
			return nil, err
		}
		if err := read(c, "tools", &more); err != nil {
			return nil, err
		}
		t.Tools = append(t.Tools, more...)
		return engine.Outputs{"done": true, "thread": t}, nil
	},
}

var invokeAgent = engine.NodeType{
	Type: graph.Type{
		ID: "invoke-agent", Effect: tool.Idempotent, Description: "Has an agent work, in a chat of its own, and waits for its result.",
		Inputs:  []graph.Port{run, {ID: "instruction", Type: graph.String, Required: true}},
		Outputs: []graph.Port{done, {ID: "text", Type: graph.String}, {ID: "value", Type: graph.JSON}},
		Parameters: schema(`"role":{"type":"string","minLength":1,"maxLength":100,"description":"Of the agent. general, if it is not given."},"instruction":{"type":"string","minLength":1},` +
			`"resultSchema":{"type":"object","description":"A JSON Schema that the result fits. The result is the value then."}`),
	},
	Errand: func(c *engine.Call) (engine.Errand, error) {
		e := engine.Errand{Role: text(c.Node.Parameters, "role")}
		if e.Role == "" {
			e.Role = "general"
		}
		if s := c.Node.Parameters["resultSchema"]; s != nil {
			var err error
			if e.ResultSchema, err = json.Marshal(s); err != nil {
				return e, err
			}
		}
		return e, read(c, "instruction", &e.Instruction)
	},
}
