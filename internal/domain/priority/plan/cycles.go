package plan

import "slices"

// breakCycles finds the edges to leave out: from the surest to the least sure, each one
// that closes a circle with surer ones that are not left out.
//
// It starts with an order of all tasks in which few edges lead backwards, and looks at those only, the
// surest first. Such an edge either closes a circle and is left out, or the
// tasks between its ends change places so that it leads forwards. Then weaker edges may lead
// backwards instead, and are looked at later. So at any time
// all surer edges that remain lead forwards, and in the end all do.
func breakCycles(g arcs, edges []Edge) []int32 {
	group, place, backward := components(g)
	if len(backward) == 0 {
		return nil
	}
	b := &breaker{
		edges: edges, after: g, before: before(g.len(), edges), group: group, place: place,
		waiting: make([]bool, len(edges)), out: make([]bool, len(edges)), seen: make([]int32, g.len()),
	}
	b.todo.before = b.surer
	for _, e := range backward {
		b.waiting[e] = true
		b.todo.push(e)
	}
	var broken []int32
	for len(b.todo.items) > 0 {
		e := b.todo.pop()
		b.waiting[e] = false
		if b.leadsForwards(e) {
			continue
		}
		if !b.turn(e) {
			b.out[e] = true
			broken = append(broken, e)
		}
	}
	slices.Sort(broken)
	return broken
}

// breaker is the work of breakCycles.
type breaker struct {
	edges         []Edge
	after, before arcs
	group         []int32 // by task; circles are within one group
	place         []int32 // by task; its place in the order
	todo          line    // the edges that may lead backwards, the surest first
	waiting       []bool  // by edge: it is in todo
	out           []bool  // by edge: it is left out

	seen       []int32 // by task: the last search that met it
	search     int32
	late, soon []int32 // tasks that a search met: behind and before the edge
	places     []int32
}

func (b *breaker) leadsForwards(e int32) bool {
	return b.place[b.edges[e].Target] < b.place[b.edges[e].Source]
}

// surer reports whether edge x counts before edge y.
func (b *breaker) surer(x, y int32) bool {
	cx, cy := b.edges[x].Confidence, b.edges[y].Confidence
	return cx > cy || cx == cy && x < y
}

// turn makes an edge lead forwards. It returns false if that cannot be: the edge closes
// a circle with surer ones.
func (b *breaker) turn(e int32) bool {
	first, last := b.edges[e].Source, b.edges[e].Target // by place, which is wrong
	b.late = b.meet(b.late[:0], e, first, b.after, func(t int32) bool { return b.place[t] <= b.place[last] })
	if b.seen[last] == b.search {
		return false
	}
	b.soon = b.meet(b.soon[:0], e, last, b.before, func(t int32) bool { return b.place[t] >= b.place[first] })

	// The tasks that were met share their places anew: what leads to the target
	// first, then what follows the source, each in the order that it had.
	byPlace := func(x, y int32) int { return int(b.place[x] - b.place[y]) }
	slices.SortFunc(b.late, byPlace)
	slices.SortFunc(b.soon, byPlace)
	moved := append(b.soon, b.late...)
	b.places = b.places[:0]
	for _, t := range moved {
		b.places = append(b.places, b.place[t])
	}
	slices.Sort(b.places)
	for i, t := range moved {
		b.place[t] = b.places[i]
	}
	for _, t := range moved {
		b.await(e, b.after.edge[b.after.start[t]:b.after.start[t+1]])
		b.await(e, b.before.edge[b.before.start[t]:b.before.start[t+1]])
	}
	b.soon = moved
	return true
}

// meet collects the tasks that surer edges than e lead to from one task, as far as within
// says.
func (b *breaker) meet(met []int32, e, from int32, along arcs, within func(int32) bool) []int32 {
	b.search++
	b.seen[from] = b.search
	met = append(met, from)
	for i := 0; i < len(met); i++ {
		t := met[i]
		for at := along.start[t]; at < along.start[t+1]; at++ {
			next, by := along.to[at], along.edge[at]
			if b.seen[next] != b.search && b.group[next] == b.group[from] && within(next) && !b.out[by] && b.surer(by, e) {
				b.seen[next] = b.search
				met = append(met, next)
			}
		}
	}
	return met
}

// await puts those edges in line that are weaker than e and lead backwards.
func (b *breaker) await(e int32, edges []int32) {
	for _, weak := range edges {
		if !b.waiting[weak] && !b.out[weak] && weak != e && b.surer(e, weak) && !b.leadsForwards(weak) {
			b.waiting[weak] = true
			b.todo.push(weak)
		}
	}
}

// components gives each task the number of its group, in which every task leads to every other
// (Tarjan's algorithm), and a place in an order. Backward are the edges that lead backwards in
// that order; each is within a group.
func components(g arcs) (group, place, backward []int32) {
	n := g.len()
	group, place = make([]int32, n), make([]int32, n)
	met, low, at := make([]int32, n), make([]int32, n), make([]int32, n)
	const complete = 1 << 30 // low of a task whose group is complete
	var path, stack []int32
	count, groups, free := int32(0), int32(0), int32(n)
	for root := range int32(n) {
		if met[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			t := path[len(path)-1]
			if met[t] == 0 {
				count++
				met[t], low[t], at[t] = count, count, g.start[t]
				stack = append(stack, t)
			}
			deeper := false
			for ; at[t] < g.start[t+1]; at[t]++ {
				next := g.to[at[t]]
				if met[next] == 0 {
					path = append(path, next)
					deeper = true
					break
				}
				low[t] = min(low[t], low[next])
			}
			if deeper {
				continue
			}
			path = path[:len(path)-1]
			free--
			place[t] = free
			if low[t] == met[t] {
				for {
					last := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					group[last], low[last] = groups, complete
					if last == t {
						break
					}
				}
				groups++
			}
		}
	}
	if int(groups) == n {
		return group, place, nil
	}
	for t := range int32(n) {
		for i := g.start[t]; i < g.start[t+1]; i++ {
			if place[g.to[i]] <= place[t] {
				backward = append(backward, g.edge[i])
			}
		}
	}
	return group, place, backward
}
