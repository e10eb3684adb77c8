package nodes

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

var onStart = engine.NodeType{
	Type: graph.Type{
		ID: "on-start", Start: true, Description: "Begins, with the input that the execution was given.",
		Outputs: []graph.Port{
			{ID: "signal", Type: graph.Signal},
			{ID: "input", Type: graph.JSON},
			{ID: "text", Type: graph.String, Description: "The input, or its field text, as a text."},
		},
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		input := c.Input
		if input == nil {
			input = json.RawMessage("null")
		}
		var named struct{ Text *string }
		said := words(input)
		if json.Unmarshal(input, &named) == nil && named.Text != nil {
			said = *named.Text
		}
		return engine.Outputs{"signal": true, "input": input, "text": said}, nil
	},
}

var constantString = engine.NodeType{
	Type: graph.Type{
		ID: "input-constant-string", Static: true, Description: "A text that is always the same.",
		Outputs: []graph.Port{{ID: "value", Type: graph.String}}, Parameters: schema(`"value":{"type":"string"}`, "value"),
	},
	Values: func(p map[string]any) engine.Outputs { return engine.Outputs{"value": text(p, "value")} },
}

// joined are the inputs of a join.
var joined = []string{"a", "b", "c", "d"}

var join = engine.NodeType{
	Type: graph.Type{
		ID: "join", Description: "Puts values together once something has come to each input that is connected. Until then nothing comes out.",
		Inputs: []graph.Port{
			run, {ID: "a", Type: graph.JSON}, {ID: "b", Type: graph.JSON}, {ID: "c", Type: graph.JSON}, {ID: "d", Type: graph.JSON},
		},
		Outputs:    []graph.Port{done, {ID: "list", Type: graph.JSON}, {ID: "text", Type: graph.String}},
		Parameters: schema(`"separator":{"type":"string","description":"Between the values in the text. A line break, if it is not given."}`),
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		list, said := []json.RawMessage{}, []string{}
		for _, port := range joined {
			switch value := c.Inputs[port]; {
			case value != nil:
				list, said = append(list, value), append(said, words(value))
			case c.Connected(port):
				return engine.Outputs{}, nil
			}
		}
		separator, given := c.Node.Parameters["separator"].(string)
		if !given {
			separator = "\n"
		}
		return engine.Outputs{"done": true, "list": list, "text": strings.Join(said, separator)}, nil
	},
}

var debugLog = engine.NodeType{
	Type: graph.Type{
		ID: "debug-log", Description: "Shows a value among the events of the execution.",
		Inputs: []graph.Port{run, {ID: "value", Type: graph.JSON}}, Outputs: []graph.Port{done, {ID: "value", Type: graph.JSON}},
		Parameters: schema(`"label":{"type":"string","maxLength":200}`),
	},
	Quick: true,
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		value := c.Inputs["value"]
		if value == nil {
			value = json.RawMessage("null")
		}
		return engine.Outputs{"done": true, "value": value}, nil
	},
}

var output = engine.NodeType{
	Type: graph.Type{
		ID: "output", Description: "Makes a value part of the execution's output.",
		Inputs: []graph.Port{run, {ID: "value", Type: graph.JSON, Required: true}}, Outputs: []graph.Port{done},
		Parameters: schema(`"name":{"type":"string","maxLength":200,"description":"The name in the output. The node's id, if it is not given."},"value":{}`),
	},
	Result: true,
	Quick:  true,
	Run:    func(context.Context, *engine.Call) (engine.Outputs, error) { return engine.Outputs{"done": true}, nil },
}
