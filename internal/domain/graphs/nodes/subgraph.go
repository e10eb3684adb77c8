package nodes

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/tool"
)

const graphID = `"graphId":{"type":"string","minLength":1,"maxLength":200,"description":"A graph of the user."}`

// The ports of a sub-graph do not depend on the graph: so a change of that graph makes no
// other graph invalid.
var subGraph = engine.NodeType{
	Type: graph.Type{
		ID: "sub-graph", Effect: tool.Idempotent, Description: "Executes another graph of the user and waits for its output.",
		Inputs: []graph.Port{run, {ID: "input", Type: graph.JSON, Description: "What the execution begins with."}},
		Outputs: []graph.Port{
			done,
			{ID: "output", Type: graph.JSON, Description: "What came to its output nodes, by their names."},
			{ID: "text", Type: graph.String, Description: "The output as a text: if there is one value, that one."},
		},
		Parameters: schema(graphID+`,"input":{}`, "graphId"),
	},
	SubGraph: func(c *engine.Call) (engine.SubGraph, error) {
		input := c.Inputs["input"]
		if input == nil {
			input = json.RawMessage("null")
		}
		return engine.SubGraph{GraphID: text(c.Node.Parameters, "graphId"), Inputs: []json.RawMessage{input}, Result: func(all []map[string]json.RawMessage) (engine.Outputs, error) {
			output, err := json.Marshal(orEmpty(all[0]))
			if err != nil {
				return nil, err
			}
			only, err := single(all[0])
			return engine.Outputs{"done": true, "output": json.RawMessage(output), "text": words(only)}, err
		}}, nil
	},
}

const defaultParallel = 4

var forEach = engine.NodeType{
	Type: graph.Type{
		ID: "for-each", Effect: tool.Idempotent, Description: "Executes another graph of the user for each value of a list, several at a time, and waits for all outputs.",
		Inputs:  []graph.Port{run, {ID: "list", Type: graph.JSON, Required: true, Description: "Each value is the input of an execution."}},
		Outputs: []graph.Port{done, {ID: "list", Type: graph.JSON, Description: "What came of each, in the order of the list: the output, or its value if there is one."}},
		Parameters: schema(graphID+`,"list":{"type":"array"},`+
			`"parallel":{"type":"integer","minimum":1,"maximum":20,"description":"How many run at the same time. 4, if it is not given."}`, "graphId"),
	},
	SubGraph: func(c *engine.Call) (engine.SubGraph, error) {
		var list []json.RawMessage
		if err := read(c, "list", &list); err != nil {
			return engine.SubGraph{}, err
		}
		if len(list) > engine.MaxItems {
			return engine.SubGraph{}, nestor.Errorf(nestor.CodeTooLarge, "the list has %d values, more than %d", len(list), engine.MaxItems)
		}
		parallel, given := c.Node.Parameters["parallel"].(float64)
		if !given {
			parallel = defaultParallel
		}
		return engine.SubGraph{GraphID: text(c.Node.Parameters, "graphId"), Inputs: list, Parallel: int(parallel), Result: func(all []map[string]json.RawMessage) (engine.Outputs, error) {
			results := make([]json.RawMessage, len(all))
			for i, output := range all {
				var err error
				if results[i], err = single(output); err != nil {
					return nil, err
				}
			}
			return engine.Outputs{"done": true, "list": results}, nil
		}}, nil
	},
}

// single is the only value of an output, or else all of it.
func single(output map[string]json.RawMessage) (json.RawMessage, error) {
	if len(output) == 1 {
		return slices.Collect(maps.Values(output))[0], nil
	}
	return json.Marshal(orEmpty(output))
}

func orEmpty(output map[string]json.RawMessage) map[string]json.RawMessage {
	if output == nil {
		return map[string]json.RawMessage{}
	}
	return output
}
