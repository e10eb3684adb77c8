package plan

import (
	"cmp"
	"math"
	"slices"
)

// easierFirst orders the tasks of each wave for somebody with low energy. No task changes its
// wave. What is due soon comes first, as it is due; then what the model is surest of, in three
// bands; and easier tasks come first only among those that are alike in that.
func (d *draft) easierFirst(waves []int32, due []string) {
	soon := d.limits.soon()
	byDue := func(n int32) string {
		if due[n] != "" && due[n] <= soon {
			return due[n]
		}
		return behind
	}
	easier := func(x, y int32) int {
		return cmp.Or(cmp.Compare(byDue(x), byDue(y)), cmp.Compare(band(d.scores[y]), band(d.scores[x])), cmp.Compare(d.effort(x), d.effort(y)))
	}
	members := make([][]int32, slices.Max(waves))
	for _, n := range d.order {
		members[waves[n]-1] = append(members[waves[n]-1], n)
	}
	d.order = d.order[:0]
	for i, wave := range members {
		former := slices.Clone(wave)
		slices.SortStableFunc(wave, easier)
		d.keepFull(wave, former, int32(i+1))
		d.order = append(d.order, wave...)
	}
}

// keepFull keeps earlier waves as full as they are when they are computed again. Of the tasks
// that were ready for one of them, the first did not fit, so it stays the first of these: otherwise
// one behind it, which does fit, would slip in.
func (d *draft) keepFull(wave, former []int32, number int32) {
	if d.limits.DailyCapacityHours <= 0 {
		return
	}
	for earlier := number - 1; earlier > 0; earlier-- {
		ready := func(n int32) bool { return d.ready[n] <= earlier }
		at := slices.IndexFunc(wave, ready)
		if at < 0 {
			return
		}
		first := former[slices.IndexFunc(former, ready)]
		from := slices.Index(wave, first)
		copy(wave[at+1:from+1], wave[at:from])
		wave[at] = first
	}
}

// band is how sure the model is, in three steps.
func band(score float64) int {
	switch {
	case score >= 0.8:
		return 2
	case score >= 0.5:
		return 1
	}
	return 0
}

// effort is how much work a task is. What is not known is more than anything that is.
func (d *draft) effort(n int32) float64 {
	if e := d.tasks[n].EffortHours; e > 0 {
		return e
	}
	return math.Inf(1)
}
