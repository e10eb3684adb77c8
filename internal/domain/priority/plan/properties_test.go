package plan_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// checkPlan sees that what doc.go says holds of a plan.
func checkPlan(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *record.PrioritizedTaskPlan, all []plan.Task, l plan.Limits,
) {
	t.Helper()
	hours, waveOf := map[string]float64{}, map[string]int{}
	for _, task := range all {
		hours[task.ID] = max(task.EffortHours, 0)
	}
	order := slices.Clone(p.Done)
	for i, w := range p.ExecutionWaves {
		if w.WaveNumber != i+1 || len(w.TaskIDs) == 0 || w.ParallelExecution != (len(w.TaskIDs) > 1) {
			t.Fatalf("wave %d is %+v", i+1, w)
		}
		sum, longest := 0.0, 0.0
		for _, id := range w.TaskIDs {
			waveOf[id] = w.WaveNumber
			sum += hours[id]
			longest = max(longest, hours[id])
		}
		if l.DailyCapacityHours > 0 && len(w.TaskIDs) > 1 && sum > l.DailyCapacityHours+1e-6 {
			t.Fatalf("wave %d has %v hours of work", i+1, sum)
		}
		if d := w.EstimatedDurationHours; (d == nil) != (longest == 0) || d != nil && *d != longest {
			t.Fatalf("wave %d takes %v", i+1, d)
		}
		order = append(order, w.TaskIDs...)
	}
	if !slices.Equal(p.OrderedTaskIDs, order) {
		t.Fatalf("the order is %q, but done and waves are %q", p.OrderedTaskIDs, order)
	}
	if ids := slices.Sorted(maps.Keys(p.ConfidenceScores)); !slices.Equal(ids, slices.Sorted(slices.Values(order))) {
		t.Fatalf("scores are of %q, tasks are %q", ids, order)
	}
	for _, id := range order {
		if _, known := hours[id]; !known {
			t.Fatalf("%q is of no task", id)
		}
		if s := p.ConfidenceScores[id]; !(s >= 0 && s <= 1) {
			t.Fatalf("the score of %s is %v", id, s)
		}
	}
	for _, d := range slices.Concat(p.Dependencies, p.BrokenCycles) {
		if !slices.Contains(order, d.SourceTaskID) || !slices.Contains(order, d.TargetTaskID) || !(d.Confidence >= 0 && d.Confidence <= 1) {
			t.Fatalf("the dependency %+v cannot be", d)
		}
	}
	for _, d := range p.Dependencies {
		source, target := waveOf[d.SourceTaskID], waveOf[d.TargetTaskID]
		if d.RelationshipType.Orders() && source != 0 && target != 0 && target >= source {
			t.Fatalf("%+v leads from wave %d to %d", d, source, target)
		}
	}
}

// naiveStage is the day from which a task can be done because of its own day and of what it depends on,
// "" if that is now, and "~" if it was forgotten and only such tasks wait for it.
func naiveStage(p *record.PrioritizedTaskPlan, all []plan.Task, l plan.Limits, id string) string {
	isOpen := func(id string) bool { return !slices.Contains(p.Done, id) }
	var needed func(id string) bool
	needed = func(id string) bool {
		return !slices.Contains(p.PutLast, id) || p.Pinned[id] > 0 || slices.ContainsFunc(p.Dependencies, func(d record.TaskDependency) bool {
			return d.RelationshipType.Orders() && d.TargetTaskID == id && isOpen(d.SourceTaskID) && needed(d.SourceTaskID)
		})
	}
	from := ""
	if p.Pinned[id] == 0 {
		if at := slices.IndexFunc(all, func(t plan.Task) bool { return t.ID == id }); all[at].NotBefore > l.Today {
			from = all[at].NotBefore
		}
		if !needed(id) {
			from = "~"
		}
	}
	for _, d := range p.Dependencies {
		if d.RelationshipType.Orders() && d.SourceTaskID == id && isOpen(d.TargetTaskID) {
			from = max(from, naiveStage(p, all, l, d.TargetTaskID))
		}
	}
	return from
}

