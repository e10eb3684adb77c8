package graphs

import (
	"cmp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Why an execution cannot be run again, for programs.
const reasonDoesNotFit = "DOES_NOT_FIT"

// The graphs in which an execution can be run again.
const (
	recordedGraph = "recorded"
	currentGraph  = "current"
)

// rerunRequest runs an execution again.
type rerunRequest struct {
	// From is the node from which on. Defaults to the one that failed.
	From string `json:"from,omitempty"`
	// Graph is recorded, the graph as the execution ran it, or current, as it is saved
	// now. Defaults to recorded.
	Graph string `json:"graph,omitempty"`
}

// rerun begins an execution that goes on from a node of one that has ended.
func (g *Graphs) rerun(r *httpapi.Request) (any, error) {
	var said rerunRequest
	if r.ContentLength != 0 {
		if err := r.Decode(&said); err != nil {
			return nil, err
		}
	}
	planned, err := g.planRerun(r, said)
	if err != nil {
		return nil, err
	}
	at := record.ExecutionAt(r.UserID(), nestor.NewID())
	if err := r.Act(at, func(tx store.Tx) error { return g.engine.StartRerun(tx, at, planned) }); err != nil {
		return nil, err
	}
	return get(r, at, showExecution)
}

func (g *Graphs) planRerun(r *httpapi.Request, said rerunRequest) (planned *engine.Rerun, err error) {
	if err := r.MayAct(executionAt(r)); err != nil {
		return nil, err
	}
	d, err := r.Get(executionAt(r))
	if err != nil {
		return nil, err
	}
	x, err := nestor.As[record.AgentGraphExecution](d)
	if err != nil {
		return nil, err
	}
	if !x.Status.Ended() {
		return nil, nestor.Errorf(nestor.CodeConflict, "the execution is %s: it can be run again when it has ended", x.Status).With("status", x.Status)
	}
	if said.From == "" && x.Error != nil {
		said.From = x.Error.NodeID
	}
	if said.From == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "no node of the execution failed: say from which one on it is run again").With("field", "from")
	}
	drawn := x.Drawn()
	switch cmp.Or(said.Graph, recordedGraph) {
	case recordedGraph:
	case currentGraph:
		if drawn, err = currentOf(r, x.AgentGraphID); err != nil {
			return nil, err
		}
	default:
		return nil, nestor.Errorf(nestor.CodeInvalid, "the graph is %s or %s, not %q", recordedGraph, currentGraph, said.Graph).With("field", "graph")
	}
	if err := g.mayRun(r, &drawn); err != nil {
		return nil, err
	}
	var problems []graph.Problem
	err = r.View(func(docs store.Reader) (err error) {
		// Node types may have changed since.
		if err := g.valid(docs, record.Of(r.UserID()).Child("agent-graphs", x.AgentGraphID), &drawn); err != nil {
			return err
		}
		planned, problems, err = g.engine.PlanRerun(docs, &x, said.From, drawn)
		return err
	})
	if err == nil && len(problems) > 0 {
		err = httpapi.Because(reasonDoesNotFit, nestor.Errorf(nestor.CodeInvalid, "the graph does not fit what was recorded: %s", problems[0].Message)).With("problems", problems)
	}
	return planned, err
}

// currentOf is a graph as it is saved now.
func currentOf(r *httpapi.Request, id string) (graph.Graph, error) {
	at := record.Of(r.UserID()).Child("agent-graphs", id)
	if err := r.MayAct(at); err != nil {
		return graph.Graph{}, err
	}
	d, err := r.Get(at)
	if err != nil {
		return graph.Graph{}, err
	}
	saved, err := nestor.As[record.AgentGraph](d)
	return saved.Drawn(), err
}
