package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// finderRules find out which tasks depend on which; see the package comment.
var finderRules = []rule{{"report the order that words, lists and verbs tell of", always, reportLinks}}

func reportLinks(sc *scene) reply {
	f := &finder{tasks: sc.listed(), best: map[[2]string]link{}}
	for _, t := range f.tasks {
		f.nouns, f.phases = append(f.nouns, nouns(t.text)), append(f.phases, phaseOf(t.text))
	}
	f.byWords()
	f.byLists(sc)
	f.byVerbs()
	dependencies := []any{}
	for _, pair := range f.order {
		l := f.best[pair]
		dependencies = append(dependencies, map[string]any{
			"source_task_id": l.Source, "target_task_id": l.Target, "relationship_type": l.Type, "confidence": l.Confidence, "reasoning": l.Reasoning,
		})
	}
	return use(fmt.Sprintf("My rules find %d dependencies.", len(dependencies)), reportDependencies, map[string]any{"dependencies": dependencies})
}

// finder collects links between tasks. Of two links between the same tasks it
// keeps the surer one.
type finder struct {
	tasks  []listedTask
	nouns  [][]string // of each task
	phases []int      // of each task, -1 for none
	best   map[[2]string]link
	order  [][2]string // in which they were found
}

// add notes that one task depends on another.
func (f *finder) add(source, target listedTask, confidence float64, why string) {
	if source.id == target.id {
		return
	}
	pair := [2]string{min(source.id, target.id), max(source.id, target.id)}
	old, there := f.best[pair]
	if there && old.Confidence >= confidence {
		return
	}
	if !there {
		f.order = append(f.order, pair)
	}
	f.best[pair] = link{source.id, target.id, prerequisite, confidence, why}
}

var (
	waits  = regexp.MustCompile(`(?i)\b(after|once|depends on|depending on|requires|needs|when)\s+([^,;.]+)`)
	firsts = regexp.MustCompile(`(?i)\bbefore\s+([^,;.]+)`)
	then   = regexp.MustCompile(`(?i)^(?:and\s+)?then\b`)
)

// byWords follows what a task says about another: "after the review", "before we
// launch", and "then" about the task above it.
func (f *finder) byWords() {
	for i, t := range f.tasks {
		if m := waits.FindStringSubmatch(t.text); m != nil {
			if other, ok := f.named(m[2], t); ok {
				f.add(t, other, 0.9, fmt.Sprintf("It says “%s %s”.", strings.ToLower(m[1]), excerpt(m[2], 60)))
			}
		}
		if m := firsts.FindStringSubmatch(t.text); m != nil {
			if other, ok := f.named(m[1], t); ok {
				f.add(other, t, 0.9, fmt.Sprintf("The other says “before %s”.", excerpt(m[1], 60)))
			}
		}
		if i > 0 && then.MatchString(t.text) && f.tasks[i-1].document == t.document {
			f.add(t, f.tasks[i-1], 0.8, "It begins with “then”.")
		}
	}
}

// named is the task that a phrase means: the one that shares most words with
// it, and at least half of the phrase's.
func (f *finder) named(phrase string, by listedTask) (best listedTask, ok bool) {
	words, most := nouns(phrase), 0
	for i, t := range f.tasks {
		n := common(words, f.nouns[i])
		if t.id != by.id && n > most && 2*n >= len(words) {
			best, most, ok = t, n, true
		}
	}
	return best, ok
}

var numbered = regexp.MustCompile(`^\s*(\d{1,3})[.)]\s+(.+)$`)

// byLists takes a numbered list for an order.
func (f *finder) byLists(sc *scene) {
	text := ""
	for _, m := range sc.req.Messages {
		text += textOf(m) + "\n"
	}
	var above *listedTask
	for line := range strings.Lines(text) {
		m := numbered.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
				above = nil
			}
			continue
		}
		if m[1] == "1" {
			above = nil
		}
		if i := slices.IndexFunc(f.tasks, func(t listedTask) bool { return sameText(t.text, m[2]) }); i >= 0 {
			if above != nil {
				f.add(f.tasks[i], *above, 0.75, "It is the next item of a numbered list.")
			}
			above = &f.tasks[i]
		}
	}
}

// sameText reports whether an item of a list is a task. One of them may lack
// what stands before an effort or a mark.
func sameText(task, item string) bool {
	a, b := strings.Join(contentWords(task), " "), strings.Join(contentWords(item), " ")
	return a != "" && (a == b || strings.HasPrefix(b, a+" ") || strings.HasPrefix(a, b+" ") && b != "")
}

// phases are verbs in the order in which the same thing goes through them.
var phases = [][]string{
	strings.Fields("research investigate decide define interview survey analyse analyze"),
	strings.Fields("plan design draft outline sketch specify prototype"),
	strings.Fields("build implement write create develop code make prepare set"),
	strings.Fields("test review check verify proofread validate fix"),
	strings.Fields("deploy release ship launch publish install submit print"),
	strings.Fields("announce promote celebrate advertise market present"),
}

// byVerbs has tasks about the same thing follow each other by their verbs: each
// depends on those of the nearest phase before its own.
func (f *finder) byVerbs() {
	for i, t := range f.tasks {
		nearest := -1
		for j := range f.tasks {
			if p := f.phases[j]; p < f.phases[i] && p > nearest && common(f.nouns[i], f.nouns[j]) > 0 {
				nearest = p
			}
		}
		n := 0
		for j, o := range f.tasks {
			if nearest >= 0 && n < 3 && f.phases[j] == nearest && common(f.nouns[i], f.nouns[j]) > 0 {
				n++
				f.add(t, o, 0.7, fmt.Sprintf("Both are about “%s”, and this comes later.", strings.Join(both(f.nouns[i], f.nouns[j]), " ")))
			}
		}
	}
}

// phaseOf is the phase of the verb that a text begins with, -1 if it begins
// with none. A task begins with what to do.
func phaseOf(text string) int {
	words := contentWords(text)
	return slices.IndexFunc(phases, func(verbs []string) bool { return len(words) > 0 && slices.Contains(verbs, words[0]) })
}

// nouns are the words of a text that are no verbs of a phase, without the s of a
// plural, and its numbers: "chapter 2" is not "chapter 3".
func nouns(text string) (words []string) {
	for _, w := range contentWords(text) {
		if slices.ContainsFunc(phases, func(verbs []string) bool { return slices.Contains(verbs, w) }) || len(w) < 3 && !isNumber(w) {
			continue
		}
		words = append(words, strings.TrimSuffix(w, "s"))
	}
	return words
}

func isNumber(w string) bool { return strings.Trim(w, "0123456789") == "" }

func both(a, b []string) (words []string) {
	for _, w := range a {
		if slices.Contains(b, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

func common(a, b []string) int { return len(both(a, b)) }
