package plan

// Edge says that Source depends on Target. Tasks are numbers from 0 here.
type Edge struct {
	Source, Target int32
	Confidence     float64
}

// Arrange finds the edges that have to be left out so that there is an order, and
// the earliest wave of each of n tasks, from 1. Of two edges with the same confidence the
// first one is surer. No edge leads from a task to itself. Broken has indexes of edges, in ascending order.
func Arrange(n int, edges []Edge) (waves []int32, broken []int32) {
	g := after(n, edges, nil)
	broken = breakCycles(g, edges)
	if len(broken) > 0 {
		g = after(n, edges, broken)
	}
	return g.waves(), broken
}

// arcs are the neighbours of each task: those of t are to[start[t]:start[t+1]], and
// edge has the index of the edge of each.
type arcs struct {
	start, to, edge []int32
}

// after leads from each task to those that depend on it. The edges in without, which are in
// ascending order, are left out.
func after(n int, edges []Edge, without []int32) arcs {
	return index(n, edges, without, func(e *Edge) (int32, int32) { return e.Target, e.Source })
}

// before leads from each task to those that it depends on.
func before(n int, edges []Edge) arcs {
	return index(n, edges, nil, func(e *Edge) (int32, int32) { return e.Source, e.Target })
}

func index(n int, edges []Edge, without []int32, ends func(*Edge) (from, to int32)) arcs {
	a := arcs{start: make([]int32, n+2), to: make([]int32, len(edges)), edge: make([]int32, len(edges))}
	// start is shifted by one while arcs are placed, so that it ends up right.
	each(edges, without, func(i int32) {
		from, _ := ends(&edges[i])
		a.start[from+2]++
	})
	for t := range n {
		a.start[t+2] += a.start[t+1]
	}
	each(edges, without, func(i int32) {
		from, to := ends(&edges[i])
		at := a.start[from+1]
		a.to[at], a.edge[at] = to, i
		a.start[from+1]++
	})
	a.start = a.start[:n+1]
	return a
}

func each(edges []Edge, without []int32, do func(i int32)) {
	for i := range edges {
		if len(without) > 0 && without[0] == int32(i) {
			without = without[1:]
			continue
		}
		do(int32(i))
	}
}

func (a arcs) len() int { return len(a.start) - 1 }

// open counts for each task on how many it waits.
func (a arcs) open() []int32 {
	open := make([]int32, a.len())
	for _, t := range a.to[:a.start[a.len()]] {
		open[t]++
	}
	return open
}

// waves gives each task the wave after the last one it depends on. There must be no circle.
func (a arcs) waves() []int32 {
	waves, open := make([]int32, a.len()), a.open()
	queue := make([]int32, 0, a.len())
	for t, waits := range open {
		if waits == 0 {
			waves[t] = 1
			queue = append(queue, int32(t))
		}
	}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		for _, next := range a.to[a.start[t]:a.start[t+1]] {
			// The last one that it waits for has the latest wave, as the queue is wave by wave.
			if open[next]--; open[next] == 0 {
				waves[next] = waves[t] + 1
				queue = append(queue, next)
			}
		}
	}
	return waves
}
