package wording

import (
	"cmp"
	"strings"

	"github.com/nestorhq/nestor"
)

// Excerpt is at most n characters of s, with a mark where it is cut.
func Excerpt(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if n--; n < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// OneLine is a text without its line breaks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Indent keeps the lines of a text below the list item they belong to.
func Indent(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }

// Storable is a text without NUL, the one character that no document can hold.
func Storable(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// Title says in a few words what a task is about.
func Title(task *nestor.Task) string {
	return cmp.Or(OneLine(task.Title), Excerpt(OneLine(Assignment(task)), 60))
}

// Result is what came of a task, for people.
func Result(task *nestor.Task) string {
	if task.ResultSchema != nil && task.Result != "" {
		return "```json\n" + task.Result + "\n```"
	}
	return cmp.Or(task.Result, "It is done.")
}

// Assignment says what a task is about.
func Assignment(task *nestor.Task) string {
	if task.Type != nestor.TaskTool {
		return task.Instruction
	}
	what := task.Instruction
	if len(task.Args) > 0 {
		what = string(task.Args)
	}
	return strings.TrimSpace(strings.TrimPrefix(task.Name, "tool:") + " " + what)
}
