package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
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

func runDocuments(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := processDocuments(ctx, c.Database, c.World, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

func processDocuments(ctx context.Context, db engines.Place, file string, fail *failpoints) ([]string, error) {
	list := module.List{priority.Module}
	of := record.Of(person)
	return workThrough(ctx, db, list, fail, moduleWork{
		handlers: func(s store.Store) (map[string]worker.Handler, error) {
			model := taskFinder{countedModel{demo.New(demo.Options{Instant: true}), fail, file}}
			parts, err := list.Start(ctx, module.Host{Store: s, Models: model, UserBudget: *budget, Logger: slog.New(slog.DiscardHandler)})
			return module.AllHandlers(parts), err
		},
		begin: func(ctx context.Context, s store.Store) error {
			err := s.Update(ctx, func(tx store.Tx) error {
				for _, p := range documents {
					if _, err := tx.Create(p, record.SourceDocument{UserID: person, Title: "Shop", SourceType: "text", Content: "a shop", Status: record.DocumentQueued}); err != nil {
						return err
					}
				}
				return nil
			})
			if errors.Is(err, nestor.ErrExists) {
				return nil // an earlier process has
			}
			return err
		},
		state: func(ctx context.Context, s store.Store) ([]string, error) {
			all := map[string]bool{record.DocumentsOf(person): true, record.VectorSetOf(person).Collection(): true, string(of) + "/usage": true}
			for _, p := range documents {
				all[string(p)+"/task-embeddings"] = true
			}
			return moduleState(ctx, s, all)
		},
	})
}

// analysed is of how many documents the tasks are in the database.
func analysed(t *testing.T, db engines.Place) (n int) {
	t.Helper()
	kinds, err := module.List{priority.Module}.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Open(t.Context(), store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: module.List{priority.Module}.Schemas()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r store.Reader) error {
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
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDocumentsWhoseProcessIsKilledAnywhereEndAsIfNothingHadHappened(t *testing.T) {
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			passed := &failpoints{}
			want, err := processDocuments(t.Context(), engines.New(t, engine), filepath.Join(t.TempDir(), "asked"), passed)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(want, "\n"); strings.Count(text, "/task-embeddings/") != 4 || strings.Count(text, `"status":"completed"`) != 2 {
				t.Fatalf("uninterrupted it left\n%s", text)
			}
			t.Run("killed", func(t *testing.T) {
				for _, point := range analysisPoints(passed.passed()) {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db, file := engines.New(t, engine), filepath.Join(t.TempDir(), "asked")
						dieIn(t, "documents", db, file, point)
						calls := asked(t, file) + len(documents) - analysed(t, db)
						got, err := processDocuments(t.Context(), db, file, &failpoints{})
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Errorf("the end state differs:%s", differences(want, got))
						}
						// Nobody asks again about a document whose answer was kept.
						if n := asked(t, file); n != calls {
							t.Errorf("the model was asked %d times, want %d", n, calls)
						}
					})
				}
			})
		})
	}
}