// naiveShape makes the waves of a plan from its order, dependencies, days and pins, in the simplest way.
func naiveShape(p *record.PrioritizedTaskPlan, all []plan.Task, l plan.Limits) string {
	stages := map[string]string{}
	for _, id := range p.OrderedTaskIDs {
		if !slices.Contains(p.Done, id) {
			stages[id] = naiveStage(p, all, l, id)
		}
	}
	hours, waveOf := map[string]float64{}, map[string]int{}
	for _, task := range all {
		hours[task.ID] = task.EffortHours
	}
	var left []string
	for _, id := range p.OrderedTaskIDs {
		if !slices.Contains(p.Done, id) {
			left = append(left, id)
		}
	}
	var waves []string
	for w := 1; len(left) > 0; w++ {
		var ready []string
		soonest := math.MaxInt
		for _, id := range left {
			if !slices.ContainsFunc(p.Dependencies, func(d record.TaskDependency) bool {
				return d.RelationshipType.Orders() && d.SourceTaskID == id && slices.Contains(left, d.TargetTaskID)
			}) && (p.Pinned[id] > 0 || !slices.ContainsFunc(left, func(other string) bool { return p.Pinned[other] == 0 && stages[other] < stages[id] })) {
				ready = append(ready, id)
				soonest = min(soonest, p.Pinned[id])
			}
		}
		ready = slices.DeleteFunc(ready, func(id string) bool { return p.Pinned[id] > max(w, soonest) })
		slices.SortStableFunc(ready, func(x, y string) int { return cmp.Compare(min(p.Pinned[y], 1), min(p.Pinned[x], 1)) })
		work := 0.0
		for i, id := range ready {
			work += hours[id]
			if i > 0 && l.DailyCapacityHours > 0 && work > l.DailyCapacityHours+1e-9 {
				break
			}
			waveOf[id] = w
		}
		var wave []string
		for _, id := range left {
			if waveOf[id] == w {
				wave = append(wave, id)
			}
		}
		left = slices.DeleteFunc(left, func(id string) bool { return waveOf[id] == w })
		waves = append(waves, strings.Join(wave, " "))
	}
	return strings.Join(waves, "|")
}

func anyTasks(t *rapid.T) []plan.Task {
	list := tasks("abcdefghijkl"[:rapid.IntRange(1, 12).Draw(t, "tasks")])
	for i := range list {
		list[i].EffortHours = float64(rapid.IntRange(0, 10).Draw(t, "hours")) / 2
		list[i].DueDate, list[i].NotBefore = anyDay.Draw(t, "due"), anyDay.Draw(t, "not before")
	}
	return list
}

// anyDay is mostly none, and around the day of anyLimits.
var anyDay = rapid.SampledFrom([]string{"", "", "", "", "2026-11-01", "2026-11-19", "2026-11-22", "2026-12-24", "2027-01-20"})

func anyLimits(t *rapid.T) plan.Limits {
	return plan.Limits{
		DailyCapacityHours: rapid.SampledFrom([]float64{0, 0, 0.25, 3, 8, 24}).Draw(t, "capacity"),
		LowEnergy:          rapid.Bool().Draw(t, "low energy"),
		Today:              "2026-11-19",
	}
}

var (
	// anID is of a task, mostly.
	anID       = rapid.SampledFrom(strings.Split("abcdefghijklabcdefghijklxy ", ""))
	confidence = rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.5, 0.75, 1, -1, 2, math.NaN(), math.Inf(-1)})
	dependency = rapid.Custom(func(t *rapid.T) record.TaskDependency {
		return record.TaskDependency{
			SourceTaskID: anID.Draw(t, "source"), TargetTaskID: anID.Draw(t, "target"), Confidence: confidence.Draw(t, "confidence"),
			RelationshipType: rapid.SampledFrom([]record.RelationshipType{record.Prerequisite, record.Prerequisite, record.Blocks, record.Related, "needs"}).Draw(t, "type"),
			DetectionMethod:  rapid.SampledFrom([]record.DetectionMethod{record.AIInference, record.StoredRelationship, ""}).Draw(t, "method"),
		}
	})
	// proposal lies in every way.
	proposal = rapid.Custom(func(t *rapid.T) plan.Proposal {
		return plan.Proposal{
			OrderedTaskIDs:   rapid.SliceOfN(anID, 0, 15).Draw(t, "order"),
			ExecutionWaves:   rapid.SliceOfN(rapid.SliceOfN(anID, 0, 5), 0, 3).Draw(t, "waves"),
			Dependencies:     rapid.SliceOfN(dependency, 0, 30).Draw(t, "dependencies"),
			ConfidenceScores: rapid.MapOfN(anID, confidence, 0, 12).Draw(t, "scores"),
			SynthesisSummary: rapid.SampledFrom([]string{"", "Because."}).Draw(t, "summary"),
		}
	})
)

