package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/lenient"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

type detectInput struct {
	TaskIDs            []string `json:"task_ids"`
	UseDocumentContext *bool    `json:"use_document_context"`
}

type detectOutput struct {
	Dependencies   []detected `json:"dependencies"`
	UnknownTaskIDs []string   `json:"unknown_task_ids"`
	// Dropped are what the model reported and nobody can use, with the reason.
	Dropped []string `json:"dropped"`
	// KeptManual is how many were left out, since a person has said something
	// about the same tasks.
	KeptManual int `json:"kept_manual"`
}

type detected struct {
	SourceTaskID string                  `json:"source_task_id"`
	TargetTaskID string                  `json:"target_task_id"`
	Type         record.RelationshipType `json:"relationship_type"`
	// Meaning says in words which of the two comes first.
	Meaning    string  `json:"meaning"`
	Confidence float64 `json:"confidence"`
	Reasoning  string  `json:"reasoning"`
}

// reportDependencies is the tool by which the model answers.
const reportDependencies = "report_dependencies"

var reportTool = llm.Tool{
	Name:        reportDependencies,
	Description: "Reports which tasks must come before which, all in one call. None is an answer, too.",
	Parameters: json.RawMessage(`{"type":"object","required":["dependencies"],"properties":{
		"dependencies":{"type":"array","items":{"type":"object","required":["first","then","relationship_type","confidence","reasoning"],"properties":{
			"first":{"type":"string","description":"the task that must come first"},
			"then":{"type":"string","description":"the task that has to wait for it"},
			"relationship_type":{"type":"string","enum":["prerequisite","blocks","related"]},
			"confidence":{"type":"number","description":"0 to 1"},
			"reasoning":{"type":"string","description":"why, in a sentence to the person"}}}}}}`),
}

const detectPrompt = `You find out how tasks depend on each other.

Call report_dependencies once, with every dependency among the tasks below:
- prerequisite: the task in "first" must be done before the one in "then" can begin.
- blocks: the task in "first" holds the one in "then" up until it is out of the way.
- related: the two belong together and have no order.

Name tasks as they are named below: T1, T2 and so on. Report what the texts say or plainly imply, with a confidence that you mean. Leave out what follows from two others. A date by itself makes no task depend on another. Write the reasoning in the language of the tasks, and say in it what the tasks are instead of their names.`

// maxReported bounds what one detection stores.
const maxReported = 500

func (a *Analyst) detect(ctx context.Context, u *use, in detectInput) (any, error) {
	k, ids, unknown, err := a.among(ctx, u.userID, in.TaskIDs, 2)
	if err != nil {
		return nil, err
	}
	texts := ""
	if in.UseDocumentContext == nil || *in.UseDocumentContext {
		if texts, err = a.texts(ctx, u, ids); err != nil {
			return nil, err
		}
	}
	n := newNames(k)
	said, err := a.ask(ctx, u.bill, u.userID, &llm.Request{
		System: detectPrompt, Tools: []llm.Tool{reportTool},
		Messages: []llm.Message{saysUser(today(time.Now()) + n.list(k, ids) + texts)},
	})
	if err != nil {
		return nil, err
	}
	reported, unreadable, err := readReport(said, n)
	if err != nil {
		return nil, err
	}
	out := detectOutput{Dependencies: []detected{}, UnknownTaskIDs: unknown, Dropped: []string{}}
	if unreadable > 0 {
		out.Dropped = append(out.Dropped, fmt.Sprintf("%d that are not of the form that was asked for", unreadable))
	}
	manual, err := a.manual(ctx, u.userID, k)
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, id := range ids {
		asked[id] = true
	}
	// The surest comes first, so that of two that contradict each other it is kept.
	slices.SortStableFunc(reported, func(a, b detected) int { return cmp.Compare(b.Confidence, a.Confidence) })
	seen, order := map[statement]bool{}, map[[2]string]string{}
	for _, d := range reported {
		same := statement{d.SourceTaskID, d.TargetTaskID, d.Type}
		switch why := d.fault(asked); {
		case why != "":
			out.Dropped = append(out.Dropped, meaning(excerpt(d.SourceTaskID, 64), excerpt(d.TargetTaskID, 64), cmp.Or(d.Type, record.Prerequisite))+": "+why)
			continue
		case manual[pair(d.SourceTaskID, d.TargetTaskID)]:
			out.KeptManual++
			continue
		case d.Type.Orders() && order[pair(d.SourceTaskID, d.TargetTaskID)] == d.TargetTaskID:
			out.Dropped = append(out.Dropped, meaning(d.SourceTaskID, d.TargetTaskID, d.Type)+": the opposite is surer")
			continue
		case seen[same] || len(out.Dependencies) == maxReported:
			continue
		}
		seen[same] = true
		if d.Type.Orders() {
			order[pair(d.SourceTaskID, d.TargetTaskID)] = d.SourceTaskID
		}
		d.Reasoning = excerpt(storable(d.Reasoning), 500)
		d.Meaning = meaning(d.SourceTaskID, d.TargetTaskID, d.Type)
		out.Dependencies = append(out.Dependencies, d)
		u.found = append(u.found, record.TaskRelationship{
			UserID: u.userID, SourceTaskID: d.SourceTaskID, TargetTaskID: d.TargetTaskID, Type: d.Type, Confidence: d.Confidence,
			DetectionMethod: record.AIInference, Origin: record.OriginDetected, Reasoning: d.Reasoning,
		})
	}
	return out, nil
}

