package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// An execution asks the demo model twice at once, joins what it says, and writes a
// letter, which must be written once at most.

const executionPath = nestor.Path("users/" + person + "/agent-graph-executions/x1")

var executed = &record.AgentGraph{Name: "Letter", Graph: graph.Graph{
	Nodes: []graph.Node{
		{ID: "start", NodeID: "on-start"},
		{ID: "a", NodeID: "invoke-language-model", Parameters: map[string]any{"prompt": "One"}},
		{ID: "b", NodeID: "invoke-language-model", Parameters: map[string]any{"prompt": "Two"}},
		{ID: "join", NodeID: "join"},
		{ID: "letter", NodeID: "letter"},
		{ID: "out", NodeID: "output", Parameters: map[string]any{"value": "written"}},
		{ID: "unknown", NodeID: "output", Parameters: map[string]any{"value": "perhaps written"}},
	},
	Edges: []graph.Edge{
		{SourceNodeID: "start", SourcePortID: "signal", TargetNodeID: "a", TargetPortID: "run"},
		{SourceNodeID: "start", SourcePortID: "signal", TargetNodeID: "b", TargetPortID: "run"},
		{SourceNodeID: "a", SourcePortID: "done", TargetNodeID: "join", TargetPortID: "run"},
		{SourceNodeID: "b", SourcePortID: "done", TargetNodeID: "join", TargetPortID: "run"},
		{SourceNodeID: "a", SourcePortID: "text", TargetNodeID: "join", TargetPortID: "a"},
		{SourceNodeID: "b", SourcePortID: "text", TargetNodeID: "join", TargetPortID: "b"},
		{SourceNodeID: "join", SourcePortID: "done", TargetNodeID: "letter", TargetPortID: "run"},
		{SourceNodeID: "letter", SourcePortID: "done", TargetNodeID: "out", TargetPortID: "run"},
		{SourceNodeID: "letter", SourcePortID: "onError", TargetNodeID: "unknown", TargetPortID: "run"},
	},
}}

// letter is a node type whose effect is a file, which outlives processes.
func letter(file string) engine.NodeType {
	return engine.NodeType{
		Type: graph.Type{
			ID: "letter", Effect: tool.Once, Inputs: []graph.Port{{ID: "run", Type: graph.Signal}}, Outputs: []graph.Port{{ID: "done", Type: graph.Signal}},
		},
		Run: func(context.Context, *engine.Call) (engine.Outputs, error) {
			return engine.Outputs{"done": true}, mark(file)
		},
	}
}

// mark adds a letter to a file.
func mark(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close())
}

// runExecution begins the execution, or goes on with it, to its end.
func runExecution(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := execute(ctx, c.Database, c.World, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

func execute(ctx context.Context, db engines.Place, folder string, fail *failpoints) (state []string, err error) {
	quiet := slog.New(slog.DiscardHandler)
	m := module.Of[*engine.Engine]{
		Name: "graphs", Collections: record.Collections, Reactions: engine.Reactions,
		Handlers: []module.Handler[*engine.Engine]{{
			Stage: trigger.Stage{Name: engine.Stage, Key: "node:{path}"}, Run: (*engine.Engine).Resolve, Exhausted: (*engine.Engine).GiveUp,
		}},
	}
	list := module.List{m}
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
	e, err := engine.New(engine.Options{
		Store: s, Models: countedModel{demo.New(demo.Options{Instant: true}), fail, filepath.Join(folder, "asked")}, UserBudget: *budget, Logger: quiet,
	}, append(nodes.All(nodes.Options{}), letter(filepath.Join(folder, "letters")))...)
	if err != nil {
		return nil, err
	}
	handlers := module.Handlers(e, m.Handlers)
	for name, h := range handlers {
		handlers[name] = fail.guard(h)
	}
	ended := make(chan struct{}, 1)
	w := worker.New(s, worker.Options{
		LeaseTTL: neverExpires, Grace: atOnce, Handlers: handlers, Plan: module.Plan(set), Logger: quiet,
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			select {
			case ended <- struct{}{}:
			default:
			}
		}},
	})
	err = s.Update(ctx, func(tx store.Tx) error { return e.Start(tx, executionPath, executed, nil) })
	if err != nil && !errors.Is(err, nestor.ErrExists) {
		return nil, err
	}
	if err := workUntil(ctx, w, ended, func(ctx context.Context) (bool, error) {
		left, err := s.Jobs(ctx, store.JobFilter{Limit: 1})
		return len(left) == 0, err
	}); err != nil {
		return nil, err
	}
	return executionState(ctx, s)
}

// executionState is what the execution left, without times.
func executionState(ctx context.Context, s store.Store) (lines []string, err error) {
	of := string(record.Of(person))
	documents, err := readAll(ctx, s, map[string]bool{
		of + "/agent-graph-executions": true, string(executionPath) + "/resolutions": true, string(executionPath) + "/progress": true, of + "/usage": true,
	})
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		var body map[string]any
		if err := d.Decode(&body); err != nil {
			return nil, err
		}
		path := string(d.Path)
		if strings.Contains(path, "/usage/") {
			path = of + "/usage/day"
		}
		text, err := json.Marshal(timeless(body))
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("document %s: version %d, %s", path, d.Version, text))
	}
	jobs, err := endJobs(ctx, s)
	lines = append(lines, jobs...)
	slices.Sort(lines)
	return lines, err
}

func TestAnExecutionThatIsKilledAnywhereGoesOnAtTheNodeWhereItStopped(t *testing.T) {
	for _, name := range engines.Names {
		t.Run(name, func(t *testing.T) {
			passed, folder := &failpoints{}, t.TempDir()
			want, err := execute(t.Context(), engines.New(t, name), folder, passed)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(want, "\n"); !strings.Contains(text, `"output":{"out":"written"}`) {
				t.Fatalf("an uninterrupted execution left\n%s", text)
			}
			if n := asked(t, filepath.Join(folder, "asked")); n != 2 {
				t.Fatalf("the model was asked %d times", n)
			}
			var killed, unknown atomic.Int64
			points := analysisPoints(passed.passed())
			t.Run("killed", func(t *testing.T) {
				for _, point := range points {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db, folder := engines.New(t, name), t.TempDir()
						if dieIn(t, "execute", db, folder, point) {
							killed.Add(1)
						}
						got, err := execute(t.Context(), db, folder, &failpoints{})
						if err != nil {
							t.Fatal(err)
						}
						letters, text := asked(t, filepath.Join(folder, "letters")), strings.Join(got, "\n")
						switch {
						case strings.Contains(text, `"output":{"unknown":"perhaps written"}`) && strings.Contains(text, `"code":"interrupted"`):
							unknown.Add(1) // it was killed while it wrote, or just before
							if letters > 1 {
								t.Errorf("%d letters were written", letters)
							}
						case !slices.Equal(got, want):
							t.Errorf("the end state differs:%s", differences(want, got))
						case letters != 1:
							t.Errorf("%d letters were written", letters)
						}
						// Both may have been under way when the process was killed.
						if n := asked(t, filepath.Join(folder, "asked")); n > 4 {
							t.Errorf("the model was asked %d times", n)
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point, %d of them while they wrote the letter", killed.Load(), len(points), unknown.Load())
			if int(killed.Load()) < len(points)*3/4 || unknown.Load() == 0 || unknown.Load() > 5 {
				t.Error("this tested little")
			}
		})
	}
}
