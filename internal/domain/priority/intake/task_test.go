package intake

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

func TestTheRulesFindTasks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"boxes of all kinds":                    {"- [ ] one\n* [X] two\n[ ] three\n☐ four\n1. [x] five\n☑ six", []string{"one", "two*", "three", "four", "five*", "six*"}},
		"items of all kinds":                    {"- one\n* two\n+ three\n• four\n1. five\n2) six\na) seven", []string{"one", "two", "three", "four", "five", "six", "seven"}},
		"a parent is a heading":                 {"- Garden\n  - old roses\n    - red ones", []string{"red ones"}},
		"a parent that reads like a task":       {"- Clean the house\n  - kitchen\n- next", []string{"Clean the house", "kitchen", "next"}},
		"a parent with a box":                   {"- [ ] Garden\n  - roses", []string{"Garden", "roses"}},
		"a parent that ends with a colon":       {"- Buy these things:\n\t- milk", []string{"milk"}},
		"an item over several lines":            {"- one\n  and\n  More\n- two\nand on", []string{"one and More", "two and on"}},
		"a heading without items":               {"# Project\n## Migrate the database\nSome words.\n## Costs\nNone.", []string{"Migrate the database"}},
		"a heading with items":                  {"# Fix the roof\n- nails", []string{"nails"}},
		"a heading with items further down":     {"# Fix the roof\n## Material\n- nails\n# Fix the door", []string{"nails", "Fix the door"}},
		"a heading above a heading that is one": {"# Fix the roof\n## Buy nails", []string{"Buy nails"}},
		"an underlined heading":                 {"Fix the roof\n============\n\n- nails", []string{"nails"}},
		"lines that read like tasks":            {"Call Anna.\nThe house is old.\nPlease write to Bob\n\nWrite", []string{"Call Anna.", "Please write to Bob"}},
		"a line in the middle of a sentence":    {"We all have to\nBuy milk", nil},
		"German":                                {"Rechnung bezahlen\n\nPrüfe den Vertrag\n\nBitte Angebot schreiben (2h)\n\nDer Vertrag liegt vor", []string{"Rechnung bezahlen", "Prüfe den Vertrag", "Bitte Angebot schreiben (2h)"}},
		"nouns that look like verbs":            {"Launch plan\n\nTest is over\n\nDesign: a draft\n\nPlan of work", nil},
		"long prose is no task":                 {"Use " + strings.Repeat("many words ", 30), nil},
		"prefixes":                              {"TODO: one\n- ACTION: two\nNext step: three\nAufgabe: vier\nTODO(me): five\nNote: six", []string{"one", "two", "three", "vier", "five"}},
		"struck out is done":                    {"- ~~one thing~~\n- ~~half~~ of it", []string{"~~one thing~~*", "~~half~~ of it"}},
		"code":                                  {"```\n- one\n~~~\n```\n~~~ sh\n- two\n~~~\n- three", []string{"three"}},
		"code that never ends":                  {"- one\n```\n- two", []string{"one"}},
		"quotes and comments":                   {"> - one\n<!-- - two\n- three -->\n- four", []string{"four"}},
		"front matter":                          {"---\n- one\n---\n- two", []string{"two"}},
		"a rule at the top is no front matter":  {"---\n- one", []string{"one"}},
		"links alone":                           {"- https://example.com\n- [text](https://example.com)\n- see [text](https://example.com)", []string{"see [text](https://example.com)"}},
		"a table of contents":                   {"# Contents\n- one\n- two\n# Work\n- three\nSome part ...... 12", []string{"three"}},
		"contents without a heading":            {"Contents\n1. one\n2. two\n\nBuy milk today", []string{"Buy milk today"}},
		"tables":                                {"| a | b |\n|---|---|\n| [ ] one | Eva |\n| ☑ | two |\n| TODO: three | x |\n| four | five |", []string{"one", "two*", "three"}},
		"rules are no items":                    {"- - -\n***\n- one", []string{"one"}},
		"numbers and signs are no tasks":        {"- 42\n- ---\n- ab\n- abc", []string{"abc"}},
		"line ends of all kinds":                {"- one\r\n- two\r- three\u2028- four", []string{"one", "two", "three", "four"}},
		"a byte order mark":                     {"\uFEFF- one", []string{"one"}},
		"nothing":                               {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, task := range Tasks("doc", c.text, added) {
				text := task.Text
				if task.Done {
					text += "*"
				}
				got = append(got, text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestEffortIsTakenOrEstimated(t *testing.T) {
	for text, want := range map[string]float64{
		"Write it (2h)": 2, "Write it ~30 min": 0.5, "Write it, 3 days": 24, "est: 1.5h for it": 1.5, "Write it [1-2 days]": 12, "Write it (1,5 h)": 1.5,
		"Aufwand: 2 Std. dafür": 2, "Bericht schreiben, 2 Tage": 16, "Move it (1 week)": 40, "Plan it (30m)": 0.5, "Plan it (2d)": 16, "(90 minutes) walk": 1.5, "Ping (1 min)": 0.1,
		"Build it (99 weeks)": 200, "Call within 3 days": 0.5, "Call every 2 weeks": 0.5, "Call in 2 hours": 0.5, "Antwort binnen 3 Tagen schicken": 0.5,
		"Call Anna": 0.5, "Write a letter": 2, "Build a house": 6, "Something": 1, "Write a short letter": 1, "Build the whole house": 12, "Buy a tiny nail": 0.25,
		"Angebot schreiben": 2, "Haus bauen": 6, "Chapter 5 m": 1, "Buy 3 hats": 0.5,
		"Build " + strings.Repeat("very ", 30) + "large things": 16,
	} {
		if got := Effort(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %g hours, want %g", text, got, want)
		}
	}
}

func TestTheIDOfATaskIsThatOfItsText(t *testing.T) {
	id := TaskID("doc", "Write the brief (2h)", 0)
	if err := nestor.CheckID(id); err != nil {
		t.Error(err)
	}
	for _, same := range []string{"write the  Brief", "- [ ] Write the brief (3 days).", "1. Write the\nbrief ~30 min", "TODO: Write the brief!"} {
		if TaskID("doc", same, 0) != id {
			t.Errorf("%q has another id", same)
		}
	}
	for name, other := range map[string]string{
		"another document": TaskID("doc2", "Write the brief (2h)", 0), "another occurrence": TaskID("doc", "Write the brief (2h)", 1),
		"another text": TaskID("doc", "Write the briefs", 0), "a duration that is a part of it": TaskID("doc", "Write the brief 2 days", 0),
	} {
		if other == id {
			t.Errorf("%s has the same id", name)
		}
	}
	if TaskID("doc", "(2h)", 0) == TaskID("doc", "(3h)", 0) {
		t.Error("texts that are only an effort have one id")
	}
}

// The project's own pages, cut into sections that are put into another order.
func TestIDsStayWhenTheTextChangesPlaces(t *testing.T) {
	for _, name := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"} {
		data, err := os.ReadFile("../../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		sections := strings.Split(string(data), "\n## ")
		before := Tasks("doc", strings.Join(sections, "\n## "), added)
		checkTasks(t, before)
		if len(before) < 4 {
			t.Errorf("%s: only %d tasks", name, len(before))
		}
		if again := Tasks("doc", strings.Join(sections, "\n## "), added); !slices.Equal(again, before) {
			t.Errorf("%s: processed again, other tasks", name)
		}
		random := rand.New(rand.NewPCG(7, 8))
		for range 10 {
			random.Shuffle(len(sections)-1, func(i, k int) { sections[i+1], sections[k+1] = sections[k+1], sections[i+1] })
			after := Tasks("doc", strings.Join(sections, "\n## "), added)
			if !slices.Equal(ids(after), ids(before)) {
				t.Fatalf("%s: other ids", name)
			}
		}
	}
	once, twice := Tasks("doc", "- one thing", added), Tasks("doc", "- new\n- one thing\n- One thing", added)
	if twice[1].ID != once[0].ID || twice[2].ID == once[0].ID || twice[2].ID != TaskID("doc", "one thing", 1) {
		t.Error("the same text twice")
	}
}

func ids(tasks []record.ExtractedTask) (all []string) {
	for _, task := range tasks {
		all = append(all, task.ID)
	}
	slices.Sort(all)
	return all
}

// checkTasks fails if the tasks are not what this package promises.
func checkTasks(t *testing.T, tasks []record.ExtractedTask) {
	t.Helper()
	seen := map[string]bool{}
	for _, task := range tasks {
		n := utf8.RuneCountInString(task.Text)
		switch {
		case n < MinTaskChars || n > MaxTaskChars || task.Text != strings.TrimSpace(task.Text) || !utf8.ValidString(task.Text) || strings.ContainsAny(task.Text, "\x00\n\r"):
			t.Errorf("the text %q", task.Text)
		case seen[task.ID] || nestor.CheckID(task.ID) != nil:
			t.Errorf("the id %q", task.ID)
		case !(task.EffortHours >= MinEffort && task.EffortHours <= MaxEffort):
			t.Errorf("%q takes %g hours", task.Text, task.EffortHours)
		}
		seen[task.ID] = true
	}
}

func TestBoundsOfTasksAreKept(t *testing.T) {
	got := Tasks("doc", "- "+strings.Repeat("größer ", 200)+"\n- "+strings.Repeat("ß", 600), added)
	checkTasks(t, got)
	if len(got) != 2 || !strings.HasSuffix(got[0].Text, " größer") || utf8.RuneCountInString(got[1].Text) != MaxTaskChars {
		t.Errorf("%+v", got)
	}
}

// Each takes a careless reader quadratic or exponential time.
func TestLargeTextsAreReadSoon(t *testing.T) {
	const size = doctext.MaxText / 4
	for name, text := range map[string]string{
		"one line": strings.Repeat("a", size), "blank lines": strings.Repeat("\n", size), "open brackets": "- " + strings.Repeat("[", size),
		"continued lines": "- a\n" + strings.Repeat("  b\n", size/4), "headings": strings.Repeat("# Fix it\n", size/9), "dots": strings.Repeat(". ", size/2),
		"links": strings.Repeat("[a](b", size/5), "nested items": nested(1400), "boxes": strings.Repeat("- [ ] a b\n", size/10), "tables": strings.Repeat("|", size),
		"numbers": strings.Repeat("1 - 1 ", size/6), "dashes": strings.Repeat("- ", size/2), "tildes": strings.Repeat("~~a", size/3), "fences": strings.Repeat("```\n", size/4),
	} {
		began := time.Now()
		checkTasks(t, Tasks("doc", text, added))
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func nested(depth int) string {
	var out strings.Builder
	for i := range depth {
		out.WriteString(strings.Repeat(" ", i) + "- item\n")
	}
	return out.String()
}

func FuzzTasks(f *testing.F) {
	f.Add(string(testdata(f, "notes.md")))
	f.Add(string(testdata(f, "list.txt")))
	f.Fuzz(func(t *testing.T, text string) {
		tasks := Tasks("doc", text, added)
		checkTasks(t, tasks)
		for _, task := range tasks {
			if got := Effort(task.Text); !(got >= MinEffort && got <= MaxEffort) {
				t.Errorf("%q takes %g hours", task.Text, got)
			}
		}
	})
}

func TestWhatAModelReportsIsCleaned(t *testing.T) {
	got := FromModel("doc", []Reported{
		{Text: "  - [x] Write the\nbrief ", EffortHours: 3},
		{Text: "write the brief.", EffortHours: 5},
		{Text: "Call Anna"},
		{Text: ""},
		{Text: "ab"},
		{Text: "--- 1"},
		{Text: "Too long", EffortHours: 1e9},
		{Text: "Too short", EffortHours: 1e-9},
		{Text: "No number", EffortHours: math.NaN()},
		{Text: "Negative", EffortHours: -4},
		{Text: "Done already", EffortHours: 1, Done: true},
		{Text: strings.Repeat("word ", 200), EffortHours: 1},
		{Text: "not \xFF UTF-8 \x00", EffortHours: math.Inf(1)},
	}, added)
	checkTasks(t, got)
	var lines []string
	for _, task := range got {
		lines = append(lines, fmt.Sprintf("%.20s %g %t", task.Text, task.EffortHours, task.Done))
	}
	want := []string{
		"Write the brief 3 true", "Call Anna 0.5 false", "Too long 200 false", "Too short 0.1 false", "No number 1 false", "Negative 1 false",
		"Done already 1 true", "word word word word  1 false", "not \uFFFD UTF-8 200 false",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q\nwant %q", lines, want)
	}
	if got[0].ID != TaskID("doc", "Write the brief", 0) || got[0].ID != Tasks("doc", "- write the brief", added)[0].ID {
		t.Error("the id is not that of the rules")
	}
}
