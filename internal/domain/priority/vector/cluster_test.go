package vector_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

func TestClusterGroupsWhatIsSimilar(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         int
		edges     []vector.Edge
		groups    []vector.Group
		ungrouped []int
	}{
		{name: "no points"},
		{name: "no edges", n: 2, ungrouped: []int{0, 1}},
		{"a pair at the threshold", 3, []vector.Edge{{0, 2, 0.75}}, []vector.Group{{[]int{0, 2}, 0.75}}, []int{1}},
		{"a pair below it", 2, []vector.Edge{{0, 1, 0.74}}, nil, []int{0, 1}},
		{"largest first", 5, []vector.Edge{{0, 1, 1}, {2, 3, 0.75}, {3, 4, 0.75}, {2, 4, 0.75}}, []vector.Group{{[]int{2, 3, 4}, 0.75}, {[]int{0, 1}, 1}}, nil},
		// 0 and 1 are one first; 2 is similar to 1 only, 0.5 on average.
		{"not by one link", 3, []vector.Edge{{0, 1, 1}, {1, 2, 1}}, []vector.Group{{[]int{0, 1}, 1}}, []int{2}},
		{"by the average", 3, []vector.Edge{{0, 1, 1}, {1, 2, 1}, {0, 2, 0.5}}, []vector.Group{{[]int{0, 1, 2}, 2.5 / 3}}, nil},
		{"edges that lead nowhere", 2, []vector.Edge{{0, 0, 1}, {0, 2, 1}, {-1, 1, 1}, {0, 1, math.NaN()}}, nil, []int{0, 1}},
		{"the highest of several edges", 2, []vector.Edge{{0, 1, 0.1}, {1, 0, 0.9}, {0, 1, 0.2}}, []vector.Group{{[]int{0, 1}, 0.9}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups, ungrouped := vector.Cluster(c.n, c.edges, 0.75)
			if !reflect.DeepEqual(groups, c.groups) || !reflect.DeepEqual(ungrouped, c.ungrouped) {
				t.Errorf("%v and %v", groups, ungrouped)
			}
		})
	}
}

// naiveCluster compares all groups with all others, point by point, for each step.
func naiveCluster(n int, edges []vector.Edge, threshold float64) (groups []vector.Group, ungrouped []int) {
	similar := make([][]float64, n)
	for i := range similar {
		similar[i] = make([]float64, n)
	}
	for _, e := range edges {
		similar[e.A][e.B] = max(similar[e.A][e.B], e.Similarity)
		similar[e.B][e.A] = similar[e.A][e.B]
	}
	average := func(x, y []int) float64 {
		sum := 0.0
		for _, a := range x {
			for _, b := range y {
				sum += similar[a][b]
			}
		}
		return sum / float64(len(x)*len(y))
	}
	var parts [][]int // each sorted, and all by their first point
	for i := range n {
		parts = append(parts, []int{i})
	}
	for {
		best, x, y := -1.0, 0, 0
		for i := range parts {
			for j := i + 1; j < len(parts); j++ {
				if avg := average(parts[i], parts[j]); avg > best {
					best, x, y = avg, i, j
				}
			}
		}
		if best < threshold {
			break
		}
		parts[x] = slices.Sorted(slices.Values(slices.Concat(parts[x], parts[y])))
		parts = slices.Delete(parts, y, y+1)
	}
	for _, p := range parts {
		if len(p) == 1 {
			ungrouped = append(ungrouped, p[0])
			continue
		}
		sum := 0.0
		for i, a := range p {
			for _, b := range p[:i] {
				sum += similar[a][b]
			}
		}
		groups = append(groups, vector.Group{Points: p, AverageSimilarity: sum / float64(len(p)*(len(p)-1)/2)})
	}
	slices.SortStableFunc(groups, func(x, y vector.Group) int { return cmp.Compare(len(y.Points), len(x.Points)) })
	return groups, ungrouped
}

// Sums of 64ths are exact in any order, so ties are the same for both.
func TestClusterIsAverageLinkage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "points")
		point := rapid.IntRange(0, n-1)
		// Few different values make many ties.
		similarity := rapid.SampledFrom([]float64{0.125, 0.5, 0.75, 0.875, 1})
		if rapid.Bool().Draw(t, "many values") {
			similarity = rapid.Map(rapid.IntRange(0, 64), func(i int) float64 { return float64(i) / 64 })
		}
		var edges []vector.Edge
		if rapid.Bool().Draw(t, "all pairs") {
			for a := range n {
				for b := range a {
					edges = append(edges, vector.Edge{A: a, B: b, Similarity: similarity.Draw(t, "similarity")})
				}
			}
		} else {
			for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
				if a, b := point.Draw(t, "a"), point.Draw(t, "b"); a != b {
					edges = append(edges, vector.Edge{A: a, B: b, Similarity: similarity.Draw(t, "similarity")})
				}
			}
		}
		threshold := float64(rapid.IntRange(1, 64).Draw(t, "threshold")) / 64
		groups, ungrouped := vector.Cluster(n, edges, threshold)
		wantGroups, wantUngrouped := naiveCluster(n, edges, threshold)
		if !reflect.DeepEqual(groups, wantGroups) || !reflect.DeepEqual(ungrouped, wantUngrouped) {
			t.Fatalf("%v and %v, not %v and %v", groups, ungrouped, wantGroups, wantUngrouped)
		}
	})
}
