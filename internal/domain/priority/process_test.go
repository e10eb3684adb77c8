package priority_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// reporter is a model that answers with what it is given, by the number of the
// call, and notes what it was asked.
type reporter struct {
	name    string
	replies []string // report_tasks with these arguments, or text
	asked   []*llm.Request
}

func (m *reporter) Name() string { return m.name }

func (m *reporter) Open(context.Context, string, string) (llm.Model, error) { return m, nil }

func (m *reporter) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	m.asked = append(m.asked, req)
	reply := m.replies[min(len(m.asked), len(m.replies))-1]
	return func(yield func(llm.Event, error) bool) {
		said := []llm.Event{llm.ToolCall{ID: "c1", Name: "report_tasks", Arguments: reply}, llm.Usage{Input: 100, Output: 10}, llm.Finish{Reason: llm.ReasonToolCalls}}
		switch {
		case reply == "refuse":
			said = []llm.Event{llm.Finish{Reason: llm.ReasonRefusal}}
		case reply == "fail":
			yield(nil, nestor.Errorf(nestor.CodeUnavailable, "the provider is away"))
			return
		case !strings.HasPrefix(reply, "{"):
			said[0] = llm.Text{Text: reply}
		}
		for _, e := range said {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// desk is the module on a store, without a worker: a test runs its jobs.
type desk struct {
	*testing.T
	store.Store
	handlers map[string]worker.Handler
}

func openDesk(t *testing.T, open engines.Database, models module.Models) *desk {
	t.Helper()
	return openWith(t, open, module.Host{Models: models}, priority.Module.Keep)
}

func openWith(t *testing.T, open engines.Database, host module.Host, keep map[string]time.Duration) *desk {
	t.Helper()
	mods := module.List{priority.Module}
	kinds, err := mods.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	set, err := trigger.New(nil, trigger.Options{BuiltIn: mods.Triggers()})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: mods.Schemas(), Retention: store.Retention{Collections: keep}})
	host.Store = s
	parts, err := mods.Start(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t, s, module.AllHandlers(parts)}
}

const planAt = nestor.Path("users/ann/processed-documents/d1")

func (d *desk) write(fn func(store.Tx) error) {
	d.Helper()
	if err := d.Update(d.Context(), fn); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) put(at nestor.Path, body any) {
	d.Helper()
	d.write(func(tx store.Tx) error {
		_, err := tx.Put(at, body, store.AnyVersion)
		return err
	})
}

func (d *desk) has(at nestor.Path) (there bool) {
	d.Helper()
	err := d.View(d.Context(), func(r store.Reader) error {
		found, err := store.FindDocument(r, at)
		there = found != nil
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return there
}

func (d *desk) document() (found record.SourceDocument) {
	d.Helper()
	err := d.View(d.Context(), func(r store.Reader) error {
		v, err := store.Find[record.SourceDocument](r, planAt)
		if err == nil && v != nil {
			found = *v
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return found
}

func (d *desk) queue(content string) {
	d.Helper()
	d.put(planAt, record.SourceDocument{UserID: "ann", Title: "Plan", Content: content, SourceType: "text", Status: record.DocumentQueued})
}

// job is the one that waits for a handler, nil if there is none.
func (d *desk) job(id string) *nestor.Job {
	d.Helper()
	jobs, err := d.Jobs(d.Context(), store.JobFilter{Trigger: id, Limit: 10})
	if err != nil {
		d.Fatal(err)
	}
	if len(jobs) == 0 {
		return nil
	}
	return &jobs[0]
}

func (d *desk) run(j *nestor.Job) worker.Effect {
	d.Helper()
	effect, err := d.handlers["process-document"].Run(d.Context(), j)
	if err != nil {
		d.Fatal(err)
	}
	return effect
}

func TestAModelFindsTasks(t *testing.T) {
	const two = `{"tasks":[{"text":"Write the report","effort_hours":3},{"text":"- [x] Call the client","effort_hours":0}]}`
	for _, c := range []struct {
		name, model, content string
		replies              []string
		by, notice           string
		tasks, calls         int
	}{
		{"in one call", "m1", "a report", []string{two}, "m1", "", 2, 1},
		{"and writes JSON as text", "m1", "a report", []string{"Here: " + two}, "m1", "", 2, 1},
		{"in a long document part by part", "m1", strings.Repeat("a line of text\n", 4_500), []string{two, `{"tasks":[{"text":"Buy paper","effort_hours":1}]}`, two}, "m1", "", 3, 3},
		{"whatever else stands in braces", "m1", "a report", []string{"Of {this} and {}: " + two + " {}"}, "m1", "", 2, 1},
		{"also where one is not of the form", "m1", "a report", []string{`{"tasks":[{"text":"Buy paper","effort_hours":"2h"},{"text":7},"Print it"]}`}, "m1", "", 1, 1},
		{"or none", "m1", "a report", []string{`{"tasks":[]}`}, "m1", "No tasks were found", 0, 1},
		{"unless it says nothing that can be read", "m1", "- Buy paper", []string{"Sorry?"}, "rules", "by rules instead of the model: the model reported", 1, 1},
		{"unless it reports something else", "m1", "- Buy paper", []string{`{"items":[]}`}, "rules", "by rules instead of the model", 1, 1},
		{"unless it declines", "m1", "- Buy paper", []string{"refuse"}, "rules", "declined", 1, 1},
		{"unless there is none", "demo", "- Buy paper\n- Print it", nil, "rules", "", 2, 0},
		{"of which a document keeps the first 2,000", "demo", manyTasks(2010), nil, "rules", "Only the first 2000 of 2010 tasks are kept", 2000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				m := &reporter{name: c.model, replies: c.replies}
				d := openDesk(t, open, m)
				d.queue(c.content)
				d.write(d.run(d.job("on-document-queued")))
				got := d.document()
				if got.Status != record.DocumentCompleted || got.StructuredOutput == nil || got.StructuredOutput.ExtractedBy != c.by ||
					len(got.StructuredOutput.Tasks) != c.tasks || len(m.asked) != c.calls {
					t.Errorf("after %d calls the document is %+v with %+v", len(m.asked), got.Status, got.StructuredOutput)
				}
				if c.notice == "" != (got.Notice == "") || !strings.Contains(got.Notice, c.notice) {
					t.Errorf("the notice is %q", got.Notice)
				}
				var days []budget.Day
				err := d.View(t.Context(), func(r store.Reader) (err error) {
					days, err = budget.Days(r, "ann", "2000-01-01", "2100-01-01")
					return err
				})
				if err != nil || len(days) > 0 != (c.calls > 0) {
					t.Errorf("ann is charged %+v: %v", days, err)
				}
			})
		})
	}
}

// A model is told when the document was added, and what it says of days is kept.
func TestAModelFindsDays(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		m := &reporter{name: "m1", replies: []string{`{"tasks":[{"text":"Ask Anna","effort_hours":1,"not_before":"2027-01-20"},{"text":"Send it","effort_hours":1,"due_date":"Friday","not_before":7}]}`}}
		d := openDesk(t, open, m)
		wednesday := nestor.Millis(time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC))
		d.put(planAt, record.SourceDocument{UserID: "ann", Title: "Plan", Content: "a report", ContentAt: wednesday, SourceType: "text", Status: record.DocumentQueued})
		d.write(d.run(d.job("on-document-queued")))
		found := d.document().StructuredOutput.Tasks
		if len(found) != 2 || found[0].NotBefore != "2027-01-20" || found[1].DueDate != "2026-11-20" || found[1].NotBefore != "" {
			t.Errorf("found are %+v", found)
		}
		if said := m.asked[0]; !strings.Contains(said.Messages[0].Parts[0].(llm.Text).Text, "Added on: Wednesday, 18 November 2026\n") {
			t.Errorf("the model was asked %+v", said)
		}
	})
}

