package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

// screen is what a terminal shows after the bytes that a view wrote: it knows
// the two sequences that a view uses.
func screen(b string) []string {
	lines := []string{""}
	for len(b) > 0 {
		switch {
		case strings.HasPrefix(b, "\x1b["):
			up := 0
			rest := b[2:]
			for rest[0] >= '0' && rest[0] <= '9' {
				up = up*10 + int(rest[0]-'0')
				rest = rest[1:]
			}
			if rest[0] == 'A' {
				lines = append(lines[:len(lines)-1-up], "")
			}
			b = rest[1:]
		case b[0] == '\n':
			lines = append(lines, "")
			b = b[1:]
		default:
			lines[len(lines)-1] += b[:1]
			b = b[1:]
		}
	}
	return lines[:len(lines)-1]
}

func at(ms int64) func() time.Time { return func() time.Time { return time.UnixMilli(ms) } }

func working() *state {
	s := newState()
	s.changed(nestor.Task{
		Meta: nestor.Meta{ID: "t1", CreatedAt: 1000}, Name: "agent:general", Instruction: "Compute\n6*7",
		Status: nestor.TaskRunning, SubAgentID: "a1",
	})
	s.changed(nestor.Task{
		Meta: nestor.Meta{ID: "t2", CreatedAt: 1000}, Name: "agent:researcher", Instruction: "Look it up",
		Status: nestor.TaskRunning, ParentAgentID: "a1",
	})
	s.tasks["t1"].steps, s.tasks["t1"].doing = 1, "calculator"
	return s
}

func TestTheTreeIsDrawnBelowWhatIsSaid(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, live: true, now: at(4000)}
	s := working()
	v.draw(s)
	v.say("Hello.")
	v.draw(s)
	v.draw(s)
	want := []string{"Hello.", "  ⠸ general  Compute 6*7 · 1 step · 3s · calculator", "    ⠸ researcher  Look it up · 0 steps · 3s"}
	if got := screen(out.String()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the screen shows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTasksInACircleAreDrawnOnce(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, live: true, now: at(4000)}
	s := working()
	for _, id := range []string{"c1", "c2"} { // each of them is below itself and the other
		s.changed(nestor.Task{
			Meta: nestor.Meta{ID: id, CreatedAt: 1000}, Name: "agent:general", Instruction: id, Status: nestor.TaskRunning,
			SubAgentID: "a1", ParentAgentID: "a1", Depth: -1,
		})
	}
	v.draw(s)
	if got := screen(out.String()); len(got) != 4 {
		t.Errorf("the screen shows\n%s", strings.Join(got, "\n"))
	}
	s.tasks["c1"].Depth = 1 << 62
	v.ended(s.tasks["c1"])
}

func TestNothingBreaksIntoATextThatIsBeingWritten(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, live: true, now: at(4000)}
	s := working()
	v.draw(s)
	v.stream("One mo")
	v.say("  ✓ done")
	v.draw(s)
	v.stream("ment.")
	v.endStream()
	if got := strings.Join(screen(out.String()), "\n"); got != "One moment.\n\n  ✓ done" {
		t.Errorf("the screen shows\n%s", got)
	}
}

func TestLinesAreCutToTheWidthOfTheTerminal(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, live: true, width: 20, now: at(4000)}
	v.draw(working())
	for _, line := range screen(out.String()) {
		if n := len([]rune(line)); n > 19 {
			t.Errorf("a line has %d characters: %s", n, line)
		}
	}
}

