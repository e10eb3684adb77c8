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
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
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

// countedModel is the demo model. It notes in a file, which outlives processes, that
// it was asked.
type countedModel struct {
	*demo.Model
	fail *failpoints
	file string
}

func (m countedModel) Open(context.Context, string, string) (llm.Model, error) { return m, nil }

func (m countedModel) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	pass(&m.fail.requests, m.fail.Request)
	f, err := os.OpenFile(m.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("x")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return func(yield func(llm.Event, error) bool) { yield(nil, err) }
	}
	return m.Model.Generate(ctx, req)
}

// runAnalysis begins the analysis, or goes on with it, to its end.
func runAnalysis(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := analyse(ctx, c.Database, c.World, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

func analyse(ctx context.Context, db engines.Place, file string, fail *failpoints) (state []string, err error) {
	quiet := slog.New(slog.DiscardHandler)
	return workThrough(ctx, db, module.List{analysisModule}, fail, moduleWork{
		handlers: func(s store.Store) (map[string]worker.Handler, error) {
			return module.Handlers(analyst.New(analyst.Options{
				Store: s, Models: countedModel{demo.New(demo.Options{Instant: true}), fail, file}, Library: library.New(library.Options{Store: s, Logger: quiet}), UserBudget: *budget, Logger: quiet,
			}), analysisModule.Handlers), nil
		},
		begin: beginAnalysis, state: analysisState,
	})
}

// moduleWork is what a module does in a process: with these handlers, from what begin writes
// to what state finds.
type moduleWork struct {
	handlers func(store.Store) (map[string]worker.Handler, error)
	begin    func(context.Context, store.Store) error
	state    func(context.Context, store.Store) ([]string, error)
}

// workThrough begins the work, or goes on with it, until no job is left.
func workThrough(ctx context.Context, db engines.Place, list module.List, fail *failpoints, work moduleWork) (state []string, err error) {
	kinds, err := list.Catalogue()
	if err != nil {
		return nil, err
	}
	set, err := trigger.New(nil, trigger.Options{BuiltIn: list.Triggers()})
	if err != nil {
		return nil, err
	}
	s, err := db.Open(ctx, store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: list.Schemas(), Committed: fail.committed})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	handlers, err := work.handlers(s)
	if err != nil {
		return nil, err
	}
	for name, h := range handlers {
		handlers[name] = fail.guard(h)
	}
	ended := make(chan struct{}, 1)
	w := worker.New(s, worker.Options{
		LeaseTTL: neverExpires, Grace: atOnce, Handlers: handlers, Plan: module.Plan(set), Logger: slog.New(slog.DiscardHandler),
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			select {
			case ended <- struct{}{}:
			default:
			}
		}},
	})
	if err := work.begin(ctx, s); err != nil {
		return nil, err
	}
	if err := workUntil(ctx, w, ended, func(ctx context.Context) (bool, error) {
		left, err := s.Jobs(ctx, store.JobFilter{Limit: 1})
		return len(left) == 0, err
	}); err != nil {
		return nil, err
	}
	return work.state(ctx, s)
}

// beginAnalysis writes what the person has and wants, unless an earlier process has.
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
	if errors.Is(err, nestor.ErrExists) || errors.Is(err, nestor.ErrConflict) {
		return nil
	}
	return err
}

// analysisState is what the analysis left, without times.
func analysisState(ctx context.Context, s store.Store) (lines []string, err error) {
	of := string(record.Of(person))
	return moduleState(ctx, s, map[string]bool{
		of + "/agent-sessions": true, string(analysisPath) + "/reasoning-traces": true, of + "/task-relationships": true, of + "/usage": true,
	})
}

// moduleState is what is in collections, and how many jobs there are, without times.
func moduleState(ctx context.Context, s store.Store, collections map[string]bool) (lines []string, err error) {
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

func TestAnAnalysisThatIsKilledAnywhereEndsAsIfNothingHadHappened(t *testing.T) {
	var ends [][]string
	for _, engine := range engines.Names {
		t.Run(engine, func(t *testing.T) {
			passed, file := &failpoints{}, filepath.Join(t.TempDir(), "asked")
			want, err := analyse(t.Context(), engines.New(t, engine), file, passed)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, want)
			if text := strings.Join(want, "\n"); !strings.Contains(text, `"status":"completed"`) || !strings.Contains(text, `"ordered_task_ids":["t3","t2","t4","t1"]`) {
				t.Fatalf("an uninterrupted analysis left\n%s", text)
			}
			calls := asked(t, file)
			var killed atomic.Int64
			points := analysisPoints(passed.passed())
			t.Run("killed", func(t *testing.T) {
				for _, point := range points {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db, file := engines.New(t, engine), filepath.Join(t.TempDir(), "asked")
						died := 0
						if dieIn(t, "analyse", db, file, point) {
							died = 1
							killed.Add(1)
						}
						got, err := analyse(t.Context(), db, file, &failpoints{})
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Errorf("the end state differs:%s", differences(want, got))
						}
						if n := asked(t, file); n < calls || n > calls+died {
							t.Errorf("the model was asked %d times, not %d, and %d processes were killed", n, calls, died)
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point", killed.Load(), len(points))
			if int(killed.Load()) < len(points)*9/10 {
				t.Error("too few: this tested little")
			}
		})
	}
	if len(ends) == 2 && !slices.Equal(ends[0], ends[1]) {
		t.Errorf("the engines differ:%s", differences(ends[0], ends[1]))
	}
}

// analysisPoints are after every commit, before every model call, in every handler run and in every effect.
func analysisPoints(passed killPoint) (points []killPoint) {
	for n := 1; n <= passed.Commit; n++ {
		points = append(points, killPoint{Commit: n})
	}
	for n := 1; n <= passed.Request; n++ {
		points = append(points, killPoint{Request: n})
	}
	for n := 1; n <= passed.Handler; n++ {
		points = append(points, killPoint{Handler: n})
	}
	for n := 1; n <= passed.Effect; n++ {
		points = append(points, killPoint{Effect: n})
	}
	return points
}

// asked is how often the model was asked.
func asked(t *testing.T, file string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(b)
}
