package terminal

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// view prints to a terminal, or to a file.
type view struct {
	out   io.Writer
	live  bool // a terminal: the tree is drawn anew as it changes
	width int
	now   func() time.Time

	drawn     int      // lines of the tree on the screen
	streaming bool     // a text is being printed piece by piece
	held      []string // what is to be said after it
	frame     int
}

// say prints text that stays, after the one that is being streamed.
func (v *view) say(text string) {
	if v.streaming {
		v.held = append(v.held, text)
		return
	}
	v.erase()
	fmt.Fprintf(v.out, "%s\n", Plain(text))
}

// stream prints a piece of a text that is being written.
func (v *view) stream(piece string) {
	v.erase()
	v.streaming = true
	io.WriteString(v.out, Plain(piece))
}

// endStream ends the text, and prints what had to wait for that.
func (v *view) endStream() {
	if !v.streaming {
		return
	}
	v.streaming = false
	io.WriteString(v.out, "\n\n")
	for _, text := range v.held {
		v.say(text)
	}
	v.held = nil
}

// draw shows the agents at work, where lines can be drawn anew.
func (v *view) draw(s *state) {
	if !v.live || v.streaming {
		return
	}
	v.erase()
	v.frame++
	var lines []string
	v.tree(s, "", 0, map[string]bool{}, &lines)
	for _, line := range lines {
		fmt.Fprintf(v.out, "%s\n", v.fit(Plain(line)))
	}
	v.drawn = len(lines)
}

// erase takes the tree off the screen.
func (v *view) erase() {
	if v.drawn > 0 {
		fmt.Fprintf(v.out, "\x1b[%dA\x1b[J", v.drawn)
		v.drawn = 0
	}
}

// tree lists the tasks that are not over, those below each under it. The tasks of an agent
// are listed once, and none that more agents are above than can be.
func (v *view) tree(s *state, agent string, depth int, met map[string]bool, lines *[]string) {
	if met[agent] || depth > nestor.MaxAgentDepth {
		return
	}
	met[agent] = true
	for _, t := range s.below(agent) {
		if t.Status.Ended() {
			continue
		}
		*lines = append(*lines, indent(depth)+v.line(t))
		if t.SubAgentID != "" {
			v.tree(s, t.SubAgentID, depth+1, met, lines)
		}
	}
}

// indent is what stands before a line about a task that has so many agents above it.
func indent(depth int) string {
	return strings.Repeat("  ", min(max(depth, 0), nestor.MaxAgentDepth)+1)
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// line is one task at work: what, how far, for how long, and what it does now.
func (v *view) line(t *task) string {
	mark := spinner[v.frame%len(spinner)]
	doing := t.doing
	switch {
	case t.Status == nestor.TaskWaiting:
		mark, doing = "?", "waits for an answer"
	case t.Paused:
		mark, doing = "‖", "paused"
	}
	elapsed := v.now().Sub(time.UnixMilli(t.CreatedAt)).Round(time.Second)
	parts := []string{fmt.Sprintf("%s %s  %s", mark, role(&t.Task), title(&t.Task)), plural(t.steps, "step"), elapsed.String()}
	if doing != "" {
		parts = append(parts, doing)
	}
	return strings.Join(parts, " · ")
}

// note prints a step of an agent, indented by its place in the tree, where no
// tree is drawn.
func (v *view) note(depth int, text string) {
	if !v.live {
		v.say(indent(depth) + text)
	}
}

// ended prints how a task came out.
func (v *view) ended(t *task) {
	marks := map[nestor.TaskStatus]string{nestor.TaskSuccess: "✓", nestor.TaskFailed: "✗", nestor.TaskCancelled: "–"}
	took := time.Duration(max(t.EndedAt-t.CreatedAt, 0)) * time.Millisecond
	line := fmt.Sprintf("%s %s  %s · %s · %s", marks[t.Status], role(&t.Task), title(&t.Task),
		plural(t.Steps, "step"), took.Round(100*time.Millisecond))
	if t.Outcome == nestor.TaskCouldNot {
		line += " · could not"
	}
	v.say(indent(t.Depth) + line)
}

func (v *view) fit(line string) string {
	if v.width > 0 && utf8.RuneCountInString(line) > v.width-1 {
		return string([]rune(line)[:v.width-2]) + "…"
	}
	return line
}

// role is who does a task: a role, or a tool.
func role(t *nestor.Task) string {
	_, who, _ := strings.Cut(t.Name, ":")
	return who
}

// title is what a task is about, in a few words.
func title(t *nestor.Task) string {
	return cmp.Or(firstLine(t.Title, 80), firstLine(t.Instruction, 60))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// firstLine is the beginning of a text, in one line.
func firstLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
