package plan

import "slices"

// breakCycles leaves edges out until there is no circle. It walks through the tasks that have no place
// yet, and when it meets a task of its path again, that is a circle: the least sure edge of it is left out.
// If that edge is on the path, the walk goes back to before it. What is behind is walked through again
// later, but each task goes on with the arc it was at, so only arcs that were on the path
// are looked at again.
func (a *arrangement) breakCycles() {
	const finished = -1
	var (
		at    = slices.Clone(a.start)  // by task: the arc to look at next
		state = make([]int32, a.len()) // by task: its place on the path from 1, 0 or finished
		path  = make([]step, 0, a.len())
	)
	for _, t := range a.placed {
		state[t] = finished
	}
	for root := range int32(a.len()) {
		if state[root] == finished {
			continue
		}
		path = append(path, step{task: root, by: none})
		state[root] = 1
		for len(path) > 0 {
			t := path[len(path)-1].task
			if at[t] == a.start[t+1] {
				state[t] = finished
				path = path[:len(path)-1]
				if len(path) > 0 {
					at[path[len(path)-1].task]++
				}
				continue
			}
			next, by := a.to[at[t]], a.edge[at[t]]
			switch place := state[next]; {
			case a.out[by] || place == finished:
				at[t]++
			case place == 0:
				path = append(path, step{next, by, a.weakest(path, by)})
				state[next] = int32(len(path))
			default:
				cut := a.weakestFrom(path, int(place), by)
				if cut == len(path) {
					a.leave(by)
					at[t]++
					break
				}
				a.leave(path[cut].by)
				for _, s := range path[cut:] {
					state[s.task] = 0
				}
				path = path[:cut]
			}
		}
	}
}

// step is a task on the path of a walk.
type step struct {
	task int32
	by   int32 // the edge that led to it, or none
	// weakest is the least sure edge of this step and those before it in its block.
	weakest int32
}

const (
	none  = -1
	block = 64 // steps, so that a long path is looked through block by block
)

// weakest is the weakest of the step that comes after path.
func (a *arrangement) weakest(path []step, by int32) int32 {
	i := len(path)
	if i == 1 || i%block == 0 || weaker(a.edges, by, path[i-1].weakest) {
		return by
	}
	return path[i-1].weakest
}

// weakestFrom finds the least sure edge on the path from place on, or its length if
// the edge that closes the circle is less sure.
func (a *arrangement) weakestFrom(path []step, place int, closing int32) int {
	weakest, cut := closing, len(path)
	for i := place; i < len(path); {
		if i%block == 0 && i+block <= len(path) {
			if w := path[i+block-1].weakest; weaker(a.edges, w, weakest) {
				weakest, cut = w, i
			}
			i += block
			continue
		}
		if weaker(a.edges, path[i].by, weakest) {
			weakest, cut = path[i].by, i
		}
		i++
	}
	for cut < len(path) && path[cut].by != weakest {
		cut++
	}
	return cut
}

// weaker reports whether edge x is less sure than edge y.
func weaker(edges []Edge, x, y int32) bool {
	cx, cy := edges[x].Confidence, edges[y].Confidence
	return cx < cy || cx == cy && x > y
}