// anyPlan verifies what a model made up, or the plain order if that is of no use.
func anyPlan(t *rapid.T) (*record.PrioritizedTaskPlan, []plan.Task, plan.Limits) {
	all, limits := anyTasks(t), anyLimits(t)
	known := rapid.SliceOfN(dependency, 0, 6).Draw(t, "stored")
	for i := range known {
		if known[i].RelationshipType == "needs" {
			known[i].RelationshipType = record.Blocks
		}
	}
	p, _, err := plan.Verify(proposal.Draw(t, "proposal"), all, known, limits)
	if err != nil {
		p, _, err = plan.Verify(plan.Proposal{OrderedTaskIDs: []string{"a"}}, all, known, limits)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p, all, limits
}

// Whatever a model says and people do to the plan, what doc.go says holds, the waves are those of a
// naive planner, and computing them again changes nothing.
func TestPlansHoldWhatTheyPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, all, limits := anyPlan(t)
		if len(p.OrderedTaskIDs) != len(all) {
			t.Fatalf("%q are in the plan", p.OrderedTaskIDs)
		}
		checkComputed(t, p, all, limits)
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			edit := anyEdit(t, p)
			edited, notices, err := plan.Apply(p, edit, all, limits)
			if err != nil {
				t.Fatalf("%+v: %v", edit, err)
			}
			checkComputed(t, edited, all, limits)
			checkPins(t, edited, notices, limits)
			p = edited
			if rapid.IntRange(0, 4).Draw(t, "a task goes") == 0 && len(all) > 1 {
				all = all[1:]
				if p, _, err = plan.Recompute(p, all, limits); err != nil {
					t.Fatalf("%v", err)
				}
				checkComputed(t, p, all, limits)
			}
		}
	})
}

func checkComputed(t *rapid.T, p *record.PrioritizedTaskPlan, all []plan.Task, l plan.Limits) {
	t.Helper()
	checkPlan(t, p, all, l)
	if want := naiveShape(p, all, l); shape(p) != want {
		t.Fatalf("the waves are %s, not %s", shape(p), want)
	}
	again, _, err := plan.Recompute(p, all, l)
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Fatalf("%v\n%+v\ncomputed again is\n%+v", err, p, again)
	}
}

// checkPins sees that a pinned task is where it is pinned to, or for a reason is not, which is told.
func checkPins(t *rapid.T, p *record.PrioritizedTaskPlan, notices []string, l plan.Limits) {
	t.Helper()
	for _, w := range p.ExecutionWaves {
		for _, id := range w.TaskIDs {
			pin := p.Pinned[id]
			if pin == 0 || pin == w.WaveNumber {
				continue
			}
			if !strings.Contains(strings.Join(notices, "\n"), fmt.Sprintf("“Do %s” (pinned to wave %d, stands in wave %d)", id, pin, w.WaveNumber)) {
				t.Fatalf("%s is pinned to %d and stands in %d; told was %q", id, pin, w.WaveNumber, notices)
			}
			if l.DailyCapacityHours > 0 {
				continue
			}
			if pin > w.WaveNumber && slices.ContainsFunc(w.TaskIDs, func(other string) bool { return p.Pinned[other] != pin }) {
				t.Fatalf("%s came early into wave %v, which has work", id, w)
			}
			if pin < w.WaveNumber && !slices.ContainsFunc(p.Dependencies, func(d record.TaskDependency) bool {
				return d.RelationshipType.Orders() && d.SourceTaskID == id && slices.Contains(p.ExecutionWaves[w.WaveNumber-2].TaskIDs, d.TargetTaskID)
			}) {
				t.Fatalf("%s came late into wave %v, and depends on nothing just before", id, w)
			}
		}
	}
}

// anyEdit draws an edit that can be.
func anyEdit(t *rapid.T, p *record.PrioritizedTaskPlan) (e plan.Edit) {
	e.Order = rapid.Permutation(p.OrderedTaskIDs).Draw(t, "order")[:rapid.IntRange(0, len(p.OrderedTaskIDs)).Draw(t, "how many")]
	e.Pin = map[string]int{}
	for _, id := range p.OrderedTaskIDs {
		done := slices.Contains(p.Done, id)
		switch rapid.IntRange(0, 8).Draw(t, "what") {
		case 0:
			e.Unpin = append(e.Unpin, id)
		case 1:
			e.Done = append(e.Done, id)
		case 2:
			e.Undo = append(e.Undo, id)
		case 3:
			if !done {
				e.Pin[id] = rapid.IntRange(1, len(p.ExecutionWaves)+1).Draw(t, "wave")
			}
		}
	}
	return e
}
