package plan

import (
	"fmt"
	"math"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// draft is a plan in the making. Tasks are numbers in it, by their place in tasks.
type draft struct {
	limits Limits
	tasks  []Task // each id once
	number map[string]int32
	// order has the tasks of the plan that are not done, the most important first.
	order   []int32
	ordered []bool // by task: it is in order
	scores  []float64
	pins    []int32 // by task: the wave it is held in, or 0
	pinned  bool    // there are pins
	ready   []int32 // by task: the first wave that it could have stood in
	last    []bool  // by task: the model forgot it, so it comes behind all others
	done    []int32
	summary string
	// proposed: the plan is made of a proposal, and its order is not a person's yet.
	proposed bool

	// dependencies have known tasks, two different ones each. Those from wereBroken on were left
	// out of the plan before, and patience is for finding those that need not be any more.
	dependencies []record.TaskDependency
	wereBroken   int
	patience     int
}

func newDraft(tasks []Task, l Limits) *draft {
	d := &draft{limits: l, tasks: make([]Task, 0, len(tasks)), number: make(map[string]int32, len(tasks)), wereBroken: math.MaxInt, patience: patience}
	for _, t := range tasks {
		if _, twice := d.number[t.ID]; twice {
			continue
		}
		if !(t.EffortHours > 0) || math.IsInf(t.EffortHours, 1) {
			t.EffortHours = 0
		}
		d.number[t.ID] = int32(len(d.tasks))
		d.tasks = append(d.tasks, t)
	}
	d.order = make([]int32, 0, len(d.tasks))
	d.ordered = make([]bool, len(d.tasks))
	d.scores = make([]float64, len(d.tasks))
	d.pins = make([]int32, len(d.tasks))
	d.last = make([]bool, len(d.tasks))
	return d
}

// append puts a task last, unless it has a place already.
func (d *draft) append(n int32) bool {
	if d.ordered[n] {
		return false
	}
	d.ordered[n] = true
	d.order = append(d.order, n)
	return true
}

// finish computes the waves.
func (d *draft) finish(told *notices) *record.PrioritizedTaskPlan {
	edges, of := d.edges()
	out := make([]bool, len(edges))
	for e, i := range of {
		out[e] = int(i) >= d.wereBroken
	}
	a := newArrangement(len(d.tasks), edges, out)
	broken := a.arrange(d.patience)
	s := d.stages(a)
	if d.proposed {
		d.tellOfDays(a, s, told)
	}
	due := d.dueDates(a)
	if d.proposed {
		d.sortByDue(due)
	}
	waves := a.waves
	if d.pinned || d.limits.DailyCapacityHours > 0 || s.several() {
		waves = d.schedule(a, s)
	}
	if d.proposed && d.limits.LowEnergy {
		d.easierFirst(waves, due)
	}

	left := make([]bool, len(d.dependencies))
	for _, e := range broken {
		left[of[e]] = true
	}
	p := &record.PrioritizedTaskPlan{
		Dependencies:     make([]record.TaskDependency, 0, len(d.dependencies)-len(broken)),
		ConfidenceScores: make(map[string]float64, len(d.done)+len(d.order)),
		SynthesisSummary: d.summary,
	}
	for i, dep := range d.dependencies {
		if !left[i] {
			p.Dependencies = append(p.Dependencies, dep)
			continue
		}
		p.BrokenCycles = append(p.BrokenCycles, dep)
		if i < d.wereBroken {
			told.add(inACircle, fmt.Sprintf("%s (%.0f%% sure)", told.describe(dep), 100*dep.Confidence))
		}
	}
	p.ExecutionWaves = d.executionWaves(waves)
	for _, n := range d.done {
		p.Done = append(p.Done, d.tasks[n].ID)
	}
	p.OrderedTaskIDs = append(make([]string, 0, len(d.done)+len(d.order)), p.Done...)
	for _, w := range p.ExecutionWaves {
		p.OrderedTaskIDs = append(p.OrderedTaskIDs, w.TaskIDs...)
	}
	for _, id := range p.OrderedTaskIDs {
		p.ConfidenceScores[id] = d.scores[d.number[id]]
	}
	for _, id := range p.OrderedTaskIDs {
		if n := d.number[id]; d.last[n] && d.pins[n] == 0 {
			p.PutLast = append(p.PutLast, id)
		}
	}
	d.keepPins(p, waves, told)
	return p
}

// edges are the dependencies that make an order, the stored ones first; of has the
// dependency of each.
func (d *draft) edges() (edges []Edge, of []int32) {
	open := make([]bool, len(d.tasks))
	for _, n := range d.order {
		open[n] = true
	}
	edges, of = make([]Edge, 0, len(d.dependencies)), make([]int32, 0, len(d.dependencies))
	for _, stored := range []bool{true, false} {
		for i := range d.dependencies {
			dep := &d.dependencies[i]
			if (dep.DetectionMethod == record.StoredRelationship) != stored || !dep.RelationshipType.Orders() {
				continue
			}
			source, target := d.number[dep.SourceTaskID], d.number[dep.TargetTaskID]
			if open[source] && open[target] {
				edges, of = append(edges, Edge{source, target, dep.Confidence}), append(of, int32(i))
			}
		}
	}
	return edges, of
}

// executionWaves lists the tasks of each wave in their order.
func (d *draft) executionWaves(waveOf []int32) []record.ExecutionWave {
	last := int32(0)
	for _, n := range d.order {
		last = max(last, waveOf[n])
	}
	waves, longest := make([]record.ExecutionWave, last), make([]float64, last)
	for _, n := range d.order {
		i := waveOf[n] - 1
		waves[i].TaskIDs = append(waves[i].TaskIDs, d.tasks[n].ID)
		longest[i] = max(longest[i], d.tasks[n].EffortHours)
	}
	for i := range waves {
		waves[i].WaveNumber = i + 1
		waves[i].ParallelExecution = len(waves[i].TaskIDs) > 1
		if longest[i] > 0 {
			waves[i].EstimatedDurationHours = &longest[i]
		}
	}
	return waves
}

// keepPins has the pins in the plan, and tells of those that could not be kept to.
func (d *draft) keepPins(p *record.PrioritizedTaskPlan, waves []int32, told *notices) {
	for n, pin := range d.pins {
		if pin == 0 {
			continue
		}
		if p.Pinned == nil {
			p.Pinned = map[string]int{}
		}
		id := d.tasks[n].ID
		p.Pinned[id] = int(pin)
		moved := fmt.Sprintf("%s (pinned to wave %d, stands in wave %d)", told.name(id), pin, waves[n])
		switch {
		case waves[n] == 0: // done
		case waves[n] > pin:
			told.add(pinnedLater, moved)
		case waves[n] < pin:
			told.add(pinnedEarlier, moved)
		}
	}
}
