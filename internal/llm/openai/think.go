package openai

import (
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// thinking finds what a model thinks in what it says: servers that do not know
// a model's format leave <think>…</think> in the text. A mark in code, between
// backticks or in a fence, is text. The reply comes in pieces, and a mark or a
// fence may be cut anywhere, so the end of a piece that could become one is
// held back until the next.
type thinking struct {
	inside bool
	// begun: text came before. A block that opens the reply is always thought. A
	// block in the middle that never ends may only mention the mark, so it is
	// given back as text at the end.
	begun bool
	late  strings.Builder
	// trim: white space after a block is layout, and is left out.
	trim bool
	held string

	// code is the run of backticks or tildes that opened code, "" outside.
	code   string
	fenced bool // it is a block: only a line of its own ends it
	inLine bool // something other than white space is in this line
}

const (
	openThink  = "<think>"
	closeThink = "</think>"
	// maxRun is how many marks of code in a row are told apart.
	maxRun = 16
)

// feed takes the next piece of text.
func (t *thinking) feed(text string, w *llm.Writer) error { return t.run(t.held+text, false, w) }

// close gives what was held back.
func (t *thinking) close(w *llm.Writer) error {
	if err := t.run(t.held, true, w); err != nil {
		return err
	}
	if t.inside && t.late.Len() > 0 {
		t.inside = false
		return w.Text(openThink + t.late.String())
	}
	return nil
}

func (t *thinking) run(s string, final bool, w *llm.Writer) error {
	t.held = ""
	for s != "" {
		var err error
		if t.inside {
			s, err = t.thought(s, final, w)
		} else {
			s, err = t.said(s, final, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// thought reads up to the end of a block and returns what follows it.
func (t *thinking) thought(s string, final bool, w *llm.Writer) (string, error) {
	end := strings.Index(s, closeThink)
	rest := ""
	if end >= 0 {
		t.inside, t.trim = false, true
		rest = s[end+len(closeThink):]
	} else {
		end = len(s)
		if !final {
			end -= overlap(s, closeThink)
		}
		t.held = s[end:]
	}
	if t.begun {
		t.late.WriteString(s[:end])
	}
	return rest, w.Reasoning(llm.Reasoning{Text: s[:end]})
}

// said reads up to the next block and returns what follows its mark.
func (t *thinking) said(s string, final bool, w *llm.Writer) (string, error) {
	if t.trim {
		if s = strings.TrimLeft(s, " \t\r\n"); s == "" {
			return "", nil
		}
		t.trim = false
	}
	i := 0
	for i < len(s) {
		switch c := s[i]; {
		case c == '\n':
			t.inLine = false
			if !t.fenced {
				t.code = "" // a span ends with its line
			}
			i++
		case c == '`' || c == '~':
			n := run(s[i:])
			if i+n == len(s) && !final && n < maxRun {
				t.held = s[i:]
				return "", t.text(s[:i], w)
			}
			t.mark(s[i : i+n])
			i += n
		case c == '<' && t.code == "" && strings.HasPrefix(s[i:], openThink):
			if err := t.text(s[:i], w); err != nil {
				return "", err
			}
			t.inside = true
			t.late.Reset()
			return s[i+len(openThink):], nil
		case c == '<' && t.code == "" && !final && strings.HasPrefix(openThink, s[i:]):
			t.held = s[i:]
			return "", t.text(s[:i], w)
		default:
			t.inLine = t.inLine || c != ' ' && c != '\t'
			i++
		}
	}
	return "", t.text(s, w)
}

// mark opens or closes code.
func (t *thinking) mark(run string) {
	switch {
	case t.code == "":
		if t.fenced = len(run) >= 3 && !t.inLine; t.fenced || run[0] == '`' {
			t.code = run
		}
	case run[0] == t.code[0] && (t.fenced && !t.inLine && len(run) >= len(t.code) || !t.fenced && len(run) == len(t.code)):
		t.code, t.fenced = "", false
	}
	t.inLine = true
}

func (t *thinking) text(s string, w *llm.Writer) error {
	t.begun = t.begun || strings.TrimSpace(s) != ""
	return w.Text(s)
}

// run is how many marks like the first s begins with.
func run(s string) int {
	n := 1
	for n < len(s) && n < maxRun && s[n] == s[0] {
		n++
	}
	return n
}

// overlap is how much of the end of s could begin the mark.
func overlap(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}
