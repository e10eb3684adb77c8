package intake

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// maxImperative is how many characters a line of prose has at most to be a task.
const maxImperative = 200

// Tasks finds the tasks of a text by rules, in the order of the text:
//
//   - a line with a box is a task, and done if the box is ticked
//   - a list item is a task; one with items below it is their heading, unless it has
//     a box or a TODO prefix or reads like a task itself
//   - a line that begins with "TODO:", "ACTION:" or the like is a task
//   - a heading that reads like a task is one, if no task stands below it
//   - a short line of prose that reads like a task is one
//   - a row of a table is none, but a cell with a box or a TODO prefix is
//
// It passes over code, quotes, front matter, comments, links that stand alone and
// tables of contents. Days such as "Friday" are counted from the day on which the text
// was added.
func Tasks(documentID, text string, added time.Time) []record.ExtractedTask {
	blocks, from := parse(text), dayOf(added)
	keep, when := tasksAmong(blocks), datesOf(blocks, from)
	c := collection{documentID: documentID, seen: map[string]int{}}
	for i, b := range blocks {
		if keep[i] && !isStatement(b, from) {
			c.add(b.text, Effort(b.text), b.done, when[i])
		}
	}
	return c.tasks
}

// tasksAmong decides which blocks are tasks. It goes backwards, because a heading or
// a parent item depends on what stands below it.
func tasksAmong(blocks []block) []bool {
	keep := make([]bool, len(blocks))
	var below [doctext.MaxHeading + 1]bool // per level of headings: a task stands below
	for i, b := range slices.Backward(blocks) {
		switch {
		case b.kind == heading:
			keep[i] = !below[b.level] && !strings.HasSuffix(b.text, ":") && readsLikeTask(b.text)
		case b.kind == item && !b.sure && hasChildren(blocks, i):
			keep[i] = !strings.HasSuffix(b.text, ":") && readsLikeTask(b.text)
		case b.kind == line && !b.sure:
			keep[i] = aloneInLine(blocks, i) && utf8.RuneCountInString(b.text) <= maxImperative && !strings.HasSuffix(b.text, ":") && readsLikeTask(b.text)
		default:
			keep[i] = !isLink(b.text)
		}
		if b.kind == heading {
			for l := b.level; l <= doctext.MaxHeading; l++ {
				below[l] = false
			}
		}
		for l := range below {
			// A task stands below all headings that come before it, but a heading
			// that is a task only below those that are higher.
			if keep[i] && (b.kind != heading || l < b.level) {
				below[l] = true
			}
		}
	}
	return keep
}

func hasChildren(blocks []block, i int) bool {
	return i+1 < len(blocks) && blocks[i+1].kind == item && blocks[i+1].level > blocks[i].level
}

// aloneInLine reports whether a line of prose begins a paragraph, or follows a line
// that ended its sentence, so that it is not the middle of one.
func aloneInLine(blocks []block, i int) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(blocks[i].text, "*_`\"'("))
	if unicode.IsLower(first) {
		return false
	}
	if i == 0 || !blocks[i].joined {
		return true
	}
	before := strings.TrimRight(blocks[i-1].text, "*_`\"')")
	return blocks[i-1].kind != line || before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:;") || readsLikeTask(blocks[i-1].text)
}
