package agent_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// render writes down what is in the chat: its messages, then each task with
// the inside of its agent. Ids are names; times and positions are left out.
func (w *world) render() string {
	w.Helper()
	var b page
	for _, line := range w.refused {
		b.line(0, "%s", line)
	}
	if w.document(w.chat) != nil {
		w.renderChat(&b)
	} else {
		b.line(0, "the chat is gone")
	}
	for _, j := range w.jobsIn(nestor.JobDead) {
		b.line(0, "dead %s:", j.Trigger)
		b.text(1, j.Error)
	}
	for _, e := range w.tools.done() {
		b.line(0, "effect: %s", e)
	}
	for _, user := range w.users()[1:] {
		if paid := w.paidBy(user); paid != (spent{}) {
			b.line(0, "%s pays%s", user.ID(), strings.TrimPrefix(used(&paid.Usage, paid.micros), ", used"))
		}
	}
	text := strings.ReplaceAll(w.names.hide(b.String()), string(w.chat), "CHAT")
	text = strings.ReplaceAll(text, "-"+w.chat.UserID(), "") // of people
	text = references.ReplaceAllString(text, "(reference …)")
	return estimates.ReplaceAllString(text, "may need …")
}

// references are ids of jobs and calls.
var references = regexp.MustCompile(`\(reference [^)]+\)`)

// estimates depend on the length of prompts.
var estimates = regexp.MustCompile(`may need \$?[0-9.,]+`)

func (w *world) renderChat(b *page) {
	chat := load[nestor.Chat](w, w.chat)
	unsaid := strings.Replace(used(chat.UnsaidUsage, chat.UnsaidCostMicros), "used", "unsaid", 1)
	b.line(0, "chat %q%s%s", chat.Title, used(chat.Usage, chat.CostMicros), unsaid)
	for _, m := range inOrder(list[nestor.Message](w, w.chat, "messages")) {
		w.renderMessage(b, m)
	}
	agents := map[string]nestor.SubAgent{}
	for _, a := range list[nestor.SubAgent](w, w.chat, "sub-agents") {
		agents[a.TaskID] = a
	}
	tasks := list[nestor.Task](w, w.chat, "tasks")
	slices.SortFunc(tasks, func(a, b nestor.Task) int { return strings.Compare(w.names.hide(a.ID), w.names.hide(b.ID)) })
	for _, t := range tasks {
		b.WriteString("\n")
		renderTask(b, t)
		if a, ok := agents[t.ID]; ok {
			w.renderAgent(b, a)
		}
		delete(agents, t.ID)
	}
	for id := range maps.Keys(agents) {
		b.line(0, "an agent without its task %s", id)
	}
}

// inOrder sorts notices that follow each other: they come from calls that run
// in parallel.
func inOrder(messages []nestor.Message) []nestor.Message {
	for i := 0; i < len(messages); {
		end := i
		for end < len(messages) && messages[end].Type == nestor.MessageStatus {
			end++
		}
		slices.SortFunc(messages[i:end], func(a, b nestor.Message) int { return strings.Compare(a.Content, b.Content) })
		i = end + 1
	}
	return messages
}

func (w *world) renderMessage(b *page, m nestor.Message) {
	head := string(m.Role)
	if m.Role == nestor.RoleUser {
		head = m.ID
	}
	if m.AuthorID != "" {
		head += " by " + m.AuthorID
	}
	if m.Type != nestor.MessageText {
		head += " " + string(m.Type)
	}
	head += interrupted(m.Metadata)
	if m.RepliesTo != "" && m.Type != nestor.MessageSummary {
		head += " to " + m.RepliesTo
	}
	if m.TaskID != "" {
		head += " on " + m.TaskID
	}
	if m.SubAgentID != "" {
		head += " from " + m.SubAgentID
	}
	if m.ToolCallID != "" {
		head += " about " + m.ToolCallID
	}
	if m.HandedTo != "" {
		head += " handed to " + m.HandedTo
	}
	if m.QuestionID != "" && m.Role == nestor.RoleUser {
		head += " as an answer"
	}
	b.said(0, head, m.Content)
	for _, c := range m.ToolCalls {
		b.line(1, "%s %s", c.Function.Name, c.Function.Arguments)
	}
}

func interrupted(m *nestor.MessageMetadata) string {
	if m != nil && m.FinishReason == nestor.FinishInterrupted {
		return " interrupted"
	}
	return ""
}

func renderTask(b *page, t nestor.Task) {
	head := fmt.Sprintf("%s %s %s", t.ID, t.Name, t.Status)
	if t.TriggerMessageID != "" {
		head += " for " + t.TriggerMessageID
	}
	if t.ParentAgentID != "" {
		head += " below " + t.ParentAgentID
	}
	if t.Paused {
		head += ", paused"
	}
	if t.Outcome != "" {
		head += ", " + string(t.Outcome)
	}
	head += askedBy(t.AskedBy, t.UserID)
	b.line(0, "%s%s", head, used(t.Usage, t.CostMicros))
	b.said(1, "instruction", t.Instruction)
	for _, f := range []struct{ name, text string }{{"question", t.Question}, {"choices", strings.Join(t.Choices, " | ")}, {"result", t.Result}, {"error", t.Error}} {
		if f.text != "" {
			b.said(1, f.name, f.text)
		}
	}
}

