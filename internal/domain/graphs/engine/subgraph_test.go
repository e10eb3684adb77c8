package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// below has the graph "leaf" executed for each value that comes.
var below = engine.NodeType{
	Type: graph.Type{ID: "below", Inputs: in, Outputs: out},
	SubGraph: func(c *engine.Call) (engine.SubGraph, error) {
		inputs := []json.RawMessage{json.RawMessage(`1`), json.RawMessage(`2`), json.RawMessage(`3`)}
		return engine.SubGraph{GraphID: "leaf", Inputs: inputs, Parallel: 2, Result: func(all []map[string]json.RawMessage) (engine.Outputs, error) {
			return engine.Outputs{"done": true, "value": len(all)}, nil
		}}, nil
	},
}

func (w *world) saves(id, nodes string) {
	w.Helper()
	g := record.AgentGraph{UserID: "alice", Name: id}
	for n := range strings.SplitSeq(nodes, ",") {
		node, kind, _ := strings.Cut(n, " ")
		g.Nodes = append(g.Nodes, graph.Node{ID: node, NodeID: kind})
	}
	if err := w.Update(w.Context(), func(tx store.Tx) error {
		_, err := tx.Put(nestor.Path("users/alice/agent-graphs/"+id), g, store.AnyVersion)
		return err
	}); err != nil {
		w.Fatal(err)
	}
}

// children are the executions below the one of the test.
func (w *world) children() (all []record.AgentGraphExecution) {
	w.Helper()
	if err := w.View(w.Context(), func(r store.Reader) error {
		all = nil
		page, err := r.Query(store.Query{Collection: "users/alice/agent-graph-executions", Where: store.Where("parentExecutionId", store.Eq, "x")})
		for _, d := range page.Items {
			x, err := nestor.As[record.AgentGraphExecution](d)
			if err != nil {
				return err
			}
			all = append(all, x)
		}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return all
}

func TestExecutionsBelowAreBegunInTurnAndCountOnce(t *testing.T) {
	each(t, []engine.NodeType{begin, work, below}, func(t *testing.T, w *world) {
		w.saves("leaf", "s begin")
		w.starts("s begin,b below,after work", "s>b,b>after")
		w.commits(w.resolves(1, 1))
		w.commits(w.resolves(2, 1))
		w.commits(w.resolves(2, 2)) // begins none: two run
		ended := map[string]bool{}
		for round, want := range []int{2, 3, 3} {
			children := w.children()
			if len(children) != want {
				t.Fatalf("round %d: there are %d executions", round, len(children))
			}
			for _, child := range children {
				if ended[child.ID] {
					continue
				}
				at := nestor.Path("users/alice/agent-graph-executions/" + child.ID)
				effect, err := w.Resolve(t.Context(), &nestor.Job{ID: "j", Attempt: 1, Change: nestor.Change{Path: record.ResolutionAt(at, 1)}})
				if err != nil {
					t.Fatal(err)
				}
				w.commits(effect)
				for range 2 { // the second counts for nothing
					effect, err = w.SubGraphEnded(t.Context(), &nestor.Job{ID: "e", Change: nestor.Change{Path: at}})
					if err != nil {
						t.Fatal(err)
					}
					w.commits(effect)
				}
				ended[child.ID] = true
				break
			}
		}
		if _, all := w.state(); len(all) != 3 || all[1].Status != record.ResolutionCompleted || string(all[2].Inputs["value"]) != "3" {
			t.Errorf("the resolutions are %+v", all)
		}
	})
}

// Who pauses an execution pauses those below, and none is begun until it is resumed.
func TestExecutionsBelowArePausedAndResumed(t *testing.T) {
	each(t, []engine.NodeType{begin, work, below}, func(t *testing.T, w *world) {
		w.saves("leaf", "s begin")
		w.starts("s begin,b below", "s>b")
		w.commits(w.resolves(1, 1))
		w.commits(w.resolves(2, 1))
		statuses := func() (all []record.ExecutionStatus) {
			for _, child := range w.children() {
				all = append(all, child.Status)
			}
			slices.Sort(all)
			return all
		}
		steers := func(how func(store.Tx, nestor.Path) error) {
			if err := w.Update(t.Context(), func(tx store.Tx) error { return how(tx, execution) }); err != nil {
				t.Fatal(err)
			}
		}
		first := nestor.Path("users/alice/agent-graph-executions/" + w.children()[0].ID)
		late, err := w.Resolve(t.Context(), &nestor.Job{ID: "j", Attempt: 1, Change: nestor.Change{Path: record.ResolutionAt(first, 1)}})
		if err != nil {
			t.Fatal(err)
		}
		steers(w.Pause)
		if got := statuses(); !slices.Equal(got, []record.ExecutionStatus{record.ExecutionPaused, record.ExecutionPaused}) {
			t.Fatalf("below are %v", got)
		}
		w.commits(late) // the turn that had begun goes on, and was the last one
		ended, err := w.SubGraphEnded(t.Context(), &nestor.Job{ID: "e", Change: nestor.Change{Path: first}})
		if err != nil {
			t.Fatal(err)
		}
		w.commits(ended)
		if got := statuses(); !slices.Equal(got, []record.ExecutionStatus{record.ExecutionCompleted, record.ExecutionPaused}) {
			t.Fatalf("below are %v", got)
		}
		steers(w.Resume)
		w.commits(w.resolves(2, 1))
		if got := statuses(); !slices.Equal(got, []record.ExecutionStatus{record.ExecutionCompleted, record.ExecutionRunning, record.ExecutionRunning}) {
			t.Fatalf("below are %v", got)
		}
	})
}

func TestExecutionsBelowAreBounded(t *testing.T) {
	each(t, []engine.NodeType{begin, work, below}, func(t *testing.T, w *world) {
		w.saves("leaf", "s begin")
		w.starts("s begin,b below", "s>b")
		w.commits(w.resolves(1, 1))
		if err := w.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Patch(record.ProgressOf(execution), map[string]any{"below": engine.MaxBelow - 1}, store.AnyVersion)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		w.commits(w.resolves(2, 1))
		x, _ := w.state()
		if x.Status != record.ExecutionFailed || x.Error.Code != "too_large" || x.Error.NodeID != "b" || !strings.Contains(x.Error.Message, "more than 1000 executions") {
			t.Errorf("it ended as %s, %+v", x.Status, x.Error)
		}
		effect, err := w.SubGraphUnwanted(t.Context(), job(2, 1))
		if err != nil {
			t.Fatal(err)
		}
		w.commits(effect)
		if all := w.children(); len(all) != 1 || all[0].Status != record.ExecutionCancelled {
			t.Errorf("what was begun is %+v", all)
		}
	})
}
