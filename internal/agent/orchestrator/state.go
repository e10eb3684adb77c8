package orchestrator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// recentTasks is how many tasks the orchestrator is reminded of, beside all
// that wait.
const recentTasks = 20

// readState reads the recent tasks and every waiting one, oldest first.
func readState(r store.Reader, chat nestor.Path) ([]nestor.Task, error) {
	q := chatdoc.TasksOf(chat)
	q.OrderBy = []store.Order{{Field: "createdAt", Desc: true}}
	q.Limit = recentTasks
	page, err := r.Query(q)
	if err != nil {
		return nil, err
	}
	waiting := chatdoc.TasksOf(chat)
	waiting.Where = store.Where("status", store.Eq, string(nestor.TaskWaiting))
	more, err := chatdoc.All[nestor.Task](r, waiting)
	if err != nil {
		return nil, err
	}
	var tasks []nestor.Task
	for _, d := range page.Items {
		t, err := nestor.As[nestor.Task](d)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
		more = slices.DeleteFunc(more, func(w nestor.Task) bool { return w.ID == t.ID })
	}
	slices.Reverse(tasks)
	return append(more, tasks...), nil
}

// forkNote tells the orchestrator of a fork whose the agents are that it reads of.
const forkNote = "This conversation goes on from another one. Agents that were started or asked something before that point belong to the other " +
	"conversation: they cannot be reached from here, and what they find out is not reported here. For what is still needed of them, create agents of your own.\n"

// stateBlock tells the orchestrator how the tasks stand.
func stateBlock(tasks []nestor.Task, forked bool) string {
	var b strings.Builder
	b.WriteString("# State\n")
	if forked {
		b.WriteString(forkNote)
	}
	if len(tasks) == 0 {
		b.WriteString("There are no tasks yet.\n")
	}
	for _, t := range tasks {
		b.WriteString(taskLine(t, excerptLength))
	}
	return b.String()
}

// excerptLength bounds what the state block says of one task.
const excerptLength = 600

// taskLine is one task: its ids, its role, its status and what it is about. A
// call of a tool has no agent that one could speak to.
func taskLine(t nestor.Task, limit int) string {
	agent := " | agent " + cmp.Or(t.SubAgentID, "(not started)")
	if t.Type == nestor.TaskTool {
		agent = ""
	}
	line := fmt.Sprintf("- task %s%s | %s | %s", t.ID, agent, t.Name, t.Status)
	if limit == excerptLength {
		line += " | instruction: " + strings.ReplaceAll(wording.Excerpt(wording.OneLine(wording.Assignment(&t)), 200), "|", "/")
	}
	switch {
	case t.Status == nestor.TaskWaiting:
		line += " | question: " + wording.Indent(wording.Excerpt(t.Question, limit))
	case t.Status == nestor.TaskSuccess:
		line += " | result: " + wording.Indent(wording.Excerpt(t.Result, limit))
	case t.Error != "":
		line += " | error: " + wording.Indent(wording.Excerpt(t.Error, limit))
	}
	return line + "\n"
}
