package plan

// slack is by how much sums of efforts may be wrong.
const slack = 1e-9

// schedule gives each open task a wave, wave by wave: what is ready comes in its order, pinned
// tasks first and not before their waves, as long as the capacity lasts.
func (d *draft) schedule(a *arrangement) []int32 {
	rank := make([]int32, len(d.tasks))
	for i, n := range d.order {
		rank[n] = int32(i)
	}
	ready := &line{before: func(x, y int32) bool {
		if px, py := d.pins[x] > 0, d.pins[y] > 0; px != py {
			return px
		}
		return rank[x] < rank[y]
	}}
	held := &line{before: func(x, y int32) bool { return d.pins[x] < d.pins[y] }}

	a.restart()
	waves, open := make([]int32, len(d.tasks)), a.open
	var fresh []int32 // ready since the last wave
	for _, n := range d.order {
		if open[n] == 0 {
			fresh = append(fresh, n)
		}
	}
	for w := int32(1); len(fresh)+len(ready.items)+len(held.items) > 0; w++ {
		for _, n := range fresh {
			held.push(n)
		}
		until := w
		if len(ready.items) == 0 {
			// No wave is empty: the next pinned tasks come up.
			until = max(w, d.pins[held.first()])
		}
		for len(held.items) > 0 && d.pins[held.first()] <= until {
			ready.push(held.pop())
		}
		wave := d.fill(ready)
		fresh = fresh[:0]
		if until > w {
			// Those that came up and found no room are held again.
			fresh, ready.items = append(fresh, ready.items...), nil
		}
		for _, n := range wave {
			waves[n] = w
			for i := a.start[n]; i < a.start[n+1]; i++ {
				if a.out[a.edge[i]] {
					continue
				}
				next := a.to[i]
				if open[next]--; open[next] == 0 {
					fresh = append(fresh, next)
				}
			}
		}
	}
	return waves
}

// fill takes tasks from ready until the next one does not fit.
func (d *draft) fill(ready *line) (wave []int32) {
	most, hours := d.limits.DailyCapacityHours, 0.0
	if most <= 0 {
		wave, ready.items = ready.items, nil
		return wave
	}
	for len(ready.items) > 0 {
		effort := d.tasks[ready.first()].EffortHours
		if len(wave) > 0 && hours+effort > most+slack {
			break
		}
		hours += effort
		wave = append(wave, ready.pop())
	}
	return wave
}
