package priority

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/priority/intake"
	"github.com/nestorhq/nestor/internal/domain/priority/lenient"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
)

//go:embed extract.md
var extractPrompt string

var reportTasks = llm.Tool{
	Name: "report_tasks", Description: "Report all tasks of the document.",
	Parameters: json.RawMessage(`{"type":"object","required":["tasks"],"properties":{"tasks":{"type":"array","items":{"type":"object","required":["text","effort_hours"],` +
		`"properties":{"text":{"type":"string"},"effort_hours":{"type":"number"},"done":{"type":"boolean"},` +
		`"due_date":{"type":"string","description":"YYYY-MM-DD"},"not_before":{"type":"string","description":"YYYY-MM-DD"}}}}}}`),
}

// chunkChars is how much of a document a model reads at once.
const chunkChars = 30_000

// errUseless: the model answered, and nothing can be made of it.
var errUseless = nestor.Errorf(nestor.CodeInvalid, "the model reported no tasks in a form that can be read")

// extract finds the tasks of a document with a model, part by part.
func (p *Priority) extract(ctx context.Context, bill *ask.Bill, model llm.Model, d *record.SourceDocument) ([]record.ExtractedTask, error) {
	var reported []intake.Reported
	for _, part := range chunks(d.Content, chunkChars) {
		reply, err := p.asker.Ask(ctx, bill, model, &llm.Request{
			System: extractPrompt, Tools: []llm.Tool{reportTasks}, ToolChoice: reportTasks.Name,
			Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: fmt.Sprintf("Title: %s\nAdded on: %s\n\n%s", d.Title, record.LongDay(d.Added()), part)}}}},
		})
		if err != nil {
			return nil, err
		}
		found, ok := readReport(reply)
		if !ok {
			return nil, errUseless
		}
		reported = append(reported, found...)
	}
	return intake.FromModel(d.ID, reported, d.Added()), nil
}

// readReport reads the tasks of a reply: of its calls, or of its text for a model
// that writes the JSON there. A task that cannot be read is left out.
func readReport(reply llm.Reply) (all []intake.Reported, ok bool) {
	for _, part := range reply.Message.Parts {
		text := ""
		switch part := part.(type) {
		case llm.ToolCall:
			if part.Name == reportTasks.Name {
				text = part.Arguments
			}
		case llm.Text:
			text, _ = lenient.Object(part.Text, "tasks")
		}
		var report struct {
			Tasks *lenient.List[struct {
				Text        string                        `json:"text"`
				EffortHours lenient.Value[lenient.Number] `json:"effort_hours"`
				Done        lenient.Value[bool]           `json:"done"`
				DueDate     lenient.Value[string]         `json:"due_date"`
				NotBefore   lenient.Value[string]         `json:"not_before"`
			}] `json:"tasks"`
		}
		if text == "" || json.Unmarshal([]byte(text), &report) != nil || report.Tasks == nil || len(report.Tasks.Items) == 0 && report.Tasks.Wrong > 0 {
			continue
		}
		ok = true
		for _, t := range report.Tasks.Items {
			all = append(all, intake.Reported{
				Text: t.Text, EffortHours: float64(t.EffortHours.Of), Done: t.Done.Of, DueDate: t.DueDate.Of, NotBefore: t.NotBefore.Of,
			})
		}
	}
	return all, ok
}

// chunks cuts a text into parts of at most so many characters, at the end of a line
// where there is one.
func chunks(text string, most int) (parts []string) {
	for rest := []rune(text); len(rest) > 0; {
		n := min(len(rest), most)
		if n < len(rest) {
			for at := n; at > n/2; at-- {
				if rest[at-1] == '\n' {
					n = at
					break
				}
			}
		}
		if part := string(rest[:n]); strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
		rest = rest[n:]
	}
	return parts
}
