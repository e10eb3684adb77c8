package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
)

// markdown writes a chat for people. What people wrote and tools said is no Markdown, so it
// stands in fences; what models said is, and stands as it is.
type markdown struct {
	w io.Writer
	// tasks are by their agents, for the headings of these.
	tasks map[string]nestor.Task
}

func (f *markdown) print(format string, args ...any) error {
	_, err := fmt.Fprintf(f.w, format, args...)
	return err
}

func at(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }

// fenced is a text between fences that are longer than any in it.
func fenced(text, language string) string {
	longest, run := 2, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// line is a name or a title as a part of a line, of which nothing is Markdown: who gave it
// must not write a heading with it, and below that the words of somebody else.
func line(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`[]<", r) {
			b.WriteByte('\\')
		}
		if !unicode.IsControl(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code is a name as code within a line.
func code(text string) string {
	return "`" + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'") + "`"
}

func (f *markdown) begin(c *nestor.Chat) error {
	if err := f.print("# %s\n\n%s\n", cmp.Or(line(c.Title), "Chat"), at(c.CreatedAt)); err != nil || c.SystemPrompt == "" {
		return err
	}
	return f.print("\n## Instructions\n\n%s", fenced(c.SystemPrompt, "text"))
}

func (f *markdown) message(m *nestor.Message) error {
	who := map[nestor.Role]string{nestor.RoleUser: cmp.Or(m.AuthorID, "User"), nestor.RoleAssistant: "Nestor", nestor.RoleTool: "Tool", nestor.RoleSystem: "Nestor"}[m.Role]
	switch m.Type {
	case nestor.MessageError:
		who = "Error"
	case nestor.MessageSummary:
		who = "Summary"
	}
	if err := f.print("\n## %s · %s\n\n", who, at(m.CreatedAt)); err != nil {
		return err
	}
	return f.said(m.Role, m.Content, m.Parts, m.ToolCalls)
}

// said writes what a message says, the files that it names, and the calls that it asks for.
func (f *markdown) said(role nestor.Role, content string, parts []nestor.Part, calls []nestor.ToolRequest) error {
	switch {
	case content == "":
	case role == nestor.RoleAssistant || role == nestor.RoleSystem:
		if err := f.print("%s\n", content); err != nil {
			return err
		}
	default:
		if err := f.print("%s", fenced(content, "text")); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if p.FileID == "" {
			continue
		}
		if err := f.print("\nFile: %s\n", code(cmp.Or(p.Name, p.FileID))); err != nil {
			return err
		}
	}
	for _, c := range calls {
		if err := f.print("\nCall of %s:\n\n%s", code(c.Function.Name), fenced(c.Function.Arguments, "json")); err != nil {
			return err
		}
	}
	return nil
}

func (f *markdown) task(t *nestor.Task) error {
	if f.tasks == nil {
		f.tasks = map[string]nestor.Task{}
		if err := f.print("\n# Agents\n"); err != nil {
			return err
		}
	}
	if t.SubAgentID != "" {
		f.tasks[t.SubAgentID] = nestor.Task{Name: t.Name, Status: t.Status, Error: t.Error, Outcome: t.Outcome}
		return nil
	}
	return f.print("\n## %s · %s\n\n%s", line(t.Name), line(string(t.Status)), fenced(cmp.Or(t.Error, t.Instruction), "text"))
}

func (f *markdown) agent(a *nestor.SubAgent) error {
	t := f.tasks[a.ID]
	if err := f.print("\n## %s · %s · %s\n", line(cmp.Or(t.Name, a.Role)), a.ID, cmp.Or(string(t.Status), string(a.Status))); err != nil || t.Error == "" {
		return err
	}
	how := "Failed"
	if t.Outcome == nestor.TaskCouldNot {
		how = "Could not be done"
	}
	return f.print("\n%s: %s\n", how, line(t.Error))
}

func (f *markdown) agentMessage(m *nestor.SubAgentMessage) error {
	who := string(m.Role)
	if m.Name != "" {
		who += " · " + line(m.Name)
	}
	if err := f.print("\n### %s · %s\n\n", who, at(m.CreatedAt)); err != nil {
		return err
	}
	return f.said(m.Role, m.Content, m.Parts, m.ToolCalls)
}

func (f *markdown) call(c *nestor.ToolCall) error {
	if err := f.print("\n### Call of %s · %s\n\n", line(c.ToolName), line(string(c.Status))); err != nil {
		return err
	}
	if len(c.Args) > 0 {
		if err := f.print("%s", fenced(argText(c.Args), "json")); err != nil {
			return err
		}
	}
	if c.Error == "" {
		return nil // its result is told by the message that answers it
	}
	return f.print("\n%s", fenced(c.Error, "text"))
}

func argText(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		return text
	}
	return string(args)
}

func (f *markdown) end() error { return nil }
