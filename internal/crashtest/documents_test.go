package crashtest

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// A person gives documents. A model finds their tasks, and vectors are made of them.

// taskFinder is a model that finds a task in each document, and is counted.
type taskFinder struct{ countedModel }

func (m taskFinder) Name() string                                            { return "finder" }
func (m taskFinder) Open(context.Context, string, string) (llm.Model, error) { return m, nil }

func (m taskFinder) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	for _, err := range m.countedModel.Generate(ctx, req) {
		if err != nil {
			return func(yield func(llm.Event, error) bool) { yield(nil, err) }
		}
	}
	return func(yield func(llm.Event, error) bool) {
		_ = yield(llm.ToolCall{ID: "c1", Name: "report_tasks", Arguments: `{"tasks":[{"text":"Design the shop","effort_hours":2},{"text":"Build the shop","effort_hours":3}]}`}, nil) &&
			yield(llm.Usage{Input: 100, Output: 10}, nil) && yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
	}
}

var documents = []nestor.Path{
	record.Of(person).Child("processed-documents", "d1"), record.Of(person).Child("processed-documents", "d2"),
}

var documentsMatrix = matrix{
	name: "documents", program: processDocuments, kinds: []kind{afterCommit, beforeRequest, inHandler, inEffect},
	whole: func(t *trial, l *life) {
		if end := strings.Join(l.end, "\n"); strings.Count(end, "/task-embeddings/") != 4 || strings.Count(end, `"status":"completed"`) != 2 {
			t.Errorf("uninterrupted it left\n%s", end)
		}
	},
	check: func(t *trial, _, last *life) bool {
		asked := 0
		for _, r := range t.world.ran(model) {
			if r.process == survivor {
				asked++
			}
		}
		if want := len(documents) - last.found; asked != want { // nobody asks again about a document whose answer was kept
			t.Errorf("the model was asked about %d documents after the kill, want %d", asked, want)
		}
		return false
	},
}

func TestDocumentsWhoseProcessIsKilledAnywhereEndAsIfNothingHadHappened(t *testing.T) {
	documentsMatrix.test(t)
}

// processDocuments finds the tasks of the documents. It finds those that are done.
func processDocuments(ctx context.Context, l *life) ([]string, error) {
	list := module.List{priority.Module}
	s, set, err := l.openModules(ctx, list)
	if err != nil {
		return nil, err
	}
	if l.found, err = analysed(ctx, s); err != nil {
		return nil, err
	}
	parts, err := list.Start(ctx, module.Host{Store: s, Models: taskFinder{l.model()}, UserBudget: *budget, Logger: quiet})
	if err != nil {
		return nil, err
	}
	if err := l.work(ctx, set, module.AllHandlers(parts), queueDocuments); err != nil {
		return nil, err
	}
	collections := []string{record.DocumentsOf(person), record.VectorSetOf(person).Collection(), string(record.Of(person)) + "/usage"}
	for _, p := range documents {
		collections = append(collections, string(p)+"/task-embeddings")
	}
	return moduleState(ctx, s, collections...)
}

func queueDocuments(ctx context.Context, s store.Store) error {
	return s.Update(ctx, func(tx store.Tx) error {
		for _, p := range documents {
			if _, err := tx.Create(p, record.SourceDocument{UserID: person, Title: "Shop", SourceType: "text", Content: "a shop", Status: record.DocumentQueued}); err != nil {
				return err
			}
		}
		return nil
	})
}

// analysed is of how many documents the tasks are in the database.
func analysed(ctx context.Context, s store.Store) (n int, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		n = 0
		for _, p := range documents {
			d, err := store.Find[record.SourceDocument](r, p)
			if err != nil {
				return err
			}
			if d != nil && d.Status == record.DocumentCompleted {
				n++
			}
		}
		return nil
	})
	return n, err
}
