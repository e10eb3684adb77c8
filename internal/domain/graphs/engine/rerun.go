package engine

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// Rerun is how an execution that has ended is run again from a node on. The rest has
// the values that were recorded.
type Rerun struct {
	execution *record.AgentGraphExecution
	from      string
	graph     graph.Graph
	recorded  map[string][]int
}

// The problems of a graph that does not fit what was recorded.
const (
	NoSuchNode      = "no-such-node"
	OtherType       = "recorded-by-another-type"
	NothingRecorded = "nothing-recorded"
)

// PlanRerun finds which recorded values are taken if an execution is run again from a
// node on, in a valid graph, and what of them does not fit the graph.
//
// The last turn of that node, and the turns that nodes had after it to which its outputs
// lead, are had anew. All others have the values that were recorded, turn by turn.
func (e *Engine) PlanRerun(docs store.Reader, of *record.AgentGraphExecution, from string, g graph.Graph) (*Rerun, []graph.Problem, error) {
	p := &Rerun{execution: of, from: from, graph: g, recorded: map[string][]int{}}
	if !slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.ID == from }) {
		return p, []graph.Problem{{NodeID: from, Code: NoSuchNode, Message: "the graph has no node " + from}}, nil
	}
	had, err := e.had(docs, record.ExecutionAt(of.UserID, of.ID))
	if err != nil {
		return nil, nil, err
	}
	last := 0 // turn of the node from which on the execution is run again
	for _, h := range had {
		if h.node == from {
			last = h.number
		}
	}
	schedule := graph.NewSchedule(e.catalogue, &g)
	other := map[string]string{}
	ports := map[string][]string{} // that something came out of, in turns that are taken
	anew := map[string]bool{}
	for _, h := range had {
		i := slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.ID == h.node })
		switch {
		case i < 0 || e.catalogue.Type(g.Nodes[i].NodeID).Static:
			continue
		case h.number >= last && (h.node == from || h.number > last && schedule.Reaches(from, h.node)), !e.taken(of, &g.Nodes[i], h):
			anew[h.node] = true
		case anew[h.node]:
		case g.Nodes[i].NodeID != h.kind:
			other[h.node] = h.kind
		default:
			p.recorded[h.node] = append(p.recorded[h.node], h.number)
			ports[h.node] = append(ports[h.node], h.ports...)
		}
	}
	var problems []graph.Problem
	for _, id := range slices.Sorted(maps.Keys(other)) {
		problems = append(problems, graph.Problem{NodeID: id, Code: OtherType, Message: "the recorded values of " + id + " are those of a node of the type " + other[id]})
	}
	return p, append(problems, e.lacking(p, ports)...), nil
}

// hadTurn is what matters of a turn that was had.
type hadTurn struct {
	number     int
	node, kind string
	status     record.ResolutionStatus
	ports      []string
}

func (e *Engine) had(docs store.Reader, path nestor.Path) (all []hadTurn, err error) {
	err = store.Each(docs, store.Query{Collection: string(path) + "/resolutions", OrderBy: []store.Order{{Field: "id"}}, Limit: 50}, func(_ nestor.Path, r *record.Resolution) {
		all = append(all, hadTurn{r.Number, r.NodeID, r.NodeType, r.Status, slices.Collect(maps.Keys(r.Outputs))})
	})
	slices.SortFunc(all, func(a, b hadTurn) int { return cmp.Compare(a.number, b.number) })
	return all, err
}

// taken reports whether what came of a turn is taken. A node of once that was cancelled
// while it ran is not run again by the way: its turn fails, as interrupted.
func (e *Engine) taken(of *record.AgentGraphExecution, node *graph.Node, h hadTurn) bool {
	switch h.status {
	case record.ResolutionCompleted:
		return true
	case record.ResolutionFailed:
		return slices.ContainsFunc(of.Graph.Edges, func(e graph.Edge) bool { return e.SourceNodeID == h.node && e.SourcePortID == graph.OnError })
	}
	return e.catalogue.Type(node.NodeID).EffectFor(node.Parameters) == tool.Once
}

// lacking finds required inputs of the first node to run for which nothing is recorded,
// though they are connected with nodes whose values are taken, and with no others.
func (e *Engine) lacking(p *Rerun, ports map[string][]string) (problems []graph.Problem) {
	node := nodeOf(&p.graph, p.from)
	for _, in := range e.catalogue.Type(node.NodeID).Inputs {
		_, given := node.Parameters[in.ID]
		if !in.Required || in.Type == graph.Signal || given {
			continue
		}
		if !slices.ContainsFunc(p.graph.Edges, func(edge graph.Edge) bool {
			return edge.TargetNodeID == node.ID && edge.TargetPortID == in.ID &&
				(len(p.recorded[edge.SourceNodeID]) == 0 || slices.Contains(ports[edge.SourceNodeID], edge.SourcePortID))
		}) {
			problems = append(problems, graph.Problem{NodeID: node.ID, Code: NothingRecorded, Message: "nothing is recorded that came out where the input " + in.ID + " of " + node.ID + " is connected"})
		}
	}
	return problems
}

// StartRerun begins the execution that was planned.
func (e *Engine) StartRerun(tx store.Tx, path nestor.Path, p *Rerun) error {
	recorded := map[string][]int{}
	for node, numbers := range p.recorded { // a transaction may be tried twice
		recorded[node] = slices.Clone(numbers)
	}
	return e.start(tx, path, &record.AgentGraphExecution{
		AgentGraphID: p.execution.AgentGraphID, Name: p.execution.Name, Graph: p.graph, Input: p.execution.Input, RerunOf: p.execution.ID, RerunFrom: p.from,
	}, recorded)
}

// recall is what came of the recorded turn whose values a turn has. It fills in the
// inputs.
func (e *Engine) recall(docs store.Reader, t *turn) (map[string]json.RawMessage, *record.Failure, error) {
	old, err := store.Find[record.Resolution](docs, record.ResolutionAt(record.ExecutionAt(t.path.UserID(), t.execution.RerunOf), t.resolution.Recorded))
	switch {
	case err != nil:
		return nil, nil, err
	case old == nil:
		return nil, t.failure(nestor.Errorf(nestor.CodeNotFound, "the recorded values of the node were deleted with the execution that is run again")), nil
	}
	t.resolution.Inputs = old.Inputs
	switch old.Status {
	case record.ResolutionCompleted:
		return old.Outputs, nil, nil
	case record.ResolutionFailed:
		return nil, old.Error, nil
	}
	return nil, t.failure(Interrupted{Err: nestor.Errorf(nestor.CodeCancelled, "it was cancelled while it ran; to have it run, run the execution again from this node")}), nil
}

// finishRecorded is the turn of a node with recorded values that has a job, because its
// step had many.
func (e *Engine) finishRecorded(t *turn) worker.Effect {
	return func(tx store.Tx) error {
		out, failure, err := e.recall(tx, t)
		if err != nil {
			return err
		}
		return e.merge(tx, t, out, failure)
	}
}
