package plan

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// mostNamed is how many tasks or dependencies a notice names.
const mostNamed = 10

// notices collects what is to be told, one sentence per kind. Tasks are told by their
// texts.
type notices struct {
	about *draft
	kinds []string
	items map[string][]string
	more  map[string]int
}

func (n *notices) add(kind, item string) {
	if n.items == nil {
		n.items, n.more = map[string][]string{}, map[string]int{}
	}
	items := n.items[kind]
	switch {
	case len(items) == 0:
		n.kinds = append(n.kinds, kind)
	case len(items) == mostNamed:
		n.more[kind]++
		return
	}
	n.items[kind] = append(items, item)
}

func (n *notices) list() []string {
	var list []string
	for _, kind := range n.kinds {
		text := kind + ": " + strings.Join(n.items[kind], ", ")
		if more := n.more[kind]; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text+".")
	}
	return list
}

// name is what a task is called: its text, or the id of one that does not exist.
func (n *notices) name(id string) string {
	if t, ok := n.about.number[id]; ok {
		return "“" + cut(n.about.tasks[t].Text) + "”"
	}
	return name(id)
}

// name is an id as people see it. Ids of models can be any text, of any length.
func name(id string) string { return fmt.Sprintf("%q", cut(id)) }

func cut(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func (n *notices) describe(d record.TaskDependency) string {
	return n.name(d.SourceTaskID) + " on " + n.name(d.TargetTaskID)
}
