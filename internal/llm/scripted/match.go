package scripted

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// condition is one "when" of a reply.
type condition struct {
	subject, verb, text string
}

// subjects in the order they are tried and shown.
var subjects = []struct {
	name string
	of   func(*llm.Request) string
}{
	{"system", func(req *llm.Request) string { return req.System }},
	{"last user", lastUser},
	{"last tool", lastTool},
	{"history", history},
	{"tools", tools},
}

var verbs = map[string]func(subject, text string) bool{
	"contains": strings.Contains,
	"lacks":    func(subject, text string) bool { return !strings.Contains(subject, text) },
	"is":       func(subject, text string) bool { return subject == text },
}

func (r *reply) matches(req *llm.Request) bool {
	return !slices.ContainsFunc(r.when, func(c condition) bool { return !c.holds(req) })
}

func (c condition) holds(req *llm.Request) bool {
	for _, s := range subjects {
		if s.name == c.subject {
			return verbs[c.verb](s.of(req), c.text)
		}
	}
	return false
}

func lastUser(req *llm.Request) string {
	for _, m := range slices.Backward(req.Messages) {
		if m.Role == llm.RoleUser {
			return textOf(m)
		}
	}
	return ""
}

func lastTool(req *llm.Request) string {
	var results []string
	for _, m := range slices.Backward(req.Messages) {
		if m.Role == llm.RoleAssistant {
			break
		}
		if m.Role == llm.RoleTool {
			results = append(results, textOf(m))
		}
	}
	slices.Reverse(results)
	return strings.Join(results, "\n")
}

func history(req *llm.Request) string {
	lines := make([]string, len(req.Messages))
	for i, m := range req.Messages {
		lines[i] = textOf(m)
	}
	return strings.Join(lines, "\n")
}

func tools(req *llm.Request) string {
	names := make([]string, len(req.Tools))
	for i, t := range req.Tools {
		names[i] = t.Name
	}
	return strings.Join(names, " ")
}

// textOf is everything in a message that can be read.
func textOf(m llm.Message) string {
	var lines []string
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llm.Text:
			lines = append(lines, part.Text)
		case llm.ToolCall:
			lines = append(lines, part.Name+" "+part.Arguments)
		case llm.ToolResult:
			if part.IsError {
				part.Content = "Error: " + part.Content
			}
			lines = append(lines, part.Name+" "+part.Content)
		}
	}
	return strings.Join(lines, "\n")
}

// describe shows a request by its subjects, shortened.
func describe(req *llm.Request) string {
	lines := make([]string, 0, len(subjects))
	for _, s := range subjects {
		if s.name == "history" {
			continue // the last messages say enough
		}
		const limit = 200
		text := []rune(s.of(req))
		if len(text) > limit {
			text = append(text[:limit], '…')
		}
		lines = append(lines, fmt.Sprintf("  %s: %q", s.name, string(text)))
	}
	return strings.Join(lines, "\n")
}
