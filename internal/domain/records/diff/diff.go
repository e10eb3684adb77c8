// Package diff tells two texts apart, line by line.
package diff

import (
	"fmt"
	"strings"
)

const (
	// around is how many lines that are the same stand around a change.
	around = 3
	// maxEdits bounds the work. Where two texts differ in more lines, what lies
	// between their common beginning and end is told as replaced.
	maxEdits = 2000
)

// Unified is the difference of two texts in the unified format, without the lines
// that name them. It is empty if they are the same.
func Unified(from, to string) string {
	a, b := lines(from), lines(to)
	var out strings.Builder
	for _, h := range hunks(edits(a, b)) {
		h.write(&out, a, b)
	}
	return out.String()
}

// lines cuts a text behind each line feed.
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// edit says that the lines a up to aEnd of one text are those b up to bEnd of the
// other.
type edit struct{ a, aEnd, b, bEnd int }

// hunk is changes with few lines in between.
type hunk []edit

func hunks(all []edit) (list []hunk) {
	for _, e := range all {
		if n := len(list); n > 0 {
			if last := list[n-1]; e.a-last[len(last)-1].aEnd <= 2*around {
				list[n-1] = append(last, e)
				continue
			}
		}
		list = append(list, hunk{e})
	}
	return list
}

func (h hunk) write(out *strings.Builder, a, b []string) {
	first, last := h[0], h[len(h)-1]
	before := min(around, first.a)
	after := min(around, len(a)-last.aEnd)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(first.a-before, last.aEnd+after), span(first.b-before, last.bEnd+after))
	at := first.a - before
	for _, e := range h {
		write(out, ' ', a[at:e.a])
		write(out, '-', a[e.a:e.aEnd])
		write(out, '+', b[e.b:e.bEnd])
		at = e.aEnd
	}
	write(out, ' ', a[at:at+after])
}

// span is where lines stand: the first one, counted from 1, and how many. Of none it
// is the line before.
func span(from, end int) string {
	switch n := end - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(end)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

func write(out *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
