// Package graph is what an agent graph is, without anything that runs it: nodes and
// edges, the catalogue of node types, the check of a graph, and the schedule.
//
// The schedule gives each node its turn. Static nodes have theirs first. What a node
// puts out goes to every input that is connected with it, data before signals. A
// signal queues its node, first in first out, once while it waits.
//
// Nodes that cannot influence each other have their turns at the same time, and what
// comes of the whole is what one turn after the other would give:
//
//   - A node begins once nothing before it in the queue is connected with it.
//   - What came of a node is delivered once nothing before it in the queue reaches
//     what it reaches.
package graph

import "encoding/json"

// Graph is nodes and how they are connected.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	// MaxResolutions is how many turns the nodes that are not static have in all.
	// Defaults to 100.
	MaxResolutions int `json:"maxResolutions,omitempty"`
}

// Node is one use of a node type.
type Node struct {
	// ID is the node's own, and NodeID its type in the catalogue.
	ID       string   `json:"id"`
	NodeID   string   `json:"nodeId"`
	Position Position `json:"position"`
	// Parameters are as the type says. One with the name of an input is what that
	// input has while nothing has come to it.
	Parameters Parameters `json:"parameters,omitempty"`
	// Retry repeats a turn that failed. Defaults to not repeating it.
	Retry *Retry `json:"retry,omitempty"`
	Stamps
}

// Parameters are what a node's type wants to know. Numbers are of type float64,
// however a graph is read.
type Parameters map[string]any

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Parameters) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*map[string]any)(p))
}

// Position is where an editor shows a node.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Retry says how often a turn is tried, and what lies between.
type Retry struct {
	// Attempts, the first included.
	Attempts int `json:"attempts"`
	PauseMS  int `json:"pauseMs,omitempty"`
}

// Edge connects an output with an input.
type Edge struct {
	// ID is the edge's own. The server gives one to an edge without.
	ID           string `json:"id,omitempty"`
	SourceNodeID string `json:"sourceNodeId"`
	SourcePortID string `json:"sourcePortId"`
	TargetNodeID string `json:"targetNodeId"`
	TargetPortID string `json:"targetPortId"`
	Stamps
}

// The bounds of a graph.
const (
	MaxNodes           = 1000
	MaxEdges           = 5000
	DefaultResolutions = 100
	MostResolutions    = 10_000
	MaxAttempts        = 10
	MaxPauseMS         = 60_000
)

// Limit is how many resolutions the graph has at most.
func (g *Graph) Limit() int {
	if g.MaxResolutions == 0 {
		return DefaultResolutions
	}
	return g.MaxResolutions
}
