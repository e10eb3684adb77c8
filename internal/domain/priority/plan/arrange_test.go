package plan_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/priority/plan"
)

// anyEdges draws dependencies between n tasks, often in circles, often equally sure.
func anyEdges(t *rapid.T, n int) []plan.Edge {
	task := rapid.Int32Range(0, int32(n-1))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plan.Edge {
		source := task.Draw(t, "source")
		target := rapid.Int32Range(0, int32(n-2)).Draw(t, "target")
		if target >= source {
			target++
		}
		return plan.Edge{Source: source, Target: target, Confidence: float64(rapid.IntRange(0, 4).Draw(t, "confidence")) / 4}
	}), 0, 4*n).Draw(t, "edges")
}

// leads reports whether from depends on to, through edges that count.
func leads(edges []plan.Edge, from, to int32, counts func(int) bool) bool {
	met := map[int32]bool{from: true}
	for grew := true; grew && !met[to]; {
		grew = false
		for i, e := range edges {
			if counts(i) && met[e.Source] && !met[e.Target] {
				met[e.Target], grew = true, true
			}
		}
	}
	return met[to]
}

// naiveWaves moves each task behind those it depends on until all stand right.
func naiveWaves(n int, edges []plan.Edge) []int32 {
	waves := make([]int32, n)
	for i := range waves {
		waves[i] = 1
	}
	for range n {
		for _, e := range edges {
			waves[e.Source] = max(waves[e.Source], waves[e.Target]+1)
		}
	}
	return waves
}

// What is left out is right: without it there is no circle, each edge of it was the least sure one of a
// circle, and each would close one again.
func TestCirclesAreOpenedAtTheirWeakestEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "tasks")
		edges := anyEdges(t, n)
		waves, broken := plan.Arrange(n, edges)
		if !slices.IsSorted(broken) {
			t.Fatalf("%v is not in order", broken)
		}
		out := make([]bool, len(edges))
		for _, i := range broken {
			out[i] = true
		}
		var kept []plan.Edge
		for i, e := range edges {
			if !out[i] {
				kept = append(kept, e)
			}
		}
		if want := naiveWaves(n, kept); !slices.Equal(waves, want) {
			t.Fatalf("waves are %v, not %v; left out are %v", waves, want, broken)
		}
		for _, e := range kept {
			if waves[e.Target] >= waves[e.Source] {
				t.Fatalf("%v is in a circle; left out are %v", e, broken)
			}
		}
		for _, i := range broken {
			e := edges[i]
			if !leads(edges, e.Target, e.Source, func(j int) bool {
				return edges[j].Confidence > e.Confidence || edges[j].Confidence == e.Confidence && j <= int(i)
			}) {
				t.Fatalf("%d %v was the weakest of no circle", i, e)
			}
			if !leads(edges, e.Target, e.Source, func(j int) bool { return !out[j] }) {
				t.Fatalf("%d %v need not be left out", i, e)
			}
		}
	})
}

// A circle of any length loses its weakest edge, and nothing else, also when it is longer than what the walk
// looks through at once.
func TestOneLongCircleLosesItsWeakestEdge(t *testing.T) {
	for _, n := range []int{2, 3, 63, 64, 65, 66, 127, 128, 129, 130, 1000} {
		for _, weakest := range []int{0, 1, 62, 63, 64, 65, 127, 128, n - 2, n - 1} {
			if weakest < 0 || weakest >= n {
				continue
			}
			edges := make([]plan.Edge, n)
			for i := range edges {
				edges[i] = plan.Edge{Source: int32((i + 1) % n), Target: int32(i), Confidence: 0.9}
			}
			edges[weakest].Confidence = 0.1
			if waves, broken := plan.Arrange(n, edges); !slices.Equal(broken, []int32{int32(weakest)}) || slices.Max(waves) != int32(n) {
				t.Fatalf("of %d, %d is the weakest, left out are %v", n, weakest, broken)
			}
		}
	}
}

// The shortcuts for huge plans leave an order, too.
func TestAHugeTangleHasAnOrder(t *testing.T) {
	const n = 3000
	var edges []plan.Edge
	for i := range int32(10 * n) {
		source, target := i%n, (i*7919+i/n*31+1)%n
		if source != target {
			edges = append(edges, plan.Edge{Source: source, Target: target, Confidence: float64(i%97) / 96})
		}
	}
	waves, broken := plan.Arrange(n, edges)
	if len(broken) == 0 || len(broken) > len(edges)/2 {
		t.Fatalf("%d of %d are left out", len(broken), len(edges))
	}
	for i, e := range edges {
		if _, out := slices.BinarySearch(broken, int32(i)); !out && waves[e.Target] >= waves[e.Source] {
			t.Fatalf("%v leads from wave %d to %d", e, waves[e.Source], waves[e.Target])
		}
	}
}

// An edge of the path that is not in the circle does not count, however weak it is.
func TestACircleIsOpenedWithinIt(t *testing.T) {
	const n, enter, weakest = 200, 70, 100
	edges := []plan.Edge{{Source: enter, Target: n - 2, Confidence: 0.9}, {Source: 0, Target: n - 1, Confidence: 0.8}}
	for i := range int32(n - 1) {
		edges = append(edges, plan.Edge{Source: i + 1, Target: i, Confidence: 0.9})
	}
	edges[2].Confidence, edges[2+weakest].Confidence = 0.01, 0.5
	if _, broken := plan.Arrange(n, edges); !slices.Equal(broken, []int32{2 + weakest}) {
		t.Fatalf("left out are %v", broken)
	}
}
