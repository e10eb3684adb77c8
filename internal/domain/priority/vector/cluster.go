package vector

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Edge says how similar two points are. Points are numbers from 0.
type Edge struct {
	A, B       int
	Similarity float64
}

// Group is points that belong together, in ascending order.
type Group struct {
	Points []int
	// AverageSimilarity is that of all pairs in the group.
	AverageSimilarity float64
}

// Cluster groups n points by average linkage: as long as there are two groups whose points are on
// average at least as similar as threshold, which is above 0, the two most similar become one. Of equally similar ones
// those with the lowest points are first. A pair without an edge has similarity 0, so with an edge for each
// pair this is exact. Of several edges for a pair the highest counts; those that lead nowhere do not.
//
// Groups come largest first, then by their first point. Ungrouped are the points that are alone.
func Cluster(n int, edges []Edge, threshold float64) (groups []Group, ungrouped []int) {
	l := newLinkage(n, edges, threshold)
	for len(l.pairs) > 0 {
		l.step()
	}
	for i := range l.groups {
		g := &l.groups[i]
		switch size := len(g.points); {
		case size == 1:
			ungrouped = append(ungrouped, i)
		case size > 1:
			slices.Sort(g.points)
			groups = append(groups, Group{g.points, g.inside / float64(size*(size-1)/2)})
		}
	}
	slices.SortFunc(groups, func(x, y Group) int {
		return cmp.Or(cmp.Compare(len(y.Points), len(x.Points)), cmp.Compare(x.Points[0], y.Points[0]))
	})
	return groups, ungrouped
}

// linkage is the work of Cluster. For each two groups of enough average similarity, pairs has an entry with that or
// a higher one: when two groups become one, the averages with groups that only one of
// them had edges with sink, and those entries are corrected when they come up.
type linkage struct {
	threshold float64
	groups    []cluster
	pairs     pairs
}

type cluster struct {
	points []int // nil: it is part of another
	first  int   // the lowest point
	inside float64
	// sums has the other groups that it has edges with, and the sum of their similarities.
	sums map[int]float64
}

func newLinkage(n int, edges []Edge, threshold float64) *linkage {
	l := &linkage{threshold: threshold, groups: make([]cluster, n)}
	for i := range l.groups {
		l.groups[i] = cluster{points: []int{i}, first: i, sums: map[int]float64{}}
	}
	for _, e := range edges {
		if e.A == e.B || min(e.A, e.B) < 0 || max(e.A, e.B) >= n || math.IsNaN(e.Similarity) {
			continue
		}
		if s, twice := l.groups[e.A].sums[e.B]; !twice || e.Similarity > s {
			l.groups[e.A].sums[e.B], l.groups[e.B].sums[e.A] = e.Similarity, e.Similarity
		}
	}
	for a := range l.groups {
		for b := range l.groups[a].sums {
			if a < b {
				l.offer(a, b)
			}
		}
	}
	return l
}

func (l *linkage) average(a, b int) float64 {
	return l.groups[a].sums[b] / float64(len(l.groups[a].points)*len(l.groups[b].points))
}

// offer puts two groups in line if they are similar enough.
func (l *linkage) offer(a, b int) {
	if avg := l.average(a, b); avg >= l.threshold {
		low, high := l.groups[a].first, l.groups[b].first
		heap.Push(&l.pairs, pair{avg, min(low, high), max(low, high), a, b})
	}
}

// step makes the first pair one group.
func (l *linkage) step() {
	p := heap.Pop(&l.pairs).(pair)
	if l.groups[p.a].points == nil || l.groups[p.b].points == nil {
		return
	}
	if l.average(p.a, p.b) != p.average {
		l.offer(p.a, p.b)
		return
	}
	if len(l.groups[p.a].sums) < len(l.groups[p.b].sums) {
		p.a, p.b = p.b, p.a
	}
	into, from := &l.groups[p.a], &l.groups[p.b]
	into.inside += from.inside + into.sums[p.b]
	into.first = min(into.first, from.first)
	into.points = append(into.points, from.points...)
	delete(into.sums, p.b)
	delete(from.sums, p.a)
	for other, sum := range from.sums {
		into.sums[other] += sum
		delete(l.groups[other].sums, p.b)
		l.groups[other].sums[p.a] = into.sums[other]
		l.offer(p.a, other)
	}
	*from = cluster{}
}

// pair is two groups, as similar as they were when it was put in line.
type pair struct {
	average   float64
	low, high int // their lowest points
	a, b      int
}

// pairs is a heap, the most similar pair first.
type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	if x, y := p[i].average, p[j].average; x != y {
		return x > y
	}
	return cmp.Or(cmp.Compare(p[i].low, p[j].low), cmp.Compare(p[i].high, p[j].high)) < 0
}

func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