func manyTasks(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "- Item %d\n", i)
	}
	return text.String()
}

func TestRulesFindTasksWhenTheBudgetIsUsedUp(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		m := &reporter{name: "m1", replies: []string{`{"tasks":[]}`}}
		d := openWith(t, open, module.Host{Models: m, UserBudget: nestor.Budget{Tokens: 10}}, nil)
		d.queue("- Buy paper")
		d.write(d.run(d.job("on-document-queued")))
		if got := d.document(); got.Status != record.DocumentCompleted || got.StructuredOutput.ExtractedBy != "rules" || len(got.StructuredOutput.Tasks) != 1 ||
			!strings.Contains(got.Notice, "by rules instead of the model") || !strings.Contains(got.Notice, "budget") {
			t.Errorf("the document is %+v with %+v", got, got.StructuredOutput)
		}
		if len(m.asked) > 0 {
			t.Error("the model was asked all the same")
		}
	})
}

func TestProcessingSurvivesACrash(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "m1", replies: []string{`{"tasks":[{"text":"Write the report","effort_hours":3}]}`}})
		d.queue("a report")
		job := d.job("on-document-queued")
		d.run(job) // and the process is gone before the effect
		if got := d.document(); got.Status != record.DocumentProcessing {
			t.Fatalf("the document is %s", got.Status)
		}
		effect := d.run(job)
		d.write(effect)
		d.write(effect) // an effect may run again
		got := d.document()
		if got.Status != record.DocumentCompleted || len(got.StructuredOutput.Tasks) != 1 {
			t.Errorf("the document is %+v", got)
		}
		if d.run(job) != nil {
			t.Error("what is done is done again")
		}
	})
}

func TestContentThatChangesMeanwhileIsProcessedAgain(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "demo"})
		d.queue("- Write the report")
		late := d.run(d.job("on-document-queued"))
		d.queue("- Buy paper")
		d.write(late)
		if got := d.document(); got.Status != record.DocumentQueued || got.StructuredOutput != nil {
			t.Fatalf("a late result replaced what is queued: %+v", got)
		}
		d.write(d.run(d.job("on-document-queued")))
		if got := d.document(); got.Status != record.DocumentCompleted || got.StructuredOutput.Tasks[0].Text != "Buy paper" {
			t.Errorf("the document is %+v", got)
		}
	})
}

func TestADocumentSaysWhyItFailed(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "m1", replies: []string{"fail"}})
		d.queue("- Write the report")
		job, h := d.job("on-document-queued"), d.handlers["process-document"]
		_, err := h.Run(t.Context(), job)
		if !errors.Is(err, nestor.ErrUnavailable) {
			t.Fatalf("the error is %v", err)
		}
		d.write(h.Exhausted(job, err))
		if got := d.document(); got.Status != record.DocumentFailed || !strings.Contains(got.Error, "the provider is away") {
			t.Errorf("the document is %+v", got)
		}
	})
}
