package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// A random node puts out a number that follows from its id and what came to it. It goes on
// at one of two signals, or fails, as the number says. A random sub-graph has another
// random graph executed for two values.

var randomOut = []graph.Port{{ID: "left", Type: graph.Signal}, {ID: "right", Type: graph.Signal}, {ID: "value", Type: graph.JSON}}

var randomTypes = []engine.NodeType{
	{Type: graph.Type{ID: "start", Start: true, Outputs: randomOut}, Run: randomRun},
	{Type: graph.Type{ID: "work", Inputs: in, Outputs: randomOut}, Run: randomRun},
	{Type: graph.Type{ID: "result", Inputs: in, Outputs: randomOut}, Result: true, Run: func(context.Context, *engine.Call) (engine.Outputs, error) {
		return engine.Outputs{"left": true}, nil
	}},
	{Type: graph.Type{ID: "sub", Inputs: in, Outputs: randomOut}, SubGraph: func(c *engine.Call) (engine.SubGraph, error) {
		value := string(c.Inputs["value"])
		return engine.SubGraph{GraphID: "inner", Inputs: randomInputs(value), Parallel: 2, Result: func(all []map[string]json.RawMessage) (engine.Outputs, error) {
			return engine.Outputs{"left": true, "value": fmt.Sprint(all)}, nil
		}}, nil
	}},
}

func randomInputs(value string) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(fmt.Sprintf("%q", value+"a")), json.RawMessage(fmt.Sprintf("%q", value+"b"))}
}

func randomRun(_ context.Context, c *engine.Call) (engine.Outputs, error) {
	value, ports, failed := randomWork(c.Node.ID, string(c.Input), string(c.Inputs["value"]))
	if failed {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s", value)
	}
	out := engine.Outputs{"value": value}
	for _, p := range ports {
		out[p] = true
	}
	return out, nil
}

// randomWork is what a node does.
func randomWork(node, input, value string) (out string, ports []string, failed bool) {
	h := fnv.New64a()
	fmt.Fprint(h, node, "|", input, "|", value)
	sum := h.Sum64()
	switch out = fmt.Sprintf("%x", sum%1000); {
	case sum%7 == 0:
		return out, nil, true
	case sum%11 == 0:
		return out, nil, false
	}
	return out, []string{[]string{"left", "right"}[sum/5%2]}, false
}

// outcome is what an execution comes to: how it ended, what it put out, and how many turns
// each node had.
type outcome struct {
	status string
	output string
	turns  string
}

// naive executes a graph one turn after the other.
func naive(g, inner *graph.Graph, input string) outcome {
	latched, turns, output := map[string]string{}, map[string]int{}, map[string]json.RawMessage{}
	var queue []string
	for _, n := range g.Nodes {
		if n.NodeID == "start" {
			queue = append(queue, n.ID)
		}
	}
	ended := func(status string) outcome {
		text, _ := json.Marshal(output)
		return outcome{status, string(text), fmt.Sprint(turns)}
	}
	for queued := len(queue); len(queue) > 0; {
		n := g.Nodes[slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.ID == queue[0] })]
		queue = queue[1:]
		turns[n.ID]++
		out, failed := map[string]string{}, false
		switch n.NodeID {
		case "result":
			output[n.ID], out["left"] = json.RawMessage(or(latched[n.ID], "null")), ""
		case "sub":
			var all []map[string]json.RawMessage
			for _, input := range randomInputs(latched[n.ID]) {
				below := naive(inner, nil, string(input))
				failed = failed || below.status != "completed"
				var one map[string]json.RawMessage
				_ = json.Unmarshal([]byte(below.output), &one)
				all = append(all, one)
			}
			if !failed {
				text, _ := json.Marshal(fmt.Sprint(all))
				out["left"], out["value"] = "", string(text)
			}
		default:
			var value string
			var ports []string
			if value, ports, failed = randomWork(n.ID, input, latched[n.ID]); !failed {
				out["value"] = fmt.Sprintf("%q", value)
				for _, p := range ports {
					out[p] = ""
				}
			}
		}
		if failed {
			if !slices.ContainsFunc(g.Edges, func(e graph.Edge) bool { return e.SourceNodeID == n.ID && e.SourcePortID == graph.OnError }) {
				return ended("failed")
			}
			out = map[string]string{graph.OnError: ""}
		}
		for _, signals := range []bool{false, true} {
			for _, e := range g.Edges {
				value, came := out[e.SourcePortID]
				switch {
				case e.SourceNodeID != n.ID || !came || (e.TargetPortID == "run") != signals:
				case !signals:
					latched[e.TargetNodeID] = value
				case !slices.Contains(queue, e.TargetNodeID):
					if queued++; queued > g.Limit() {
						return ended("failed")
					}
					queue = append(queue, e.TargetNodeID)
				}
			}
		}
	}
	return ended("completed")
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// drawRandom is a graph with cycles, branches, and ways for errors.
func drawRandom(t *rapid.T, name string, kinds []string) *graph.Graph {
	g := &graph.Graph{MaxResolutions: 12, Nodes: []graph.Node{{ID: name + "0", NodeID: "start"}, {ID: name + "1", NodeID: "result"}}}
	for i := range rapid.IntRange(1, 4).Draw(t, name+" nodes") {
		g.Nodes = append(g.Nodes, graph.Node{ID: fmt.Sprint(name, i+2), NodeID: rapid.SampledFrom(kinds).Draw(t, "kind")})
	}
	for _, port := range []string{"left", "right"} {
		g.Edges = append(g.Edges, graph.Edge{SourceNodeID: name + "0", SourcePortID: port, TargetNodeID: rapid.SampledFrom(g.Nodes[2:]).Draw(t, "first").ID, TargetPortID: "run"})
	}
	seen := map[graph.Edge]bool{g.Edges[0]: true, g.Edges[1]: true}
	for range rapid.IntRange(4, 16).Draw(t, name+" edges") {
		source := rapid.SampledFrom(g.Nodes).Draw(t, "source")
		e := graph.Edge{
			SourceNodeID: source.ID, SourcePortID: rapid.SampledFrom([]string{"left", "right", "left", "right", "value", "value", graph.OnError}).Draw(t, "out"),
			TargetNodeID: rapid.SampledFrom(g.Nodes[1:]).Draw(t, "target").ID, TargetPortID: "run", // the first node is the only start
		}
		if e.SourcePortID == "value" {
			e.TargetPortID = "value"
		}
		if !seen[e] {
			seen[e] = true
			g.Edges = append(g.Edges, e)
		}
	}
	return g
}

