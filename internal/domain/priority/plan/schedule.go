package plan

// slack is by how much sums of efforts may be wrong.
const slack = 1e-9

// schedule gives each open task a wave, wave by wave: what is ready comes in its order, pinned
// tasks first and not before their waves, stage by stage, as long as the capacity lasts.
func (d *draft) schedule(a *arrangement, s *stages) []int32 {
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
	d.ready = make([]int32, len(d.tasks))
	var fresh []int32                     // ready since the last wave
	ahead := make([][]int32, len(s.from)) // ready but for their stages
	arrives := func(n int32) {
		if d.pins[n] > 0 || s.of[n] <= s.next {
			fresh = append(fresh, n)
		} else {
			ahead[s.of[n]] = append(ahead[s.of[n]], n)
		}
	}
	begins := func() {
		for int(s.next) < len(s.left)-1 && s.left[s.next] == 0 {
			s.next++
			fresh = append(fresh, ahead[s.next]...)
		}
	}
	for _, n := range d.order {
		if open[n] == 0 {
			arrives(n)
		}
	}
	begins()
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
			n := held.pop()
			if ready.push(n); d.ready[n] == 0 {
				d.ready[n] = w
			}
		}
		wave := d.fill(ready)
		fresh = fresh[:0]
		if until > w {
			// Those that came up and found no room are held again.
			fresh, ready.items = append(fresh, ready.items...), nil
		}
		for _, n := range wave {
			waves[n] = w
			if d.pins[n] == 0 {
				s.left[s.of[n]]--
			}
			a.each(n, func(next int32) {
				if open[next]--; open[next] == 0 {
					arrives(next)
				}
			})
		}
		begins()
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