// askedBy names who asked, the chat's own user as me.
func askedBy(askers nestor.Askers, owner string) string {
	if len(askers) == 0 {
		return ""
	}
	names := slices.Clone(askers)
	for i, id := range names {
		if id == owner {
			names[i] = "me"
		}
	}
	return ", asked by " + strings.Join(names, " and ")
}

func (w *world) renderAgent(b *page, a nestor.SubAgent) {
	b.line(0, "%s %s %s, %d of %d steps%s", a.ID, a.Role, a.Status, a.IterationCount, a.IterationLimit, askedBy(a.AskedBy, a.UserID))
	p := w.agent(a.ID)
	calls := map[string]nestor.ToolCall{}
	for _, c := range list[nestor.ToolCall](w, p, "tool-calls") {
		if c.EndsTask {
			renderTaskCall(b, c)
			continue
		}
		calls[c.ID] = c
	}
	answers := map[string]string{}
	messages := list[nestor.SubAgentMessage](w, p, "messages")
	for _, m := range messages {
		if m.Role == nestor.RoleTool {
			answers[m.ToolCallID] = m.Content
			if m.IsError == nil {
				b.line(1, "an answer that does not say whether the call failed")
			} else if *m.IsError {
				answers[m.ToolCallID] = "Error: " + m.Content
			}
		}
	}
	for _, m := range messages {
		switch m.Role {
		case nestor.RoleTool: // stands below the call that it answers
			continue
		case nestor.RoleSystem:
			if m.Type == "" {
				b.said(1, "system", firstLine(m.Content))
				continue
			}
		}
		head := string(m.Role)
		if m.Type != "" {
			head += " " + string(m.Type)
		}
		head += interrupted(m.Metadata)
		if m.Name != "" {
			head += " " + m.Name
		}
		b.said(1, head, m.Content)
		for _, c := range m.ToolCalls {
			doc, ok := calls[c.ID]
			renderCall(b, c, doc, ok)
			if content, ok := answers[c.ID]; ok {
				b.text(3, content)
			}
			delete(calls, c.ID)
			delete(answers, c.ID)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(calls)) {
		b.line(1, "a call of %s that nobody made", calls[c].ToolName)
	}
	for _, content := range answers {
		b.said(1, "an answer to nothing", content)
	}
}

// renderCall shows what the model sent and, where there is a document of the
// call, how it stands. What the model was told follows.
func renderCall(b *page, c nestor.ToolRequest, doc nestor.ToolCall, exists bool) {
	line := strings.TrimSpace(c.Function.Name + " " + c.Function.Arguments)
	if exists {
		if doc.Sent != nil {
			line += fmt.Sprintf(" as %s %s", doc.ToolName, doc.Args)
		}
		line += " → " + string(doc.Status)
		if doc.Held {
			line += ", held"
		}
		if doc.TaskID != "" {
			line += " by " + doc.TaskID
		}
	}
	b.line(2, "%s", shortened(line))
	for _, d := range doc.Decisions {
		b.line(3, "%s by %s %s", d.Action, d.By, d.Args)
	}
}

// renderTaskCall shows a call that is a task.
func renderTaskCall(b *page, c nestor.ToolCall) {
	b.line(1, "call: %s", shortened(fmt.Sprintf("%s %s → %s", c.ToolName, c.Args, c.Status)))
	for _, d := range c.Decisions {
		b.line(2, "%s by %s %s", d.Action, d.By, d.Args)
	}
}

// page is text that is being written.
type page struct{ strings.Builder }

func (b *page) line(depth int, format string, args ...any) {
	b.WriteString(strings.Repeat("  ", depth) + strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// said is a heading and a text, further lines below it.
func (b *page) said(depth int, head, text string) {
	first, rest, more := strings.Cut(shortened(text), "\n")
	b.line(depth, "%s: %s", head, first)
	if more {
		b.text(depth+1, rest)
	}
}

func (b *page) text(depth int, text string) {
	for line := range strings.SplitSeq(shortened(text), "\n") {
		b.line(depth, "| %s", line)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// shortened keeps the beginning of long texts, and the end, which says how they
// were cut.
func shortened(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	runes := []rune(s)
	n := utf8.RuneCountInString(s)
	if n <= most {
		return s
	}
	return fmt.Sprintf("%s […%d characters…] %s", string(runes[:60]), n-120, string(runes[n-60:]))
}

func used(u *nestor.Usage, micros int64) string {
	if u.Tokens() == 0 {
		return ""
	}
	text := fmt.Sprintf(", used %d+%d tokens", u.InputTokens, u.OutputTokens)
	if micros > 0 {
		text += fmt.Sprintf(", %d micros", micros)
	}
	return text
}