// fault is what is wrong with a dependency that a model reports, "" if nothing is.
func (d *detected) fault(asked map[string]bool) string {
	switch {
	case !asked[d.SourceTaskID] || !asked[d.TargetTaskID]:
		return "one of them is none of the tasks asked about"
	case d.SourceTaskID == d.TargetTaskID:
		return "a task cannot depend on itself"
	case d.Type != record.Prerequisite && d.Type != record.Blocks && d.Type != record.Related:
		return fmt.Sprintf("%q is no type of relationship", excerpt(string(d.Type), 32))
	case !(d.Confidence >= 0 && d.Confidence <= 1):
		return "its confidence is not between 0 and 1"
	}
	return ""
}

// readReport finds the dependencies in a reply: in the call, or as JSON in the text. One
// that cannot be read is counted, and the others are taken.
func readReport(said llm.Message, n *names) (found []detected, unreadable int, err error) {
	text := ""
	for _, p := range said.Parts {
		switch p := p.(type) {
		case llm.ToolCall:
			if p.Name == reportDependencies {
				return parseReport(p.Arguments, n)
			}
		case llm.Text:
			text += p.Text
		}
	}
	object, ok := lenient.Object(text, "dependencies")
	if !ok {
		return nil, 0, nestor.Errorf(nestor.CodeUnavailable, "the model did not report dependencies, but said: %s", excerpt(storable(text), 200))
	}
	return parseReport(object, n)
}

func parseReport(text string, n *names) (found []detected, unreadable int, err error) {
	var r struct {
		Dependencies *lenient.List[struct {
			detected
			Confidence lenient.Number        `json:"confidence"`
			Reasoning  lenient.Value[string] `json:"reasoning"`
		}] `json:"dependencies"`
	}
	if err := json.Unmarshal(n.idsIn(json.RawMessage(text)), &r); err != nil || r.Dependencies == nil {
		return nil, 0, nestor.Errorf(nestor.CodeUnavailable, "the model did not report dependencies as it was asked to: %s", excerpt(storable(text), 200))
	}
	for _, d := range r.Dependencies.Items {
		d.detected.Confidence, d.detected.Reasoning = float64(d.Confidence), d.Reasoning.Of
		found = append(found, d.detected)
	}
	return found, r.Dependencies.Wrong, nil
}

// list shows tasks to a model, one a line.
func (n *names) list(k *tasks.List, ids []string) string {
	var b strings.Builder
	b.WriteString("# Tasks\n")
	for _, id := range ids {
		t := k.Task(id)
		fmt.Fprintf(&b, "- %s | %s | %gh | %s", n.handles[t.ID], cell(t.Text, 300), t.EffortHours, cell(t.DocumentTitle, 80))
		if t.NotBefore != "" {
			b.WriteString(" | not before " + t.NotBefore)
		}
		if t.DueDate != "" {
			b.WriteString(" | due " + t.DueDate)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// today says what day it is.
func today(now time.Time) string { return "Today is " + record.LongDay(now) + ".\n\n" }

// cell is a text in a field of a line.
func cell(s string, n int) string { return strings.ReplaceAll(excerpt(s, n), "|", "/") }

// texts are the documents of tasks, as much of them as one call of a tool shows.
func (a *Analyst) texts(ctx context.Context, u *use, ids []string) (string, error) {
	out, err := a.documents(ctx, u, documentsInput{TaskIDs: ids})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, d := range out.(*documentsOutput).Documents {
		if d.Text != "" {
			fmt.Fprintf(&b, "\n# Document: %s\n%s\n", excerpt(d.Title, 200), d.Text)
		}
	}
	return b.String(), nil
}

// manual are the pairs of tasks that a person has said something about.
func (a *Analyst) manual(ctx context.Context, userID string, k *tasks.List) (pairs map[[2]string]bool, err error) {
	err = a.store.View(ctx, func(r store.Reader) error {
		pairs = map[[2]string]bool{}
		all, err := k.Relationships(r, userID)
		for _, rel := range all {
			if rel.Origin == record.OriginManual {
				pairs[pair(rel.SourceTaskID, rel.TargetTaskID)] = true
			}
		}
		return err
	})
	return pairs, err
}

// statement is what a relationship says.
type statement struct {
	source, target string
	is             record.RelationshipType
}

// pair is the same for two tasks in either order.
func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// storeRelationships writes what was detected. What a person made stays; what was
// detected before in the other direction is replaced.
func storeRelationships(tx store.Tx, userID string, found []record.TaskRelationship) error {
	for _, rel := range found {
		p := record.RelationshipAt(userID, rel.SourceTaskID, rel.TargetTaskID, rel.Type)
		old, err := store.Find[record.TaskRelationship](tx, p)
		if err != nil {
			return err
		}
		if old != nil && old.Origin == record.OriginManual {
			continue
		}
		if rel.Type.Orders() {
			for _, t := range []record.RelationshipType{record.Prerequisite, record.Blocks} {
				back := record.RelationshipAt(userID, rel.TargetTaskID, rel.SourceTaskID, t)
				reverse, err := store.Find[record.TaskRelationship](tx, back)
				if err != nil {
					return err
				}
				if reverse == nil || reverse.Origin == record.OriginManual {
					continue
				}
				if err := tx.Delete(back, store.AnyVersion); err != nil {
					return err
				}
			}
		}
		if _, err := tx.Put(p, rel, store.AnyVersion); err != nil {
			return err
		}
	}
	return nil
}
