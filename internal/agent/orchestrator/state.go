package orchestrator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// recentTasks is how many tasks the orchestrator is reminded of, beside all
// that wait.
const recentTasks = 20

// known is a task under the handle by which models name it: A for an agent, T for
// the call of a tool, and its place among the tasks of the chat, which never changes.
type known struct {
	handle string
	nestor.Task
}

// readState reads the recent tasks and every waiting one, oldest first.
func readState(r store.Reader, chat nestor.Path) ([]known, error) {
	q := chatdoc.TasksOf(chat)
	q.OrderBy, q.Limit = []store.Order{{Field: "createdAt", Desc: true}}, recentTasks
	page, err := r.Query(q)
	if err != nil {
		return nil, err
	}
	var list []known
	older := 0
	if page.Next != "" {
		if list, err = waitingBeside(r, chat, page.Items); err != nil {
			return nil, err
		}
		all, err := store.Count(r, chatdoc.TasksOf(chat))
		if err != nil {
			return nil, err
		}
		older = all - len(page.Items)
	}
	slices.Reverse(page.Items)
	for i, d := range page.Items {
		t, err := nestor.As[nestor.Task](d)
		if err != nil {
			return nil, err
		}
		list = append(list, name(t, older+i+1))
	}
	return list, nil
}

// waitingBeside are the waiting tasks that are not among the recent ones.
func waitingBeside(r store.Reader, chat nestor.Path, recent []*nestor.Document) (list []known, err error) {
	q := chatdoc.TasksOf(chat)
	q.Where = store.Where("status", store.Eq, string(nestor.TaskWaiting))
	q.OrderBy = []store.Order{{Field: "createdAt"}}
	tasks, err := chatdoc.All[nestor.Task](r, q)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if slices.ContainsFunc(recent, func(d *nestor.Document) bool { return d.Path.ID() == t.ID }) {
			continue
		}
		place, err := placeOf(r, chat, &t)
		if err != nil {
			return nil, err
		}
		list = append(list, name(t, place))
	}
	return list, nil
}

// placeOf is the place of a task among those of the chat, from 1.
func placeOf(r store.Reader, chat nestor.Path, t *nestor.Task) (int, error) {
	q := chatdoc.TasksOf(chat)
	q.Where = store.Where("createdAt", store.Lt, t.CreatedAt)
	place, err := store.Count(r, q)
	if err != nil {
		return 0, err
	}
	q.Where = store.Where("createdAt", store.Eq, t.CreatedAt)
	beside, err := chatdoc.All[nestor.Task](r, q)
	for _, b := range beside {
		if b.CreatedSeq <= t.CreatedSeq {
			place++
		}
	}
	return place, err
}

// name gives a task its handle.
func name(t nestor.Task, place int) known {
	kind := "A"
	if t.Type == nestor.TaskTool {
		kind = "T"
	}
	return known{kind + strconv.Itoa(place), t}
}

// forkNote tells the orchestrator of a fork whose the agents are that it reads of.
const forkNote = "This conversation goes on from another one. Agents that were started or asked something before that point belong to the other " +
	"conversation: they cannot be reached from here, and what they find out is not reported here. For what is still needed of them, create agents of your own.\n"

// stateBlock tells the orchestrator how the tasks stand, a line for each. Results stand
// in the conversation.
func stateBlock(tasks []known, forked bool, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# State\nIt is %s.\n", now.UTC().Format("Monday, 2 January 2006, 15:04 UTC"))
	if forked {
		b.WriteString(forkNote)
	}
	if len(tasks) == 0 {
		b.WriteString("There are no agents yet.\n")
	}
	for i := range tasks {
		b.WriteString(tasks[i].line())
	}
	return b.String()
}

// excerptLength bounds what a line says beside the title.
const excerptLength = 600

// line is one task: its handle, what it is about, its status and since when, and its
// question or what it failed of.
func (k *known) line() string {
	role, _ := strings.CutPrefix(k.Name, nestor.KindAgent+":")
	line := fmt.Sprintf("- %s | %s | %s | %s since %s", k.handle, role, field(wording.Title(&k.Task)), k.Status, sinceOf(&k.Task))
	switch {
	case k.Status == nestor.TaskWaiting:
		line += " | question: " + wording.Indent(wording.Excerpt(k.Question, excerptLength))
	case k.Error != "":
		line += " | error: " + wording.Indent(wording.Excerpt(k.Error, excerptLength))
	}
	return line + "\n"
}

// field is a text that does not end the field it stands in.
func field(s string) string { return strings.ReplaceAll(s, "|", "/") }

// sinceOf is when a task got its status.
func sinceOf(t *nestor.Task) string {
	at := cmp.Or(t.EndedAt, t.UpdatedAt)
	if t.Status == nestor.TaskRunning {
		at = cmp.Or(t.StartedAt, at)
	}
	return time.UnixMilli(at).UTC().Format("15:04")
}
