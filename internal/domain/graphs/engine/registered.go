package engine

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/tool"
)

// Registered makes a node type of one that a module, a program or a file describes. What
// its nodes put out is checked against its ports.
func Registered(t node.Type) (NodeType, error) {
	if t.Run == nil {
		return NodeType{}, nestor.Errorf(nestor.CodeInvalid, "the node type %q has nothing to run", t.ID)
	}
	if t.Effect == "" {
		t.Effect = tool.Once
	}
	parameters, err := withInputs(t.Parameters, t.Inputs)
	if err != nil {
		return NodeType{}, nestor.Errorf(nestor.CodeInvalid, "the parameters of the node type %q: %w", t.ID, err)
	}
	for _, in := range t.Inputs {
		if in.Type == node.Signal {
			return NodeType{}, nestor.Errorf(nestor.CodeInvalid, "the input %q of the node type %q is a signal: nodes have one, run", in.ID, t.ID)
		}
	}
	outputs := map[string]node.PortType{}
	for _, p := range t.Outputs {
		outputs[p.ID] = p.Type
	}
	return NodeType{
		Type: graph.Type{
			ID: t.ID, Description: t.Description, Effect: t.Effect, Parameters: parameters,
			Inputs: append([]graph.Port{node.Run}, t.Inputs...), Outputs: append([]graph.Port{node.Done}, t.Outputs...),
		},
		Run: func(ctx context.Context, c *Call) (Outputs, error) {
			made, err := t.Run(ctx, &node.Call{
				UserID: c.UserID, ExecutionID: c.Execution, NodeID: c.Node.ID, Resolution: c.Number, IdempotencyKey: c.Key,
				Parameters: maps.Clone(c.Node.Parameters), Inputs: c.Inputs,
			})
			if err != nil {
				return nil, err
			}
			return fitting(made, outputs)
		},
	}, nil
}

// fitting refuses outputs that are not as the type says.
func fitting(made map[string]any, ports map[string]node.PortType) (Outputs, error) {
	out := Outputs{"done": true}
	for port, v := range made {
		kind, known := ports[port]
		if !known {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the node puts out %q, which its type does not have", port)
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the output %q is no JSON: %v", port, err)
		}
		if !kind.Fits(value) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the output %q is no %s", port, kind)
		}
		out[port] = json.RawMessage(value)
	}
	return out, nil
}

// withInputs is a schema of parameters in which each input of data can be given, too.
func withInputs(schema json.RawMessage, inputs []node.Port) (json.RawMessage, error) {
	all := map[string]any{"type": "object", "additionalProperties": false}
	if schema != nil {
		if err := json.Unmarshal(schema, &all); err != nil {
			return nil, err
		}
	}
	properties, ok := all["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		all["properties"] = properties
	}
	for _, in := range inputs {
		if _, declared := properties[in.ID]; declared {
			continue
		}
		about := map[string]any{}
		switch in.Type {
		case node.String, node.Number, node.Boolean:
			about["type"] = string(in.Type)
		}
		if in.Description != "" {
			about["description"] = in.Description
		}
		properties[in.ID] = about
	}
	return json.Marshal(all)
}
