package plan

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// mostNamed is how many tasks or dependencies a notice names.
const mostNamed = 10

// notices collects what is to be told, one sentence per kind.
type notices struct {
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

// name is an id as notices have it. Ids of models can be any text, of any length.
func name(id string) string {
	const most = 60
	if r := []rune(id); len(r) > most {
		id = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", id)
}

func describe(d record.TaskDependency) string {
	return name(d.SourceTaskID) + " on " + name(d.TargetTaskID)
}
