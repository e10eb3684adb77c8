// Package node makes types of graph nodes of Go functions. Users draw them into
// their agent graphs like any other node.
//
//	type In struct {
//		Text  string `json:"text"`                     // an input of the type string
//		Times int    `json:"times" node:"parameter"`   // a parameter of each node
//	}
//	type Out struct {
//		Text string `json:"text"`                      // an output of the type string
//	}
//
//	repeat := node.New("repeat", node.Options{Description: "Says a text again and again.", Effect: node.Pure},
//		func(ctx context.Context, in In) (Out, error) { return Out{strings.Repeat(in.Text, in.Times)}, nil })
//
// A type is given to a server by its Config, or by a module.
package node

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/tool"
)

// Type is a kind of node. It does not change after it is made.
type Type = node.Type

// Port is an input or output of a type, and Turn is what Type.Run is given, for
// programs that make a [Type] without [New].
type (
	Port = node.Port
	Turn = node.Call
)

// Effect says what a turn of a node does to the world, and so what becomes of a turn
// that a crash interrupted.
type Effect = tool.Effect

// The effects.
const (
	// Pure: nothing changes; it is run as often as needed.
	Pure = tool.Pure
	// Idempotent: running it again with the same idempotency key changes nothing
	// more.
	Idempotent = tool.Idempotent
	// Once: every run counts, so a turn that was interrupted is never run again. Its
	// node fails with the code interrupted.
	Once = tool.Once
)

// Options describe a type. The zero value is usable.
type Options struct {
	// Description tells people what the node is for.
	Description string
	// Effect defaults to Once, the careful choice.
	Effect Effect
}

// Signal is the type of a field of Out that is no data: if it is true, the nodes that
// are connected with the port have their turn.
type Signal bool

// New makes a type of a function.
//
// Each field of In, a struct, is an input, and each field of Out an output: names from
// json tags, descriptions from jsonschema tags, types from Go's. What is neither a
// text, a number nor true or false is of the type json, or of the type that the tag
// node names, such as `node:"thread"`. An input is required unless its json tag says
// omitempty or omitzero. An output that json leaves out is not put out.
//
// A field of In with the tag `node:"parameter"` is no input but a parameter of each
// node. Inputs can be given as parameters, too, and have that value until another
// comes. All types have the input run and the outputs done, onError and error besides.
//
// A node fails with the error of its function. It is tried again as the node in the graph
// says, unless the error's code, such as [nestor.CodeInvalid], says that it is useless, or
// it is [Interrupted].
//
// New panics if no ports can be derived from In or Out: that is a defect of the program.
func New[In, Out any](id string, o Options, run func(context.Context, In) (Out, error)) *Type {
	t, err := describe[In, Out](id, o)
	if err != nil {
		panic(fmt.Sprintf("node type %s: %v", id, err))
	}
	t.Run = func(ctx context.Context, call *node.Call) (map[string]any, error) {
		in, err := decode[In](call)
		if err != nil {
			return nil, err
		}
		out, err := run(context.WithValue(ctx, callKey{}, Call{
			UserID: call.UserID, ExecutionID: call.ExecutionID, NodeID: call.NodeID, Resolution: call.Resolution, IdempotencyKey: call.IdempotencyKey,
		}), in)
		if err != nil {
			return nil, err
		}
		return encode(t, out)
	}
	return t
}

// Call says for whom and where a node has its turn.
type Call struct {
	UserID, ExecutionID string
	// NodeID is the node's own id in its graph.
	NodeID string
	// Resolution is the number of the turn in its execution.
	Resolution int
	// IdempotencyKey is the same whenever this turn is tried, and different for every
	// other turn.
	IdempotencyKey string
}

type callKey struct{}

// CallOf is the call for which a node's function runs.
func CallOf(ctx context.Context) Call {
	call, _ := ctx.Value(callKey{}).(Call)
	return call
}

// Interrupted is the error of a node of which nobody knows whether it had its effect.
// It is not tried again, and fails with the code interrupted.
func Interrupted(err error) error { return node.Interrupted{Err: err} }

func describe[In, Out any](id string, o Options) (*Type, error) {
	t := &Type{ID: id, Description: o.Description, Effect: o.Effect}
	parameters := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	err := fields[In](func(f field) error {
		parameters.Properties[f.name] = f.schema
		if f.tag == "parameter" {
			if f.required {
				parameters.Required = append(parameters.Required, f.name)
			}
			return nil
		}
		if f.signal {
			return fmt.Errorf("the input %s is a signal: nodes have one, run", f.name)
		}
		port, err := f.port()
		port.Required = f.required
		t.Inputs = append(t.Inputs, port)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = fields[Out](func(f field) error {
		port, err := f.port()
		t.Outputs = append(t.Outputs, port)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Parameters, err = json.Marshal(parameters)
	return t, err
}

// field is a field of a struct as JSON has it.
type field struct {
	name, tag        string
	required, signal bool
	schema           *jsonschema.Schema
}

// fields calls fn for each field of T, in their order.
func fields[T any](fn func(field) error) error {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return err
	}
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Struct {
		return fmt.Errorf("%s is no struct", of)
	}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		about := schema.Properties[name]
		if !f.IsExported() || f.Anonymous || about == nil {
			continue
		}
		withoutNull(about)
		if err := fn(field{
			name: name, tag: f.Tag.Get("node"), required: slices.Contains(schema.Required, name), signal: f.Type == reflect.TypeFor[Signal](), schema: about,
		}); err != nil {
			return err
		}
	}
	return nil
}

// withoutNull takes null from the types that Go's slices and pointers get: a value that
// is absent does not come.
func withoutNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

func (f field) port() (node.Port, error) {
	p := node.Port{ID: f.name, Description: f.schema.Description, Type: node.JSON}
	switch {
	case f.signal:
		p.Type = node.Signal
	case f.tag != "":
		p.Type = node.PortType(f.tag)
		if p.Type == node.Signal || !slices.Contains(node.Types, p.Type) {
			return p, fmt.Errorf("%q is no type of the port %s", f.tag, f.name)
		}
	case f.schema.Type == "string":
		p.Type = node.String
	case f.schema.Type == "number" || f.schema.Type == "integer":
		p.Type = node.Number
	case f.schema.Type == "boolean":
		p.Type = node.Boolean
	}
	return p, nil
}

// decode is what a node was given: its parameters, and over them its inputs.
func decode[In any](call *node.Call) (in In, err error) {
	all := map[string]any{}
	for name, value := range call.Parameters {
		all[name] = value
	}
	for name, value := range call.Inputs {
		all[name] = value
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil {
		return in, nestor.Errorf(nestor.CodeInvalid, "what came to the node does not fit: %v", err)
	}
	return in, nil
}

// encode is what a function returned, by port.
func encode(t *Type, out any) (map[string]any, error) {
	text, err := json.Marshal(out)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInternal, "what the node puts out is no JSON: %w", err)
	}
	var byName map[string]json.RawMessage
	if err := json.Unmarshal(text, &byName); err != nil {
		return nil, nestor.Errorf(nestor.CodeInternal, "what the node puts out is no JSON object: %w", err)
	}
	all := map[string]any{}
	for _, p := range t.Outputs {
		value, there := byName[p.ID]
		if there && (p.Type != node.Signal || string(value) == "true") {
			all[p.ID] = value
		}
	}
	return all, nil
}
