package graph_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

// A worker node has two data inputs, and puts out data and one of two signals.
var types = func() *graph.Catalogue {
	out := []graph.Port{{ID: "data", Type: graph.String}, {ID: "left", Type: graph.Signal}, {ID: "right", Type: graph.Signal}}
	c, err := graph.NewCatalogue(
		graph.Type{ID: "constant", Static: true, Outputs: out[:1]},
		graph.Type{ID: "start", Start: true, Outputs: out},
		graph.Type{ID: "work", Inputs: []graph.Port{{ID: "go", Type: graph.Signal}, {ID: "a", Type: graph.String}, {ID: "b", Type: graph.String}}, Outputs: out},
	)
	if err != nil {
		panic(err)
	}
	return c
}()

// work is what a node does: what it puts out follows from what it has.
func work(node string, inputs map[string]string) (data string, ports []string) {
	h := fnv.New64a()
	fmt.Fprint(h, node, "|", inputs["a"], "|", inputs["b"])
	sum := h.Sum64()
	ports = []string{"data"}
	if sum%5 != 0 { // a few go on nowhere
		ports = append(ports, []string{"left", "right"}[sum/5%2])
	}
	return fmt.Sprintf("%x", sum), ports
}

// turns is what each node was given and gave, turn by turn.
type turns map[string][]string

// naive runs a graph one turn after the other.
func naive(g *graph.Graph) (turns, bool) {
	all, latched := turns{}, map[string]map[string]string{}
	var queue []string
	deliver := func(node, data string, ports []string) {
		for _, signals := range []bool{false, true} {
			for _, e := range g.Edges {
				switch {
				case e.SourceNodeID != node || !slices.Contains(ports, e.SourcePortID) || (e.TargetPortID == "go") != signals:
				case !signals:
					if latched[e.TargetNodeID] == nil {
						latched[e.TargetNodeID] = map[string]string{}
					}
					latched[e.TargetNodeID][e.TargetPortID] = data
				case !slices.Contains(queue, e.TargetNodeID):
					queue = append(queue, e.TargetNodeID)
				}
			}
		}
	}
	for _, n := range g.Nodes {
		if n.NodeID == "constant" {
			deliver(n.ID, "constant "+n.ID, []string{"data"})
		}
	}
	for _, n := range g.Nodes {
		if n.NodeID == "start" {
			queue = append(queue, n.ID)
		}
	}
	for done := 0; len(queue) > 0; done++ {
		if done+len(queue) > g.Limit() {
			return nil, false
		}
		node := queue[0]
		queue = queue[1:]
		data, ports := work(node, latched[node])
		all[node] = append(all[node], fmt.Sprint(latched[node], data))
		deliver(node, data, ports)
	}
	return all, true
}

// parallel runs a graph with all turns that may be had at once, which end in any
// order.
func parallel(t *rapid.T, g *graph.Graph) (turns, bool) {
	s, all, values := graph.NewSchedule(types, g), turns{}, map[graph.Ref]string{}
	n := 0
	st, err := s.Begin(func(node *graph.Node) []string {
		n++
		values[graph.Ref{Resolution: n, Port: "data"}] = "constant " + node.ID
		return []string{"data"}
	})
	if err != nil {
		return nil, false
	}
	running := s.Next(st)
	for len(running) > 0 {
		i := rapid.IntRange(0, len(running)-1).Draw(t, "ends")
		turn := running[i]
		running = slices.Delete(running, i, i+1)
		inputs := map[string]string{}
		for port, ref := range turn.Inputs {
			inputs[port] = values[ref]
		}
		data, ports := work(turn.Node, inputs)
		values[graph.Ref{Resolution: turn.Number, Port: "data"}] = data
		all[turn.Node] = append(all[turn.Node], fmt.Sprint(inputs, data))
		if err := s.Done(st, turn.Number, ports); err != nil {
			return nil, false
		}
		running = append(running, s.Next(st)...)
	}
	if len(st.Queue) > 0 {
		t.Fatalf("nothing runs, and these are left: %v", st.Queue)
	}
	return all, true
}

