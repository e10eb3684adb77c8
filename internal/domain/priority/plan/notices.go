package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// mostNamed is how many tasks or dependencies a notice names.
const mostNamed = 10

// kind is what a notice says about one task and about several.
type kind struct{ one, several string }

// always says the same of one and of several.
func always(text string) kind { return kind{text, text} }

var (
	unknownTask   = kind{"The model named a task that does not exist, which was left out", "The model named tasks that do not exist, which were left out"}
	namedTwice    = kind{"The model named this task more than once; it counts once", "The model named these tasks more than once; each counts once"}
	forgotten     = kind{"The model forgot this task; it was put last", "The model forgot these tasks; they were put last"}
	forgottenKept = kind{"The model forgot this task; it stands before what waits for it", "The model forgot these tasks; they stand before what waits for them"}
	unreadable    = always("A part of the model's plan could not be read and was left out")
	withItself    = kind{"The model let this task wait for itself, which was left out", "The model let these tasks wait for themselves, which was left out"}
	unknownKind   = always("The model related tasks in a way that does not exist, which was left out")
	relatedTwice  = always("The model said more than once")
	outOfBounds   = always("How sure the model is was not between 0 and 1, and was put right")
	notSure       = kind{"The model did not say how sure it is about this task; 50% is assumed", "The model did not say how sure it is about these tasks; 50% is assumed"}
	inACircle     = always("Tasks waited for each other in a circle; the least sure was left out")
	moreThanADay  = kind{"This task is more than a day's work, so it has a wave of its own", "Each of these tasks is more than a day's work, so it has a wave of its own"}
	notYet        = kind{"This task is not possible yet, so it stands after those that are", "These tasks are not possible yet, so they stand after those that are"}
	pinnedLater   = kind{"This pinned task stands later, because of what it waits for or because the day is full", "These pinned tasks stand later, because of what they wait for or because a day is full"}
	pinnedEarlier = kind{"This pinned task stands earlier, because there is no work for the waves between", "These pinned tasks stand earlier, because there is no work for the waves between"}
	leftDocuments = kind{"A task that is no longer in your documents left the plan", "Tasks that are no longer in your documents left the plan"}
	noReasons     = always("The model gave no reasons for this order")
	// inItself is a notice that needs no words before it.
	inItself = always("")
)

// notices collects what people are told, one sentence per kind. Tasks are told by their
// texts.
type notices struct {
	about *draft
	kinds []kind
	items map[kind][]string
	more  map[kind]int
}

// add tells of something once more. An item of "" is only counted.
func (n *notices) add(k kind, item string) {
	if n.items == nil {
		n.items, n.more = map[kind][]string{}, map[kind]int{}
	}
	items := n.items[k]
	switch {
	case item != "" && slices.Contains(items, item):
		return
	case len(items) == 0:
		n.kinds = append(n.kinds, k)
	case len(items) == mostNamed:
		n.more[k]++
		return
	}
	n.items[k] = append(items, item)
}

// unknown tells of a task that the model made up.
func (n *notices) unknown(id string) { n.add(unknownTask, name(id)) }

func (n *notices) list() []string {
	var list []string
	for _, k := range n.kinds {
		items, more := n.items[k], n.more[k]
		if k == inItself {
			list = append(list, items...)
			continue
		}
		text := k.several
		if len(items) == 1 {
			text = k.one
		}
		if items[0] != "" {
			text += ": " + strings.Join(items, ", ")
		}
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text+".")
	}
	return list
}

// name is what a task is called: its text, or what the model called one that does not exist.
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

// describe says which task comes first.
func (n *notices) describe(d record.TaskDependency) string {
	source, target := n.name(d.SourceTaskID), n.name(d.TargetTaskID)
	if d.RelationshipType.Orders() {
		return target + " must come before " + source
	}
	return source + " and " + target
}

// DayInWords is a day in words for people, such as "3 March 2027".
func DayInWords(iso string) string {
	t, err := time.Parse(record.Day, iso)
	if err != nil {
		return iso
	}
	return t.Format("2 January 2006")
}
