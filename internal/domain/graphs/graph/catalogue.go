package graph

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/tool"
)

// PortType is what goes through a port, and Port is an input or output of a node type.
type (
	PortType = node.PortType
	Port     = node.Port
)

// The types of ports.
const (
	String    = node.String
	Number    = node.Number
	Boolean   = node.Boolean
	Thread    = node.Thread
	Chat      = node.Chat
	ChatModel = node.ChatModel
	ToolSet   = node.ToolSet
	Signal    = node.Signal
	JSON      = node.JSON
)

// Type is a kind of node.
type Type struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	// Static nodes have no inputs, and what they put out follows from their
	// parameters. Start nodes have a turn when an execution begins.
	Static bool `json:"static,omitempty"`
	Start  bool `json:"start,omitempty"`
	// Effect says what a turn does to the world. Defaults to pure.
	Effect  tool.Effect `json:"effect"`
	Inputs  []Port      `json:"inputs"`
	Outputs []Port      `json:"outputs"`
	// Parameters is a JSON Schema. Defaults to no parameters.
	Parameters json.RawMessage `json:"parameters"`

	// EffectOf is the effect of a node with these parameters. Defaults to Effect.
	EffectOf func(parameters map[string]any) tool.Effect `json:"-"`
	// Check finds what a schema cannot say to be wrong with parameters.
	Check func(parameters map[string]any) error `json:"-"`

	schema *jsonschema.Resolved
}

// The outputs that all nodes have that are not static. If OnError is connected, a
// turn that fails gives its signal and what went wrong, and the execution goes on.
const (
	OnError = "onError"
	Failure = "error"
)

var failing = []Port{
	{ID: OnError, Type: Signal, Description: "The node failed. If this is connected, the execution goes on here."},
	{ID: Failure, Type: JSON, Description: "What went wrong: code and message."},
}

// Catalogue is the node types there are, by id.
type Catalogue struct {
	all  []*Type
	byID map[string]*Type
}

// NewCatalogue refuses types that make no sense.
func NewCatalogue(types ...Type) (*Catalogue, error) {
	c := &Catalogue{byID: map[string]*Type{}}
	for _, t := range types {
		if err := t.complete(); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the node type %q: %w", t.ID, err)
		}
		if c.byID[t.ID] != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "there are two node types %q", t.ID)
		}
		c.all, c.byID[t.ID] = append(c.all, &t), &t
	}
	return c, nil
}

// complete fills in defaults and checks t.
func (t *Type) complete() error {
	if t.Effect == "" {
		t.Effect = tool.Pure
	}
	if t.Parameters == nil {
		t.Parameters = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	if !t.Static {
		t.Outputs = append(slices.Clone(t.Outputs), failing...)
	}
	t.Inputs, t.Outputs = append([]Port{}, t.Inputs...), append([]Port{}, t.Outputs...)
	switch {
	case nestor.CheckID(t.ID) != nil:
		return nestor.Errorf(nestor.CodeInvalid, "it has no id that can be one")
	case !t.Effect.Valid():
		return nestor.Errorf(nestor.CodeInvalid, "its effect %q is none", t.Effect)
	case t.Static && (len(t.Inputs) > 0 || t.Effect != tool.Pure):
		return nestor.Errorf(nestor.CodeInvalid, "it is static, so it has no inputs and no effect")
	}
	for _, ports := range [][]Port{t.Inputs, t.Outputs} {
		for i, p := range ports {
			if p.ID == "" || !slices.Contains(node.Types, p.Type) || slices.ContainsFunc(ports[:i], func(q Port) bool { return q.ID == p.ID }) {
				return nestor.Errorf(nestor.CodeInvalid, "the port %q has no id or type, or the id of another", p.ID)
			}
		}
	}
	var schema jsonschema.Schema
	err := json.Unmarshal(t.Parameters, &schema)
	if err == nil {
		t.schema, err = schema.Resolve(nil)
	}
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "its parameters are no JSON Schema of an object")
	}
	return nil
}

// All are the types in the order in which they were registered.
func (c *Catalogue) All() []*Type { return c.all }

// Type finds a node type, nil if there is none.
func (c *Catalogue) Type(id string) *Type { return c.byID[id] }

// EffectFor is what a turn of a node does to the world.
func (t *Type) EffectFor(parameters map[string]any) tool.Effect {
	if t.EffectOf == nil {
		return t.Effect
	}
	return t.EffectOf(parameters)
}

func find(ports []Port, id string) *Port {
	i := slices.IndexFunc(ports, func(p Port) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &ports[i]
}

// Input and Output find a port, nil if there is none.
func (t *Type) Input(id string) *Port  { return find(t.Inputs, id) }
func (t *Type) Output(id string) *Port { return find(t.Outputs, id) }
