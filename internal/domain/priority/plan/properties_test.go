package plan_test

import (
	"maps"
	"slices"

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