// plays runs the jobs of an execution and of those below it, in an order that t draws,
// until none is left.
func (w *world) plays(t *rapid.T, at nestor.Path) {
	executions, told := []nestor.Path{at}, map[nestor.Path]bool{at: true}
	for {
		type job struct {
			path nestor.Path
			run  func(context.Context, *nestor.Job) (effect func(store.Tx) error, err error)
		}
		var jobs []job
		if err := w.View(w.Context(), func(r store.Reader) error {
			jobs = nil
			for _, x := range executions {
				page, err := r.Query(store.Query{Collection: string(x) + "/resolutions", Where: store.Where("status", store.Eq, "running")})
				if err != nil {
					return err
				}
				for _, d := range page.Items {
					n, err := nestor.As[record.Resolution](d)
					if err != nil {
						return err
					}
					if n.Below == nil {
						jobs = append(jobs, job{d.Path, func(ctx context.Context, j *nestor.Job) (func(store.Tx) error, error) { return w.Resolve(ctx, j) }})
					}
				}
				found, err := store.Find[record.AgentGraphExecution](r, x)
				if err != nil {
					return err
				}
				if found.Status.Ended() && !told[x] {
					jobs = append(jobs, job{x, func(ctx context.Context, j *nestor.Job) (func(store.Tx) error, error) { return w.SubGraphEnded(ctx, j) }})
				}
			}
			return nil
		}); err != nil {
			w.Fatal(err)
		}
		if len(jobs) == 0 {
			return
		}
		next := rapid.SampledFrom(jobs).Draw(t, "next")
		if record.Executions.Has(next.path) {
			told[next.path] = true
		}
		effect, err := next.run(w.Context(), &nestor.Job{ID: "j", Attempt: 1, Change: nestor.Change{Path: next.path}})
		if err != nil {
			w.Fatal(err)
		}
		if effect != nil {
			if err := w.Update(w.Context(), effect); err != nil {
				w.Fatal(err)
			}
		}
		executions = w.family(at)
	}
}

// family is an execution and those below it.
func (w *world) family(at nestor.Path) []nestor.Path {
	all := []nestor.Path{at}
	if err := w.View(w.Context(), func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: "users/alice/agent-graph-executions", Limit: 1000, Where: store.Where("parentExecutionId", store.Eq, at.ID())})
		for _, d := range page.Items {
			all = append(all, d.Path)
		}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return all
}

func TestRandomGraphsEndAsANaiveInterpreterSays(t *testing.T) {
	// Each has a hundred transactions. Over many runs of the tests there are enough.
	if err := flag.Set("rapid.checks", "40"); err != nil {
		t.Fatal(err)
	}
	each(t, randomTypes, func(t *testing.T, w *world) {
		n, seen := 0, map[string]int{}
		rapid.Check(t, func(t *rapid.T) {
			n++
			inner := drawRandom(t, "i", []string{"work"})
			outer := drawRandom(t, "o", []string{"work", "work", "sub", "result"})
			at := nestor.Path(fmt.Sprintf("users/alice/agent-graph-executions/x%d", n))
			want := naive(outer, inner, `"in"`)
			if err := w.Update(w.Context(), func(tx store.Tx) error {
				_, err := tx.Put("users/alice/agent-graphs/inner", record.AgentGraph{UserID: "alice", Name: "inner", Graph: *inner}, store.AnyVersion)
				return errors.Join(err, w.Start(tx, at, &record.AgentGraph{Name: "g", Graph: *outer}, json.RawMessage(`"in"`)))
			}); err != nil {
				t.Fatal(err)
			}
			w.plays(t, at)
			if got := w.outcome(at); got.status != want.status || want.status == "completed" && got != want {
				t.Errorf("it ended as %+v, not as %+v", got, want)
			}
			seen[want.status]++
			if want.status == "completed" && want.output != "{}" {
				seen["output"]++
			}
			if len(w.family(at)) > 1 {
				seen["below"]++
			}
		})
		t.Logf("of %d graphs: %v", n, seen)
		if seen["output"] == 0 || seen["failed"] == 0 || seen["below"] == 0 {
			t.Error("this tested little")
		}
	})
}

func (w *world) outcome(at nestor.Path) (o outcome) {
	if err := w.View(w.Context(), func(r store.Reader) error {
		x, err := store.Find[record.AgentGraphExecution](r, at)
		if err != nil {
			return err
		}
		output := x.Output
		if output == nil {
			output = map[string]json.RawMessage{}
		}
		text, err := json.Marshal(output)
		if err != nil {
			return err
		}
		turns := map[string]int{}
		page, err := r.Query(store.Query{Collection: string(at) + "/resolutions", Limit: 1000})
		for _, d := range page.Items {
			n, err := nestor.As[record.Resolution](d)
			if err != nil {
				return err
			}
			turns[n.NodeID]++
		}
		o = outcome{string(x.Status), string(text), fmt.Sprint(turns)}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return o
}
