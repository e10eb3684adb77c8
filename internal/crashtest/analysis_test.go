package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// An analysis orders the tasks of a person. The demo model, which says the same to the
// same, drives it: it searches, reads, has dependencies detected, looks at the graph,
// groups, and submits a plan.

const analysisPath = nestor.Path("users/" + person + "/agent-sessions/s1")

// analysisModule is the part of prioritisation that sessions need.
var analysisModule = module.Of[*analyst.Analyst]{
	Name: "prioritisation", Collections: record.Collections, Reactions: analyst.Reactions,
	Handlers: []module.Handler[*analyst.Analyst]{{
		Stage: trigger.Stage{Name: analyst.Stage, Key: analyst.StageKey, Coalesce: true},
		Run:   (*analyst.Analyst).Prioritize, Exhausted: (*analyst.Analyst).GiveUp,
	}},
}

// countedModel is the demo model. The world is told that it was asked.
type countedModel struct {
	*demo.Model
	life *life
}

func (l *life) model() countedModel { return countedModel{demo.New(demo.Options{Instant: true}), l} }

const model = "model"

func (m countedModel) Open(context.Context, string, string) (llm.Model, error) { return m, nil }

func (m countedModel) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	m.life.pass(beforeRequest, "")
	if _, err := m.life.touch(ctx, model, ""); err != nil {
		return func(yield func(llm.Event, error) bool) { yield(nil, err) }
	}
	return m.Model.Generate(ctx, req)
}

var analysisMatrix = matrix{
	name: "analyse", program: analyse, kinds: []kind{afterCommit, beforeRequest, inHandler, inEffect},
	whole: func(t *trial, l *life) {
		if end := strings.Join(l.end, "\n"); !strings.Contains(end, `"status":"completed"`) || !strings.Contains(end, `"ordered_task_ids":["t3","t2","t4","t1"]`) {
			t.Errorf("an uninterrupted analysis left\n%s", end)
		}
	},
	check: func(t *trial, whole, _ *life) bool {
		calls := len(whole.passed[beforeRequest])
		if n := len(t.world.ran(model)); n < calls || n > calls+t.killed {
			t.Errorf("the model was asked %d times, not %d, and %d processes were killed", n, calls, t.killed)
		}
		return false
	},
}

func TestAnAnalysisThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	analysisMatrix.test(t)
}

func analyse(ctx context.Context, l *life) ([]string, error) {
	s, set, err := l.openModules(ctx, module.List{analysisModule})
	if err != nil {
		return nil, err
	}
	a := analyst.New(analyst.Options{
		Store: s, Models: l.model(), Library: library.New(library.Options{Store: s, Logger: quiet}), UserBudget: *budget, Logger: quiet,
	})
	if err := l.work(ctx, set, module.Handlers(a, analysisModule.Handlers), beginAnalysis); err != nil {
		return nil, err
	}
	of := string(record.Of(person))
	return moduleState(ctx, s, of+"/agent-sessions", string(analysisPath)+"/reasoning-traces", of+"/task-relationships", of+"/usage")
}

// beginAnalysis writes what the person has and wants.
func beginAnalysis(ctx context.Context, s store.Store) error {
	of := record.Of(person)
	doc := record.SourceDocument{
		UserID: person, Title: "Shop", SourceType: "text", Status: record.DocumentCompleted, Content: "1. Announce the shop\n",
		StructuredOutput: &record.StructuredOutput{ExtractedBy: "rules"},
	}
	for i, text := range []string{"Announce the shop", "Build the shop", "Design the shop", "Test the shop"} {
		doc.StructuredOutput.Tasks = append(doc.StructuredOutput.Tasks, record.ExtractedTask{ID: fmt.Sprintf("t%d", i+1), Text: text, EffortHours: 1})
	}
	err := s.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(of.Child("outcomes", "o1"), record.Outcome{
			UserID: person, Direction: "launch", Object: "the shop", Metric: "orders", Clarifier: "by June", AssembledText: "Launch the shop.", Slot: record.SlotActive,
		})
		if err != nil {
			return err
		}
		if _, err := tx.Create(of.Child("processed-documents", "d1"), doc); err != nil {
			return err
		}
		return analyst.Start(tx, analysisPath)
	})
	if errors.Is(err, nestor.ErrConflict) { // an earlier life has
		return nil
	}
	return err
}

// moduleState is what is in collections, and how many jobs there are, without times.
func moduleState(ctx context.Context, s store.Store, collections ...string) (lines []string, err error) {
	documents, err := readAll(ctx, s, collections)
	if err != nil {
		return nil, err
	}
	tell := func(path string, version int64, body map[string]any) error {
		text, err := json.Marshal(timeless(body))
		lines = append(lines, fmt.Sprintf("document %s: version %d, %s", path, version, text))
		return err
	}
	used, writes := map[string]any{}, int64(0) // whatever the share and the day
	for _, d := range documents {
		var body map[string]any
		if err := d.Decode(&body); err != nil {
			return nil, err
		}
		if strings.Contains(string(d.Path), "/usage/") {
			sum(used, body)
			writes += d.Version
		} else if err := tell(string(d.Path), d.Version, body); err != nil {
			return nil, err
		}
	}
	if err := tell("usage", writes, used); err != nil {
		return nil, err
	}
	jobs, err := endJobs(ctx, s)
	lines = append(lines, jobs...)
	slices.Sort(lines)
	return lines, err
}

// timeless drops what differs between equal runs.
func timeless(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	case map[string]any:
		for name, x := range v {
			if strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "Time") || name == "timestamp" || name == "createdAt" || name == "updatedAt" || name == "id" || name == "seq" || name == "createdSeq" {
				delete(v, name)
				continue
			}
			v[name] = timeless(x)
		}
	}
	return v
}
