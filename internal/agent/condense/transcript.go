package condense

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// transcript is a step as text: who said what, which tools were called and what
// they returned.
func transcript(step []Turn) string {
	var lines []string
	for _, t := range step {
		for _, p := range t.Message.Parts {
			switch p := p.(type) {
			case llm.Text:
				lines = append(lines, fmt.Sprintf("%s: %s", t.Message.Role, p.Text))
			case llm.Media:
				lines = append(lines, fmt.Sprintf("%s: %s", t.Message.Role, mediaLine(p)))
			case llm.ToolCall:
				lines = append(lines, fmt.Sprintf("%s calls %s (id %s): %s", t.Message.Role, p.Name, p.ID, p.Arguments))
			case llm.ToolResult:
				lines = append(lines, fmt.Sprintf("%s of %s (id %s): %s", outcome(p), p.Name, p.CallID, p.Content))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func outcome(r llm.ToolResult) string {
	if r.IsError {
		return "error"
	}
	return "result"
}

// outline is a summary made without a model: the one before and a line for
// everything that was said since. The lines get shorter the more there are.
func (w *writer) outline(sofar string, steps [][]Turn, limit int) string {
	sofar = w.written.cut(sofar, limit/2, "")
	text := ""
	for _, length := range []int{400, 200, 100, 50} {
		lines := []string{"Since then, in short:"}
		if sofar == "" {
			lines[0] = "What was said, in short:"
		}
		for _, step := range steps {
			for _, line := range strings.Split(transcript(outlined(step, length)), "\n") {
				lines = append(lines, "- "+line)
			}
		}
		text = strings.TrimSpace(sofar + "\n\n" + strings.Join(lines, "\n"))
		if w.written.text(text) <= limit {
			return text
		}
	}
	return w.written.cut(text, limit, "")
}

// outlined shortens everything in a step to the start of its first lines.
func outlined(step []Turn, length int) []Turn {
	short := make([]Turn, len(step))
	for i, t := range step {
		short[i].Message.Role = t.Message.Role
		for _, p := range t.Message.Parts {
			switch p := p.(type) {
			case llm.Text:
				p.Text = beginning(p.Text, length)
				short[i].Message.Parts = append(short[i].Message.Parts, p)
			case llm.ToolCall:
				p.Arguments = beginning(p.Arguments, length)
				short[i].Message.Parts = append(short[i].Message.Parts, p)
			case llm.ToolResult:
				p.Content = beginning(p.Content, length)
				short[i].Message.Parts = append(short[i].Message.Parts, p)
			case llm.Media:
				short[i].Message.Parts = append(short[i].Message.Parts, p)
			}
		}
	}
	return short
}
