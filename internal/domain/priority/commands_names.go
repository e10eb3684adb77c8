package priority

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
)

// taskNames are how people see and name tasks in a terminal: by the start of the id,
// as long as it takes to tell it from all others.
type taskNames struct {
	ids    []string
	tasks  map[string]PlannableTask
	length int
}

// minShort is how many characters of an id are shown at least.
const minShort = 5

// newTaskNames names the tasks and those that a plan still has though they are gone.
func newTaskNames(planned []string, tasks []PlannableTask) *taskNames {
	n := &taskNames{tasks: map[string]PlannableTask{}, length: minShort}
	known := map[string]bool{}
	add := func(id string) {
		if !known[id] {
			known[id] = true
			n.ids = append(n.ids, id)
		}
	}
	for _, t := range tasks {
		n.tasks[t.ID] = t
		add(t.ID)
	}
	for _, id := range planned {
		add(id)
	}
	for !n.unique() {
		n.length++
	}
	return n
}

// unique reports whether the short ids tell all tasks apart.
func (n *taskNames) unique() bool {
	seen := map[string]bool{}
	for _, id := range n.ids {
		short := n.short(id)
		if seen[short] {
			return false
		}
		seen[short] = true
	}
	return true
}

func (n *taskNames) short(id string) string { return id[:min(len(id), n.length)] }

func (n *taskNames) text(id string) string {
	if t, ok := n.tasks[id]; ok {
		return t.Text
	}
	return "(no longer in your documents)"
}

// status is what an agent does about a task, in brackets, or "".
func (n *taskNames) status(id string) string {
	if status := n.tasks[id].Status; status != "" {
		return " [" + status + "]"
	}
	return ""
}

// days are those of a task, in brackets, or "".
func (n *taskNames) days(id string) (days string) {
	t := n.tasks[id]
	if t.NotBefore != "" {
		days += " (not before " + plan.DayInWords(t.NotBefore) + ")"
	}
	if t.DueDate != "" {
		days += " (due " + plan.DayInWords(t.DueDate) + ")"
	}
	return days
}

func (n *taskNames) effort(id string) string {
	if h := n.tasks[id].EffortHours; h > 0 {
		return fmt.Sprintf("%gh", h)
	}
	return "–"
}

// find is the id of the one task that a person names by the start of its id.
func (n *taskNames) find(start string) (string, error) {
	var found []string
	for _, id := range n.ids {
		if id == start {
			return id, nil
		}
		if start != "" && strings.HasPrefix(id, start) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", nestor.Errorf(nestor.CodeNotFound, "no task is called %q: nestor plan tasks lists them", start)
	case 1:
		return found[0], nil
	}
	return "", nestor.Errorf(nestor.CodeInvalid, "%q is the start of %d ids: give more of it", start, len(found))
}
