package graph

import (
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// Problem is something that is wrong with a graph, or looks wrong.
type Problem struct {
	// NodeID is the node it is about, "" if it is about the whole graph.
	NodeID string `json:"nodeId"`
	// EdgeIndex is the edge it is about, nil if it is about none.
	EdgeIndex *int   `json:"edgeIndex,omitempty"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

// The codes of problems.
const (
	TooLarge        = "too-large"
	BadID           = "bad-id"
	UnknownType     = "unknown-node-type"
	BadParameters   = "bad-parameters"
	BadRetry        = "bad-retry"
	DanglingEdge    = "dangling-edge"
	UnknownPort     = "unknown-port"
	DuplicateEdge   = "duplicate-edge"
	TypeMismatch    = "port-type-mismatch"
	MissingInput    = "missing-input"
	UnknownGraph    = "unknown-graph"
	NoStart         = "no-start"         // a warning
	UnreachableNode = "unreachable"      // a warning
	UnusedNode      = "unused-static"    // a warning
	Recursive       = "recursive"        // a warning
	OverriddenInput = "overridden-input" // a warning
)

// Report is all that was found about a graph. One with errors cannot be saved or run.
type Report struct {
	Errors   []Problem `json:"errors"`
	Warnings []Problem `json:"warnings"`
}

// check gathers what is found.
type check struct {
	*Report
	catalogue *Catalogue
	graph     *Graph
	nodes     map[string]*Node
}

// Validate finds everything that is wrong with a graph.
func (c *Catalogue) Validate(g *Graph) Report {
	k := check{Report: &Report{Errors: []Problem{}, Warnings: []Problem{}}, catalogue: c, graph: g, nodes: map[string]*Node{}}
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges || g.MaxResolutions < 0 || g.MaxResolutions > MostResolutions {
		k.wrong("", nil, TooLarge, "a graph has at most %d nodes, %d edges and %d resolutions", MaxNodes, MaxEdges, MostResolutions)
		return *k.Report
	}
	for i := range g.Nodes {
		k.node(&g.Nodes[i])
	}
	seen, ids := map[[4]string]bool{}, map[string]bool{}
	fed := map[[2]string]bool{}
	for i, e := range g.Edges {
		if k.edge(i, e, seen[e.ends()], ids[e.ID]) {
			fed[[2]string{e.TargetNodeID, e.TargetPortID}] = true
		}
		seen[e.ends()], ids[e.ID] = true, true
	}
	for i := range g.Nodes {
		k.inputs(&g.Nodes[i], fed)
	}
	k.overridden()
	k.reachable()
	return *k.Report
}

func (k *check) wrong(node string, edge *int, code, format string, args ...any) {
	k.Errors = append(k.Errors, Problem{node, edge, code, fmt.Sprintf(format, args...)})
}

func (k *check) warn(node, code, format string, args ...any) {
	k.Warnings = append(k.Warnings, Problem{node, nil, code, fmt.Sprintf(format, args...)})
}

// node checks what a node is by itself.
func (k *check) node(n *Node) {
	switch {
	case nestor.CheckID(n.ID) != nil:
		k.wrong(n.ID, nil, BadID, "%q cannot be the id of a node", n.ID)
	case k.nodes[n.ID] != nil:
		k.wrong(n.ID, nil, BadID, "two nodes have the id %q", n.ID)
	}
	k.nodes[n.ID] = n
	if r := n.Retry; r != nil && (r.Attempts < 1 || r.Attempts > MaxAttempts || r.PauseMS < 0 || r.PauseMS > MaxPauseMS) {
		k.wrong(n.ID, nil, BadRetry, "a node is tried 1 to %d times, with pauses of up to %d ms", MaxAttempts, MaxPauseMS)
	}
	t := k.catalogue.Type(n.NodeID)
	if t == nil {
		k.wrong(n.ID, nil, UnknownType, "there is no node type %q", n.NodeID)
		return
	}
	parameters := map[string]any(n.Parameters)
	if parameters == nil {
		parameters = map[string]any{}
	}
	err := t.schema.Validate(parameters)
	if err == nil && t.Check != nil {
		err = t.Check(parameters)
	}
	if err != nil {
		text, _ := jsonvalue.Violation(err)
		k.wrong(n.ID, nil, BadParameters, "%s", text)
	}
}

// edge checks an edge, of which there was another one or one of its id before, and reports
// whether both its ends are there.
func (k *check) edge(i int, e Edge, seen, named bool) bool {
	switch {
	case e.ID == "": // the server gives it one
	case nestor.CheckID(e.ID) != nil:
		k.wrong(e.TargetNodeID, &i, BadID, "%q cannot be the id of an edge", e.ID)
	case named:
		k.wrong(e.TargetNodeID, &i, BadID, "two edges have the id %q", e.ID)
	}
	if seen {
		k.wrong(e.TargetNodeID, &i, DuplicateEdge, "the edge from %s.%s to %s.%s is there twice", e.SourceNodeID, e.SourcePortID, e.TargetNodeID, e.TargetPortID)
	}
	source, target := k.nodes[e.SourceNodeID], k.nodes[e.TargetNodeID]
	if source == nil {
		k.wrong(e.TargetNodeID, &i, DanglingEdge, "an edge comes from the node %q, which is not there", e.SourceNodeID)
	}
	if target == nil {
		k.wrong(e.SourceNodeID, &i, DanglingEdge, "an edge leads to the node %q, which is not there", e.TargetNodeID)
	}
	if source == nil || target == nil {
		return false
	}
	from, to := k.catalogue.Type(source.NodeID), k.catalogue.Type(target.NodeID)
	if from == nil || to == nil {
		return false // which is told about the node
	}
	out, in := from.Output(e.SourcePortID), to.Input(e.TargetPortID)
	if out == nil {
		k.wrong(source.ID, &i, UnknownPort, "%s has no output %q", from.ID, e.SourcePortID)
	}
	if in == nil {
		k.wrong(target.ID, &i, UnknownPort, "%s has no input %q", to.ID, e.TargetPortID)
	}
	if out == nil || in == nil {
		return false
	}
	if !in.Type.Takes(out.Type) {
		k.wrong(target.ID, &i, TypeMismatch, "%s.%s is a %s, and %s.%s takes a %s", source.ID, out.ID, out.Type, target.ID, in.ID, in.Type)
	}
	return true
}

// inputs finds required ones that nothing comes to.
func (k *check) inputs(n *Node, fed map[[2]string]bool) {
	t := k.catalogue.Type(n.NodeID)
	if t == nil {
		return
	}
	for _, in := range t.Inputs {
		_, given := n.Parameters[in.ID]
		if in.Required && !given && !fed[[2]string{n.ID, in.ID}] {
			k.wrong(n.ID, nil, MissingInput, "nothing is connected with the input %q of %s", in.ID, n.ID)
		}
	}
}

// overridden warns of inputs that two static nodes lead to: what one of them puts out is
// never seen. Two others may take turns, as the branches of a condition do.
func (k *check) overridden() {
	from := map[[2]string]string{}
	for _, e := range k.graph.Edges {
		source, target := k.nodes[e.SourceNodeID], k.nodes[e.TargetNodeID]
		if source == nil || target == nil {
			continue
		}
		t := k.catalogue.Type(source.NodeID)
		if t == nil || !t.Static {
			continue
		}
		input := [2]string{e.TargetNodeID, e.TargetPortID}
		if other, twice := from[input]; twice && other != e.SourceNodeID {
			k.warn(e.TargetNodeID, OverriddenInput, "%s and %s lead to the input %q of %s, which keeps one of them", other, e.SourceNodeID, e.TargetPortID, e.TargetNodeID)
		}
		from[input] = e.SourceNodeID
	}
}

// reachable warns of nodes that never have a turn, or are of no use. Nodes of types that
// are not known may do anything.
func (k *check) reachable() {
	signals, used := map[string][]string{}, map[string]bool{}
	for _, e := range k.graph.Edges {
		used[e.SourceNodeID] = true
		if k.mayGiveTurn(e) {
			signals[e.SourceNodeID] = append(signals[e.SourceNodeID], e.TargetNodeID)
		}
	}
	reached := map[string]bool{}
	var todo []string
	for _, n := range k.graph.Nodes {
		if t := k.catalogue.Type(n.NodeID); t == nil || t.Start {
			todo = append(todo, n.ID)
		}
	}
	if len(todo) == 0 {
		k.warn("", NoStart, "no node begins: nothing happens when this graph runs")
	}
	for ; len(todo) > 0; todo = todo[1:] {
		if !reached[todo[0]] {
			reached[todo[0]] = true
			todo = append(todo, signals[todo[0]]...)
		}
	}
	for _, n := range k.graph.Nodes {
		t := k.catalogue.Type(n.NodeID)
		switch {
		case t == nil:
		case t.Static && !used[n.ID]:
			k.warn(n.ID, UnusedNode, "nothing is connected with %s", n.ID)
		case !t.Static && !reached[n.ID]:
			k.warn(n.ID, UnreachableNode, "no signal ever reaches %s", n.ID)
		}
	}
}

// mayGiveTurn reports whether an edge leads to a signal, as far as is known.
func (k *check) mayGiveTurn(e Edge) bool {
	target := k.nodes[e.TargetNodeID]
	if target == nil {
		return false
	}
	t := k.catalogue.Type(target.NodeID)
	if t == nil {
		return true
	}
	in := t.Input(e.TargetPortID)
	return in != nil && in.Type == Signal
}
