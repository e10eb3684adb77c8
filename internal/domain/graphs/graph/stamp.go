package graph

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
)

// Stamps are when a node or an edge was made and last changed, in Unix milliseconds. The
// server sets them and takes none from clients.
type Stamps struct {
	CreatedAt int64 `json:"createdAt,omitempty"`
	UpdatedAt int64 `json:"updatedAt,omitempty"`
}

// Bare is the graph without what the server adds.
func (g Graph) Bare() Graph {
	nodes, edges := make([]Node, len(g.Nodes)), make([]Edge, len(g.Edges))
	for i, n := range g.Nodes {
		n.Stamps = Stamps{}
		nodes[i] = n
	}
	for i, e := range g.Edges {
		e.ID, e.Stamps = "", Stamps{}
		edges[i] = e
	}
	g.Nodes, g.Edges = nodes, edges
	return g
}

// Stamped is the graph with an id for each edge and stamps for each node and edge. Older
// programs stored graphs without them: then the stamps are those given, of the document that
// has the graph, and the id of an edge follows from its ends.
func (g Graph) Stamped(missing Stamps) Graph {
	nodes, edges := append([]Node{}, g.Nodes...), append([]Edge{}, g.Edges...)
	for i := range nodes {
		nodes[i].complete(missing)
	}
	for i := range edges {
		edges[i].complete(missing)
		if e := &edges[i]; e.ID == "" {
			e.ID = nestor.DeriveID("edge", e.SourceNodeID, e.SourcePortID, e.TargetNodeID, e.TargetPortID)
		}
	}
	g.Nodes, g.Edges = nodes, edges
	return g
}

func (s *Stamps) complete(missing Stamps) {
	if s.CreatedAt == 0 {
		*s = missing
	}
}

// Replace stamps a valid graph that takes the place of another one at a time. Nodes of the
// same id, and edges of the same id or between the same ports, go on: they keep what is not
// changed. The zero graph is for one that is new.
func (g *Graph) Replace(before Graph, now int64) error {
	nodes := map[string]Node{}
	for _, n := range before.Nodes {
		nodes[n.ID] = n
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		was, there := nodes[n.ID]
		same, err := n.same(was)
		if err != nil {
			return err
		}
		n.Stamps = was.after(there, same, now)
	}
	edges, between, taken := map[string]Edge{}, map[[4]string]Edge{}, map[string]bool{}
	for _, e := range before.Edges {
		edges[e.ID], between[e.ends()] = e, e
	}
	for _, e := range g.Edges {
		taken[e.ID] = true
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if was, there := between[e.ends()]; e.ID == "" && there && !taken[was.ID] {
			e.ID = was.ID
		}
		was, there := edges[e.ID]
		if e.ID == "" {
			e.ID = nestor.NewID()
		}
		e.Stamps = was.after(there, was.ends() == e.ends(), now)
	}
	return nil
}

// after are the stamps of what takes the place of something with these, if that was there.
func (s Stamps) after(there, same bool, now int64) Stamps {
	switch {
	case !there:
		return Stamps{now, now}
	case same:
		return s
	}
	return Stamps{s.CreatedAt, now}
}

// same reports whether two nodes are the same but for their stamps.
func (n Node) same(other Node) (bool, error) {
	n.Stamps, other.Stamps = Stamps{}, Stamps{}
	a, err := json.Marshal(n)
	if err != nil {
		return false, err
	}
	b, err := json.Marshal(other)
	return string(a) == string(b), err
}

// ends are what an edge connects.
func (e *Edge) ends() [4]string {
	return [4]string{e.SourceNodeID, e.SourcePortID, e.TargetNodeID, e.TargetPortID}
}
