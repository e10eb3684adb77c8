package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// Edit is what a person changes in a plan.
type Edit struct {
	// Pin moves tasks to waves, by number from 1, and holds them there. The wave
	// after the last one is a new one.
	Pin map[string]int `json:"pin,omitempty"`
	// Unpin lets tasks go where their dependencies put them.
	Unpin []string `json:"unpin,omitempty"`
	// Done takes tasks out of the waves. They hold up no others.
	Done []string `json:"done,omitempty"`
	// Undo makes done tasks open again. They come first in their waves, and where they were pinned.
	Undo []string `json:"undo,omitempty"`
	// Order says in which order these tasks stand where they share a wave.
	Order []string `json:"order,omitempty"`
}

// maxReasons is how many reasons an error gives.
const maxReasons = 20

// Apply changes a plan and computes its waves again, see [Recompute]. An edit that cannot
// be is an error that gives the reasons.
func Apply(p *record.PrioritizedTaskPlan, e Edit, tasks []Task, l Limits) (*record.PrioritizedTaskPlan, []string, error) {
	if wrong := e.check(p); len(wrong) > 0 {
		if more := len(wrong) - maxReasons; more > 0 {
			wrong = append(wrong[:maxReasons:maxReasons], fmt.Sprintf("and %d more", more))
		}
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "the plan cannot be changed so: %s", strings.Join(wrong, "; ")).With("reasons", wrong)
	}
	changed := *p
	changed.Pinned = map[string]int{}
	for id, wave := range p.Pinned {
		if !slices.Contains(e.Unpin, id) {
			changed.Pinned[id] = wave
		}
	}
	for id, wave := range e.Pin {
		changed.Pinned[id] = wave
	}
	changed.PutLast = slices.DeleteFunc(slices.Clone(p.PutLast), func(id string) bool { return e.Pin[id] > 0 })
	changed.Done = slices.DeleteFunc(slices.Clone(p.Done), func(id string) bool { return slices.Contains(e.Undo, id) })
	for _, id := range e.Done {
		if !slices.Contains(changed.Done, id) {
			changed.Done = append(changed.Done, id)
		}
	}
	changed.OrderedTaskIDs = reorder(p.OrderedTaskIDs, e.Order)
	return Recompute(&changed, tasks, l)
}

// check says what is wrong with an edit of p.
func (e Edit) check(p *record.PrioritizedTaskPlan) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	known := make(map[string]bool, len(p.OrderedTaskIDs))
	for _, id := range p.OrderedTaskIDs {
		known[id] = true
	}
	done := func(id string) bool {
		return (slices.Contains(p.Done, id) && !slices.Contains(e.Undo, id)) || slices.Contains(e.Done, id)
	}
	pins := make([]string, 0, len(e.Pin))
	for id := range e.Pin {
		pins = append(pins, id)
	}
	slices.Sort(pins)
	for _, list := range []struct {
		name string
		ids  []string
	}{{"pin", pins}, {"unpin", e.Unpin}, {"done", e.Done}, {"undo", e.Undo}, {"order", e.Order}} {
		seen := map[string]bool{}
		for _, id := range list.ids {
			switch {
			case !known[id]:
				say("%s names %s, which is not in the plan", list.name, name(id))
			case seen[id]:
				say("%s names %s twice", list.name, name(id))
			}
			seen[id] = true
		}
	}
	for _, id := range pins {
		switch last := len(p.ExecutionWaves) + 1; {
		case !known[id]:
		case e.Pin[id] < 1 || e.Pin[id] > last:
			say("pin puts %s in wave %d; waves are 1 to %d", name(id), e.Pin[id], last)
		case slices.Contains(e.Unpin, id):
			say("%s is to be pinned and not to be", name(id))
		case done(id):
			say("%s is done, so it stands in no wave", name(id))
		}
	}
	for _, id := range e.Done {
		if known[id] && slices.Contains(e.Undo, id) {
			say("%s is to be done and not to be", name(id))
		}
	}
	return wrong
}

// reorder has the ids of want in that order, in the places that they have together.
func reorder(ids, want []string) []string {
	wanted := make(map[string]bool, len(want))
	for _, id := range want {
		wanted[id] = true
	}
	ids = slices.Clone(ids)
	for i, id := range ids {
		if wanted[id] {
			ids[i], want = want[0], want[1:]
		}
	}
	return ids
}

// Recompute makes the waves of a plan again. It keeps the order of tasks as far as waves
// allow. Tasks of the plan that are not among tasks are gone; tasks that are not in the
// plan do not come into it. A dependency that was left out counts again when its circle is open.
// What Recompute returned it returns again.
func Recompute(p *record.PrioritizedTaskPlan, tasks []Task, l Limits) (*record.PrioritizedTaskPlan, []string, error) {
	d := newDraft(tasks, l)
	told := &notices{about: d}
	d.summary = p.SynthesisSummary
	for _, id := range p.Done {
		if n, ok := d.number[id]; ok && !d.ordered[n] {
			d.ordered[n] = true
			d.done = append(d.done, n)
		}
	}
	for _, id := range p.OrderedTaskIDs {
		if n, ok := d.number[id]; ok {
			d.append(n)
		} else {
			told.add(leftDocuments, "")
		}
	}
	if len(d.order)+len(d.done) == 0 {
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "none of the plan's tasks is there any more")
	}
	for id, score := range p.ConfidenceScores {
		if n, ok := d.number[id]; ok {
			d.scores[n] = bounded(score)
		}
	}
	for id, wave := range p.Pinned {
		if n, ok := d.number[id]; ok && d.ordered[n] && wave > 0 {
			d.pins[n], d.pinned = int32(min(wave, math.MaxInt32)), true
		}
	}
	for _, id := range p.PutLast {
		if n, ok := d.number[id]; ok {
			d.last[n] = true
		}
	}
	d.keepDependencies(p.Dependencies)
	d.wereBroken, d.patience = len(d.dependencies), math.MaxInt
	d.keepDependencies(p.BrokenCycles)
	return d.finish(told), told.list(), nil
}

func (d *draft) keepDependencies(list []record.TaskDependency) {
	for _, dep := range list {
		source, ok1 := d.number[dep.SourceTaskID]
		target, ok2 := d.number[dep.TargetTaskID]
		if ok1 && ok2 && source != target && d.ordered[source] && d.ordered[target] {
			dep.Confidence = bounded(dep.Confidence)
			d.dependencies = append(d.dependencies, dep)
		}
	}
}
