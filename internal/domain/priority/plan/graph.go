package plan

import "slices"

// Edge says that Source depends on Target. Tasks are numbers from 0 here.
type Edge struct {
	Source, Target int32
	Confidence     float64
}

// Arrange finds the edges to leave out so that there is an order, and the earliest wave of each of n
// tasks, from 1. Each edge that is left out is the least sure one of a circle; of two with the same
// confidence the later one is less sure. Broken has indexes of edges, in ascending order.
func Arrange(n int, edges []Edge) (waves, broken []int32) {
	a := newArrangement(n, edges, make([]bool, len(edges)))
	broken = a.arrange(patience)
	return a.waves, broken
}

// patience is how many arcs are looked at to find that an edge need not be left out. So it is
// found out in plans of usual size, and the time for huge ones stays in proportion.
const patience = 10_000

// arrangement is edges of which some are left out, and waves that follow from the others.
type arrangement struct {
	arcs
	edges  []Edge
	out    []bool // by edge: it is left out
	anyOut bool
	waves  []int32 // by task
	open   []int32 // by task: on how many it waits
	placed []int32 // the tasks that wait no more
	next   int     // the first of placed whose arcs were not followed
}

func newArrangement(n int, edges []Edge, out []bool) *arrangement {
	a := &arrangement{
		edges: edges, out: out, anyOut: slices.Contains(out, true),
		waves: make([]int32, n), open: make([]int32, n), placed: make([]int32, 0, n),
		arcs: arcs{start: make([]int32, n+2), to: make([]int32, len(edges)), edge: make([]int32, len(edges))},
	}
	// start is shifted by one task while arcs are placed, so that it ends up right.
	for i := range edges {
		a.start[edges[i].Target+2]++
		if !out[i] {
			a.open[edges[i].Source]++
		}
	}
	for t := range n {
		a.start[t+2] += a.start[t+1]
	}
	for i := range edges {
		at := &a.start[edges[i].Target+1]
		a.to[*at], a.edge[*at] = edges[i].Source, int32(i)
		*at++
	}
	a.start = a.start[:n+1]
	a.begin()
	return a
}

// arrange places all tasks, and returns the edges that are left out for it.
func (a *arrangement) arrange(budget int) (broken []int32) {
	a.advance()
	if len(a.placed) < a.len() {
		a.breakCycles()
		a.advance()
	}
	if !a.anyOut {
		return nil
	}
	return a.restore(budget)
}

// restart forgets the waves.
func (a *arrangement) restart() {
	clear(a.open)
	for i := range a.edges {
		if !a.out[i] {
			a.open[a.edges[i].Source]++
		}
	}
	a.begin()
}

// begin places the tasks that wait for none.
func (a *arrangement) begin() {
	a.placed, a.next = a.placed[:0], 0
	for t, waits := range a.open {
		a.waves[t] = 1
		if waits == 0 {
			a.placed = append(a.placed, int32(t))
		}
	}
}

// advance gives each task the wave after the last one it depends on, as far as no circle is in
// the way.
func (a *arrangement) advance() {
	for ; a.next < len(a.placed); a.next++ {
		t := a.placed[a.next]
		later := a.waves[t] + 1
		for i := a.start[t]; i < a.start[t+1]; i++ {
			if a.anyOut && a.out[a.edge[i]] {
				continue
			}
			next := a.to[i]
			a.waves[next] = max(a.waves[next], later)
			if a.open[next]--; a.open[next] == 0 {
				a.placed = append(a.placed, next)
			}
		}
	}
}

// leave leaves an edge out that holds its source up.
func (a *arrangement) leave(edge int32) {
	a.out[edge], a.anyOut = true, true
	source := a.edges[edge].Source
	if a.open[source]--; a.open[source] == 0 {
		a.placed = append(a.placed, source)
	}
}

// restore takes edges in again, the surest first, that close no circle: another one that was left out
// has opened it too. It stops when it has looked at as many arcs as budget says. It returns the
// edges that stay out.
func (a *arrangement) restore(budget int) (broken []int32) {
	for i, out := range a.out {
		if out {
			broken = append(broken, int32(i))
		}
	}
	slices.SortFunc(broken, func(x, y int32) int {
		if weaker(a.edges, x, y) {
			return 1
		}
		return -1
	})
	s := search{arrangement: a, met: make([]int32, a.len()), budget: budget}
	for _, i := range broken {
		e := a.edges[i]
		switch {
		case a.waves[e.Target] < a.waves[e.Source]:
			a.out[i] = false
		case s.budget > 0 && !s.leads(e.Source, e.Target) && s.budget > 0:
			a.out[i] = false
			s.raise(e.Source, a.waves[e.Target]+1)
		}
	}
	broken = slices.DeleteFunc(broken, func(i int32) bool { return !a.out[i] })
	slices.Sort(broken)
	return broken
}

// search finds out whether a task leads to another.
type search struct {
	*arrangement
	met    []int32 // by task: the last search that met it
	number int32
	queue  []int32
	budget int // how many arcs may still be looked at
}

// leads reports whether what depends on from, and so on, is to. The answer is of no use if
// the budget ran out.
func (s *search) leads(from, to int32) bool {
	s.number++
	s.queue = append(s.queue[:0], from)
	for len(s.queue) > 0 && s.budget > 0 {
		t := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		for i := s.start[t]; i < s.start[t+1]; i++ {
			s.budget--
			next := s.to[i]
			if s.out[s.edge[i]] || s.met[next] == s.number || s.waves[next] > s.waves[to] {
				continue
			}
			if next == to {
				return true
			}
			s.met[next] = s.number
			s.queue = append(s.queue, next)
		}
	}
	return false
}

// raise puts a task in a later wave, and what depends on it behind it.
func (s *search) raise(task, wave int32) {
	s.waves[task] = wave
	s.queue = append(s.queue[:0], task)
	for i := 0; i < len(s.queue); i++ {
		t := s.queue[i]
		for at := s.start[t]; at < s.start[t+1]; at++ {
			s.budget--
			if next := s.to[at]; s.waves[next] <= s.waves[t] && !s.out[s.edge[at]] {
				s.waves[next] = s.waves[t] + 1
				s.queue = append(s.queue, next)
			}
		}
	}
}

// arcs lead from each task to those that depend on it: those of t are to[start[t]:start[t+1]], and
// edge has the index of the edge of each.
type arcs struct {
	start, to, edge []int32
}

func (a arcs) len() int { return len(a.start) - 1 }