func TestNodesInParallelGiveWhatOneAfterTheOtherGives(t *testing.T) {
	check := func(t *rapid.T) {
		g := &graph.Graph{MaxResolutions: 40}
		for i := range rapid.IntRange(2, 9).Draw(t, "nodes") {
			kind := "work"
			if i < 2 {
				kind = []string{"start", "constant"}[i]
			} else if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				kind = rapid.SampledFrom([]string{"start", "constant"}).Draw(t, "other")
			}
			g.Nodes = append(g.Nodes, graph.Node{ID: fmt.Sprint("n", i), NodeID: kind})
		}
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			from := rapid.SampledFrom(g.Nodes).Draw(t, "from")
			to := rapid.SampledFrom(g.Nodes).Draw(t, "to")
			e := graph.Edge{SourceNodeID: from.ID, TargetNodeID: to.ID, SourcePortID: "data", TargetPortID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "input")}
			if from.NodeID != "constant" && rapid.Bool().Draw(t, "signal") {
				e.SourcePortID, e.TargetPortID = rapid.SampledFrom([]string{"left", "right"}).Draw(t, "output"), "go"
			}
			if to.NodeID == "work" && !slices.Contains(g.Edges, e) {
				g.Edges = append(g.Edges, e)
			}
		}
		if report := types.Validate(g); len(report.Errors) > 0 {
			t.Fatalf("the test made a bad graph: %v", report.Errors)
		}
		want, ended := naive(g)
		got, also := parallel(t, g)
		if ended != also {
			t.Fatalf("one after the other it ends: %v, in parallel: %v", ended, also)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in parallel\n%v\none after the other\n%v", got, want)
		}
	}
	for range 50 { // few graphs are such that the order counts
		rapid.Check(t, check)
	}
}

func TestIndependentChainsDoNotWaitForEachOther(t *testing.T) {
	edge := func(from, to string) graph.Edge {
		return graph.Edge{SourceNodeID: from, SourcePortID: "left", TargetNodeID: to, TargetPortID: "go"}
	}
	g := &graph.Graph{
		Nodes: []graph.Node{{ID: "slow", NodeID: "start"}, {ID: "a", NodeID: "start"}, {ID: "b", NodeID: "work"}, {ID: "c", NodeID: "work"}, {ID: "after", NodeID: "work"}},
		Edges: []graph.Edge{edge("a", "b"), edge("b", "c"), edge("slow", "after")},
	}
	s := graph.NewSchedule(types, g)
	st, err := s.Begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	begins := func() (names []string) {
		for _, turn := range s.Next(st) {
			numbers[turn.Node] = turn.Number
			names = append(names, turn.Node)
		}
		return names
	}
	for _, step := range []struct {
		ends string
		want []string
	}{{"", []string{"slow", "a"}}, {"a", []string{"b"}}, {"b", []string{"c"}}, {"c", nil}, {"slow", []string{"after"}}} {
		if step.ends != "" {
			if err := s.Done(st, numbers[step.ends], []string{"left"}); err != nil {
				t.Fatal(err)
			}
		}
		if got := begins(); !slices.Equal(got, step.want) {
			t.Fatalf("after %q begin %v, not %v", step.ends, got, step.want)
		}
	}
}

func TestACycleEndsAtTheBound(t *testing.T) {
	g := &graph.Graph{
		Nodes: []graph.Node{{ID: "s", NodeID: "start"}, {ID: "w", NodeID: "work"}}, MaxResolutions: 7,
		Edges: []graph.Edge{{SourceNodeID: "s", SourcePortID: "left", TargetNodeID: "w", TargetPortID: "go"}, {SourceNodeID: "w", SourcePortID: "left", TargetNodeID: "w", TargetPortID: "go"}},
	}
	s := graph.NewSchedule(types, g)
	st, err := s.Begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		next := s.Next(st)
		if len(next) != 1 {
			t.Fatalf("%d nodes begin", len(next))
		}
		if err = s.Done(st, next[0].Number, []string{"left"}); err != nil {
			if n != 7 {
				t.Errorf("it ended after %d resolutions", n)
			}
			break
		}
	}
}
