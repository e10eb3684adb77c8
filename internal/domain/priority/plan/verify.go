package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// Task is something to do, as far as a plan is concerned.
type Task struct {
	ID, Text string
	// EffortHours is 0 if it is not known.
	EffortHours float64
	// DueDate is the day by which it is to be done and NotBefore the first on which it can
	// be, in the form of [record.Day], "" for none.
	DueDate, NotBefore string
}

// TaskOf is a task that was found in a document.
func TaskOf(t *record.ExtractedTask) Task {
	return Task{ID: t.ID, Text: t.Text, EffortHours: t.EffortHours, DueDate: t.DueDate, NotBefore: t.NotBefore}
}

// Limits are how much a person takes on.
type Limits struct {
	// DailyCapacityHours is how much work a wave holds at most. 0 means any amount.
	DailyCapacityHours float64
	// LowEnergy puts easier tasks first among those of a wave that matter alike. It counts
	// when a plan is made. Afterwards the order is the person's.
	LowEnergy bool
	// Today is the day on which the plan is made, in the form of [record.Day].
	Today string
}

// LimitsOf are those that a person set with an outcome, which may be nil, on the day of a time.
func LimitsOf(o *record.Outcome, now time.Time) Limits {
	l := Limits{Today: now.UTC().Format(record.Day)}
	if o == nil {
		return l
	}
	l.LowEnergy = o.StatePreference == record.LowEnergy
	if o.DailyCapacityHours != nil {
		l.DailyCapacityHours = *o.DailyCapacityHours
	}
	return l
}

// notScored is the confidence in the place of a task for which the model gave none. For
// a task that the model forgot it is 0.
const notScored = 0.5

// Verify makes a plan of all tasks from what a model proposes, and repairs what is wrong:
//
//   - Ids of no task, repeated ids and dependencies, dependencies of a task on itself
//     and of an unknown type are left out.
//   - Waves are computed from the dependencies. Those of the model only say where a task stands that
//     its order lacks. Tasks that it forgot come last, behind all others.
//   - What is not possible yet stands after what is. What is due within a week comes first in the
//     order, and other tasks that are due stand among each other as they are due, see [draft.sortByDue].
//   - Confidences outside of 0 to 1 become 0 or 1, and one that is not a number 0.
//   - Stored dependencies count too, whatever the model says, and in place of its own between the same tasks of the same
//     type. What the model adds is ai_inference, as what a model detected before is.
//
// The notices say what was wrong. An error of code invalid means that the proposal is of no use: its text
// gives the model all reasons, and its detail "reasons" has them as a list. Stored dependencies on other tasks do
// not count. Those that a person made come first, with confidence 1.
func Verify(p Proposal, tasks []Task, stored []record.TaskDependency, l Limits) (*record.PrioritizedTaskPlan, []string, error) {
	if len(tasks) == 0 {
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "there are no tasks to plan")
	}
	d := newDraft(tasks, l)
	told := &notices{about: d}
	for _, field := range p.Unreadable {
		told.add(unreadable, field)
	}
	d.takeOrder(p, told)
	if len(d.order) == 0 {
		return nil, nil, unusable(p, told)
	}
	placed := len(d.order)
	for n := range d.tasks {
		d.last[n] = d.append(int32(n))
	}
	d.takeScores(p, placed, told)
	d.takeDependencies(p, stored, told)
	d.summary = strings.TrimSpace(p.SynthesisSummary)
	if d.summary == "" {
		told.add(noReasons, "")
	}
	for _, t := range d.tasks {
		if l.DailyCapacityHours > 0 && t.EffortHours > l.DailyCapacityHours+slack {
			told.add(moreThanADay, told.name(t.ID))
		}
	}
	d.proposed = true
	return d.finish(told), told.list(), nil
}

// unusable is the error for a proposal that names no task. The model reads it.
func unusable(p Proposal, told *notices) error {
	if len(p.OrderedTaskIDs) == 0 {
		told.add(always("There is nothing in"), "ordered_task_ids")
	}
	reasons := append(told.list(), "Name each task as it is named in the list of tasks.")
	return nestor.Errorf(nestor.CodeInvalid, "the plan cannot be used. %s", strings.Join(reasons, " ")).With("reasons", reasons)
}

// takeOrder orders the tasks that the model named as it did.
func (d *draft) takeOrder(p Proposal, told *notices) {
	for _, id := range p.OrderedTaskIDs {
		if n, ok := d.number[id]; !ok {
			told.unknown(id)
		} else if !d.append(n) {
			told.add(namedTwice, told.name(id))
		}
	}
	inWave := make([]bool, len(d.tasks))
	for _, w := range p.ExecutionWaves {
		for _, id := range w {
			n, ok := d.number[id]
			if !ok {
				told.unknown(id)
				continue
			}
			if inWave[n] {
				told.add(namedTwice, told.name(id))
			}
			inWave[n] = true
			d.append(n)
		}
	}
}

// takeScores gives the first placed tasks the model's confidence in their places.
func (d *draft) takeScores(p Proposal, placed int, told *notices) {
	for _, id := range slices.Sorted(maps.Keys(p.ConfidenceScores)) {
		if _, ok := d.number[id]; !ok {
			told.unknown(id)
		}
	}
	for _, n := range d.order[:placed] {
		id := d.tasks[n].ID
		score, ok := p.ConfidenceScores[id]
		if !ok {
			told.add(notSure, told.name(id))
			score = notScored
		}
		d.scores[n] = bounded(score)
		if d.scores[n] != score {
			told.add(outOfBounds, told.name(id))
		}
	}
}

// takeDependencies has the stored dependencies first, then those of the model.
func (d *draft) takeDependencies(p Proposal, stored []record.TaskDependency, told *notices) {
	type link struct {
		source, target int32
		kind           record.RelationshipType
	}
	isStored, isThere := make(map[link]bool, len(stored)), make(map[link]bool, len(p.Dependencies))
	take := func(dep record.TaskDependency) {
		dep.Confidence = bounded(dep.Confidence)
		d.dependencies = append(d.dependencies, dep)
	}
	for _, dep := range stored {
		source, ok1 := d.number[dep.SourceTaskID]
		target, ok2 := d.number[dep.TargetTaskID]
		l := link{source, target, dep.RelationshipType}
		if ok1 && ok2 && source != target && !isStored[l] {
			isStored[l] = true
			take(dep)
		}
	}
	for _, dep := range p.Dependencies {
		source, ok1 := d.number[dep.SourceTaskID]
		target, ok2 := d.number[dep.TargetTaskID]
		if !ok1 {
			told.unknown(dep.SourceTaskID)
		}
		if !ok2 {
			told.unknown(dep.TargetTaskID)
		}
		l := link{source, target, dep.RelationshipType}
		switch {
		case !ok1 || !ok2:
		case source == target:
			told.add(withItself, told.name(dep.SourceTaskID))
		case !dep.RelationshipType.Orders() && dep.RelationshipType != record.Related:
			told.add(unknownKind, fmt.Sprintf("%s (%s)", told.describe(dep), name(string(dep.RelationshipType))))
		case isThere[l]:
			told.add(relatedTwice, told.describe(dep))
		case isStored[l]: // It is stored, and counts as it is stored.
		default:
			if c := bounded(dep.Confidence); c != dep.Confidence {
				told.add(outOfBounds, told.describe(dep))
			}
			dep.DetectionMethod = record.AIInference
			isThere[l] = true
			take(dep)
		}
	}
}

// bounded is the nearest confidence that there can be.
func bounded(c float64) float64 {
	if math.IsNaN(c) {
		return 0
	}
	return min(max(c, 0), 1)
}
