package intake

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

const (
	// MinTaskChars and MaxTaskChars bound the text of a task. A shorter text is no
	// task, a longer one is cut between words.
	MinTaskChars, MaxTaskChars = 3, 500
	// MinEffort and MaxEffort bound an effort that somebody stated, in hours.
	MinEffort, MaxEffort = 0.1, 200.0
)

// TaskID names a task by its text and its document. The id stays when the document
// is processed again, when its lines change places, and when letter case, spaces,
// list marks, a stated effort such as "(2h)" or the full stop at the end change.
//
// Occurrence is 0 for the first task with this text in the document, 1 for the
// second, and so on.
func TaskID(documentID, text string, occurrence int) string {
	return nestor.DeriveID("task", documentID, normalise(text), strconv.Itoa(occurrence))
}

// Reported is a task as a model reports it.
type Reported struct {
	Text        string
	EffortHours float64
	Done        bool
	// DueDate and NotBefore are days in any form that the rules read, too.
	DueDate, NotBefore string
}

// FromModel cleans what a model reported. It drops texts that are too short or were
// reported before, trims list marks, cuts long texts and bounds efforts. A model that
// states no effort or no date gets what the rules find in the text of the task.
func FromModel(documentID string, reported []Reported, added time.Time) []record.ExtractedTask {
	from := dayOf(added)
	c := collection{documentID: documentID, seen: map[string]int{}}
	for _, r := range reported {
		done, text := unmark(oneLine(r.Text))
		text = cut(text)
		if c.seen[normalise(text)] > 0 {
			continue
		}
		effort := r.EffortHours
		if !(effort > 0) { // also NaN
			effort = Effort(text)
		}
		when := dates{isoDay(r.DueDate, from), isoDay(r.NotBefore, from)}
		c.add(text, effort, done || r.Done, when.or(datesIn(text, from, true)))
	}
	return c.tasks
}

// collection is the tasks of one document while they are found.
type collection struct {
	documentID string
	tasks      []record.ExtractedTask
	seen       map[string]int // how often a normalised text occurred
}

func (c *collection) add(text string, effort float64, done bool, when dates) {
	text = cut(text)
	if utf8.RuneCountInString(text) < MinTaskChars || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	key := normalise(text)
	c.tasks = append(c.tasks, record.ExtractedTask{
		ID:          TaskID(c.documentID, text, c.seen[key]),
		Text:        text,
		EffortHours: math.Min(math.Max(effort, MinEffort), MaxEffort),
		Done:        done,
		DueDate:     when.due,
		NotBefore:   when.notBefore,
	})
	c.seen[key]++
}

// normalise is the part of a text that makes a task the same task.
func normalise(text string) string {
	_, text = unmark(oneLine(text))
	if hasDigit(text) {
		if rest := statedEffort.ReplaceAllString(text, " "); strings.ContainsFunc(rest, unicode.IsLetter) {
			text = rest
		}
	}
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return strings.TrimRight(text, ".!;, ")
}

// cut shortens a text to MaxTaskChars, between two words if there are any.
func cut(text string) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= MaxTaskChars {
		return text
	}
	text = string([]rune(text)[:MaxTaskChars])
	if at := strings.LastIndexFunc(text, unicode.IsSpace); at > len(text)/2 {
		text = text[:at]
	}
	return strings.TrimSpace(text)
}

// oneLine replaces line breaks and control characters by spaces, and what is not
// UTF-8 by the replacement character.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

var (
	listMark  = regexp.MustCompile(`^(?:[-*+•◦▪▫‣·●○■□–—]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+`)
	todoMark  = regexp.MustCompile(`^(?i:to-?do|to do|fixme|action|action item|next step|aufgabe|zu tun|nächster schritt)(?: ?\([^)]{1,40}\))?:[ \t]*`)
	struckOut = regexp.MustCompile(`^~~[^~]+~~[.!]?$`)
)

// unmark takes the list mark, the box and the TODO prefix off a text, in this order.
// Done: the box is ticked, or the whole text is struck out.
func unmark(text string) (done bool, rest string) {
	rest, _ = trimMark(text, listMark)
	if box := doctext.BoxMark.FindStringSubmatch(rest); box != nil {
		done = doctext.Ticked(box)
		rest = rest[len(box[0]):]
	}
	rest, _ = trimMark(rest, todoMark)
	rest = strings.TrimSpace(rest)
	return done || struckOut.MatchString(rest), rest
}

func trimMark(text string, mark *regexp.Regexp) (rest string, found bool) {
	if at := mark.FindStringIndex(text); at != nil {
		return text[at[1]:], true
	}
	return text, false
}
