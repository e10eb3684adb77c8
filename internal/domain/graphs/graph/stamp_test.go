package graph_test

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

func TestWhatIsNotChangedInAGraphKeepsItsIDsAndStamps(t *testing.T) {
	edge := func(id, from, to string) graph.Edge {
		return graph.Edge{ID: id, SourceNodeID: from, SourcePortID: "out", TargetNodeID: to, TargetPortID: "in"}
	}
	node := func(id string, parameters graph.Parameters) graph.Node {
		return graph.Node{ID: id, NodeID: "say", Parameters: parameters}
	}
	first := graph.Graph{
		Nodes: []graph.Node{node("a", nil), node("b", graph.Parameters{"text": "x"}), node("gone", nil)},
		Edges: []graph.Edge{edge("own", "a", "b"), edge("", "b", "a"), edge("", "b", "gone")},
	}
	first.Nodes[0].Stamps = graph.Stamps{CreatedAt: 1, UpdatedAt: 1} // clients set none
	if err := first.Replace(graph.Graph{}, 100); err != nil {
		t.Fatal(err)
	}
	made := graph.Stamps{CreatedAt: 100, UpdatedAt: 100}
	for _, n := range first.Nodes {
		if n.Stamps != made {
			t.Errorf("the node %s has %+v", n.ID, n.Stamps)
		}
	}
	for i, e := range first.Edges {
		if e.Stamps != made || nestor.CheckID(e.ID) != nil || (e.ID == "own") != (i == 0) {
			t.Errorf("the edge %d is %+v", i, e)
		}
	}

	second := graph.Graph{
		Nodes: []graph.Node{node("a", graph.Parameters{}), node("b", graph.Parameters{"text": "y"}), node("new", nil)},
		Edges: []graph.Edge{edge("own", "a", "new"), edge("", "a", "b"), edge("", "b", "a")},
	}
	if err := second.Replace(first, 200); err != nil {
		t.Fatal(err)
	}
	var got []graph.Stamps
	for _, n := range second.Nodes {
		got = append(got, n.Stamps)
	}
	for _, e := range second.Edges {
		got = append(got, e.Stamps)
	}
	want := []graph.Stamps{made, {CreatedAt: 100, UpdatedAt: 200}, {CreatedAt: 200, UpdatedAt: 200}, {CreatedAt: 100, UpdatedAt: 200}, {CreatedAt: 200, UpdatedAt: 200}, made}
	if !slices.Equal(got, want) {
		t.Errorf("the stamps are\n%v, not\n%v", got, want)
	}
	// An edge that names another's id takes it with it, so the one in its place has a new one.
	if own, other, same := second.Edges[0].ID, second.Edges[1].ID, second.Edges[2].ID; own != "own" || other == "own" || other == "" || same != first.Edges[1].ID {
		t.Errorf("the edges are %q, %q and %q", own, other, same)
	}
}
