package demo

import "strings"

// listedTask is a line of the list of tasks.
type listedTask struct{ id, text, document string }

// link is a dependency as tools tell of it: the source depends on the target.
type link struct {
	Source     string  `json:"source_task_id"`
	Target     string  `json:"target_task_id"`
	Type       string  `json:"relationship_type"`
	Confidence float64 `json:"confidence"`
	Reasoning  string  `json:"reasoning,omitempty"`
}

const (
	prerequisite = "prerequisite"
	related      = "related"
)

// listed are the tasks of the first message, in its order.
func (sc *scene) listed() (tasks []listedTask) {
	if len(sc.req.Messages) == 0 {
		return nil
	}
	_, list, _ := strings.Cut(textOf(sc.req.Messages[0]), "# Tasks\n")
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), " | ")
		id, ok := strings.CutPrefix(fields[0], "- ")
		if !ok || len(fields) < 4 {
			break // the list is over
		}
		tasks = append(tasks, listedTask{id, fields[1], fields[3]})
	}
	return tasks
}

func idsOf(tasks []listedTask) []string {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.id
	}
	return ids
}