func TestAStateIsIdleWhenNobodyOwesAnything(t *testing.T) {
	s := newState()
	s.said(&nestor.Message{Role: nestor.RoleUser})
	if s.idle() {
		t.Error("idle, though the message is not answered")
	}
	s.said(&nestor.Message{Role: nestor.RoleAssistant, RepliesTo: "m1"})
	if !s.idle() {
		t.Error("not idle, though the message is answered")
	}
	s.changed(nestor.Task{Meta: nestor.Meta{ID: "t1"}, Status: nestor.TaskRunning})
	if s.idle() {
		t.Error("idle, though a task runs")
	}
	s.changed(nestor.Task{Meta: nestor.Meta{ID: "t1"}, Status: nestor.TaskSuccess, RunID: "m1"})
	s.said(&nestor.Message{Role: nestor.RoleAssistant, TaskID: "t1"})
	if s.idle() {
		t.Error("idle, though the run goes on, and something may be concluded")
	}
	s.ran(&client.RunEvent{RunID: "m1", Status: nestor.RunSuccess})
	if !s.idle() {
		t.Error("not idle, though the run has ended")
	}
	s.changed(nestor.Task{Meta: nestor.Meta{ID: "t2"}, Status: nestor.TaskWaiting})
	if s.asking() != nil {
		t.Error("the person is asked before the question is in the chat")
	}
	s.said(&nestor.Message{Role: nestor.RoleAssistant, TaskID: "t2"})
	if s.asking() == nil || !s.idle() {
		t.Error("the person is not asked")
	}
}

func TestAResultStandsOnceBelowTheTitleOfItsTask(t *testing.T) {
	var out bytes.Buffer
	c := &chat{state: newState(), view: &view{out: &out, now: at(0)}}
	for _, id := range []string{"one", "two"} {
		c.task(nestor.Task{Meta: nestor.Meta{ID: id}, Name: "agent:general", Title: "Part " + id, Instruction: "Do all that can be done", Status: nestor.TaskRunning})
	}
	c.task(nestor.Task{Meta: nestor.Meta{ID: "one"}, Name: "agent:general", Title: "Part one", Status: nestor.TaskSuccess, Result: "It is 1."})
	c.task(nestor.Task{
		Meta: nestor.Meta{ID: "two"}, Name: "agent:general", Title: "Part two", Status: nestor.TaskFailed,
		Outcome: nestor.TaskCouldNot, Error: "It is locked.",
	})
	c.message(nestor.Message{Role: nestor.RoleAssistant, TaskID: "one", Content: "It is 1."})
	c.message(nestor.Message{Role: nestor.RoleAssistant, TaskID: "two", Content: "“Part two” could not be done:\n\nIt is locked."})
	c.message(nestor.Message{Role: nestor.RoleAssistant, Content: "So it is 1."})
	const want = `  › general  Part one
  › general  Part two
  ✓ general  Part one · 0 steps · 0s

It is 1.

  ✗ general  Part two · 0 steps · 0s · could not

It is locked.


So it is 1.

`
	if out.String() != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s", out.String(), want)
	}
}

// Models, tools and people in the same chat say what they like, and a terminal obeys.
func TestNothingThatIsSaidMakesTheTerminalObey(t *testing.T) {
	const said = "Hello\x1b]52;c;cm0gLXJmIC8=\a\x1b[2J \x9b31m\u009b\u202egpj.exe\r\b\x7f\x00 w\u00f6rld"
	const want = "Hello]52;c;cm0gLXJmIC8=[2J 31mgpj.exe w\u00f6rld"
	for name, say := range map[string]func(*view, string){
		"said":     (*view).say,
		"streamed": (*view).stream,
		"noted":    func(v *view, text string) { v.note(0, text) },
		"at work": func(v *view, text string) {
			v.live, v.now = true, at(0)
			s := newState()
			s.order = []string{"t"}
			s.tasks["t"] = &task{Task: nestor.Task{Name: "agent:" + text, Instruction: text, Status: nestor.TaskRunning}, doing: text}
			v.draw(s)
		},
	} {
		var b bytes.Buffer
		say(&view{out: &b, width: 500}, strings.ToValidUTF8(said, ""))
		if text := b.String(); !strings.Contains(text, strings.ToValidUTF8(want, "")) || strings.ContainsAny(text, "\x1b\a\r\b\x7f\x00\u009b\u202e") {
			t.Errorf("%s: %q", name, text)
		}
	}
	var b bytes.Buffer
	w := Screen(&b)
	for i := range len(said) { // pieces may end within a character
		if _, err := w.Write([]byte{said[i]}); err != nil {
			t.Fatal(err)
		}
	}
	if text := b.String(); text != "Hello]52;c;cm0gLXJmIC8=[2J \uFFFD31mgpj.exe w\u00f6rld" {
		t.Errorf("%q", text)
	}
}
