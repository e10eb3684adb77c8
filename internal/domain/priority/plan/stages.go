package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// stages divide tasks by when they can be begun: first those that are possible now, then
// those of each later day, last those that the model forgot. A wave has tasks of one stage, and
// those of a stage come when all of the stages before are through. A pinned task belongs to none:
// it goes where the person put it, whatever the day.
type stages struct {
	of []int32 // by task
	// from is the day of each stage, "" for now, in ascending order.
	from []string
	left []int32 // how many tasks of each stage have no wave yet
	next int32   // the first stage with such tasks
}

// behind is the stage of what the model forgot. It is greater than all days.
const behind = "~"

func (s *stages) several() bool { return len(s.from) > 1 }

// stages finds the stage of each task: that of its own day, or the latest one of what it
// depends on. A task that was forgotten is not behind those that wait for it.
func (d *draft) stages(a *arrangement) *stages {
	byWave := slices.Clone(d.order)
	slices.SortStableFunc(byWave, func(x, y int32) int { return cmp.Compare(a.waves[x], a.waves[y]) })
	needed := make([]bool, len(d.tasks)) // by one that is not behind
	for _, n := range slices.Backward(byWave) {
		needed[n] = !d.last[n] || d.pins[n] > 0
		a.each(n, func(later int32) { needed[n] = needed[n] || needed[later] })
	}
	day := make([]string, len(d.tasks))
	for _, n := range byWave {
		if d.pins[n] == 0 {
			if own := d.tasks[n].NotBefore; own > d.limits.Today {
				day[n] = max(day[n], own)
			}
			if !needed[n] {
				day[n] = behind
			}
		}
		a.each(n, func(later int32) { day[later] = max(day[later], day[n]) })
	}
	s := &stages{of: make([]int32, len(d.tasks))}
	for _, n := range d.order {
		s.from = append(s.from, day[n])
	}
	slices.Sort(s.from)
	s.from = slices.Compact(s.from)
	s.left = make([]int32, len(s.from))
	for _, n := range d.order {
		at, _ := slices.BinarySearch(s.from, day[n])
		s.of[n] = int32(at)
		if d.pins[n] == 0 {
			s.left[at]++
		}
	}
	return s
}

// each calls fn with the tasks that depend on one.
func (a *arrangement) each(n int32, fn func(later int32)) {
	for i := a.start[n]; i < a.start[n+1]; i++ {
		if !a.anyOut || !a.out[a.edge[i]] {
			fn(a.to[i])
		}
	}
}

// dueDates are the days by which tasks have to be done: their own, or the earliest of those that
// wait for them. "" is none.
func (d *draft) dueDates(a *arrangement) []string {
	due := make([]string, len(d.tasks))
	byWave := slices.Clone(d.order)
	slices.SortStableFunc(byWave, func(x, y int32) int { return cmp.Compare(a.waves[y], a.waves[x]) })
	for _, n := range byWave {
		due[n] = d.tasks[n].DueDate
		a.each(n, func(later int32) { due[n] = earlier(due[n], due[later]) })
	}
	return due
}

// earlier is the earlier of two days, of which each may be none.
func earlier(x, y string) string {
	if x == "" || y != "" && y < x {
		return y
	}
	return x
}

// soonDays is how far ahead a day is near.
const soonDays = 7

// soon is the last day that is near, "" if it is not known what day it is.
func (l Limits) soon() string {
	t, err := time.Parse(record.Day, l.Today)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, soonDays).Format(record.Day)
}

// sortByDue puts what is due soon first, in the order of the days. Of the others those that are
// due stand as they are due, in the places that they have together. What was forgotten stays last.
func (d *draft) sortByDue(due []string) {
	soon := d.limits.soon()
	isSoon := func(n int32) bool { return due[n] != "" && due[n] <= soon && !d.last[n] }
	slices.SortStableFunc(d.order, func(x, y int32) int {
		switch sx, sy := isSoon(x), isSoon(y); {
		case sx && sy:
			return cmp.Compare(due[x], due[y])
		case sx:
			return -1
		case sy:
			return 1
		}
		return 0
	})
	var dated []int32
	for _, n := range d.order {
		if due[n] != "" && !isSoon(n) && !d.last[n] {
			dated = append(dated, n)
		}
	}
	slices.SortStableFunc(dated, func(x, y int32) int { return cmp.Compare(due[x], due[y]) })
	for i, n := range d.order {
		if due[n] != "" && !isSoon(n) && !d.last[n] {
			d.order[i], dated = dated[0], dated[1:]
		}
	}
}

// tellOfDays tells of forgotten tasks, of what is not possible yet, and of days that cannot
// be kept.
func (d *draft) tellOfDays(a *arrangement, s *stages, told *notices) {
	for n, t := range d.tasks {
		if d.last[n] {
			told.add(map[bool]kind{true: forgotten, false: forgottenKept}[s.from[s.of[n]] == behind], told.name(t.ID))
		}
	}
	for _, n := range d.order {
		t, from := d.tasks[n], s.from[s.of[n]]
		if s.from[0] == "" && t.NotBefore != "" && t.NotBefore == from {
			told.add(notYet, told.name(t.ID)+" (not before "+DayInWords(from)+")")
		}
		if t.DueDate == "" {
			continue
		}
		switch {
		case t.NotBefore > t.DueDate:
			told.add(inItself, told.name(t.ID)+" is due on "+DayInWords(t.DueDate)+", but not possible before "+DayInWords(t.NotBefore)+".")
		case from != behind && from > t.DueDate:
			told.add(inItself, told.name(t.ID)+" is due on "+DayInWords(t.DueDate)+", but waits for something that is not possible before "+DayInWords(from)+".")
		}
	}
	for _, n := range d.order {
		a.each(n, func(later int32) {
			t, waits := d.tasks[n], d.tasks[later]
			if waits.DueDate != "" && t.DueDate > waits.DueDate {
				told.add(inItself, told.name(waits.ID)+" is due on "+DayInWords(waits.DueDate)+", but waits for "+told.name(t.ID)+", which is due on "+DayInWords(t.DueDate)+".")
			}
		})
	}
}
