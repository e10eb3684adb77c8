package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// An execution has a graph executed for each of two values. The first of these executions
// fails and is begun again; then somebody pauses all of it, while a node runs below. It is
// resumed, and, when it has ended, run again from its last node. Whatever is killed, the
// same executions are there in the end, with the same values.

const rerunPath = nestor.Path("users/" + person + "/agent-graph-executions/x2")

var steeredGraph = &record.AgentGraph{UserID: person, Name: "Steered", Graph: graph.Graph{
	Nodes: []graph.Node{
		{ID: "start", NodeID: "on-start"},
		{ID: "each", NodeID: "for-each", Retry: &graph.Retry{Attempts: 2}, Parameters: map[string]any{"graphId": "inner", "list": []any{"a", "b"}, "parallel": 1}},
		{ID: "last", NodeID: "steady", Parameters: map[string]any{"to": "all"}},
		{ID: "out", NodeID: "output"},
	},
	Edges: edges("start.signal>each.run", "each.done>last.run", "last.done>out.run", "last.to>out.value"),
}}

var steadyGraph = &record.AgentGraph{UserID: person, Name: "Inner", Graph: graph.Graph{
	Nodes: []graph.Node{{ID: "start", NodeID: "on-start"}, {ID: "work", NodeID: "steady"}, {ID: "out", NodeID: "output"}},
	Edges: edges("start.signal>work.run", "start.text>work.to", "work.done>out.run", "work.to>out.value"),
}}

// attemptID is the id of an execution for the first value.
func attemptID(attempt int) string {
	return nestor.DeriveID("sub-graph", string(record.ResolutionAt(executionPath, 2)), "0", fmt.Sprint(attempt))
}

// steady is a node type that fails in the first attempt for the first value, and has the
// execution paused in the second, unless it was before.
func steady(e func() *engine.Engine, s store.Store) (engine.NodeType, error) {
	return engine.Registered(node.Type{
		ID: "steady", Effect: tool.Idempotent, Inputs: []node.Port{{ID: "to", Type: node.String}}, Outputs: []node.Port{{ID: "to", Type: node.String}},
		Run: func(ctx context.Context, c *node.Call) (map[string]any, error) {
			switch c.ExecutionID {
			case attemptID(1):
				return nil, nestor.Errorf(nestor.CodeUnavailable, "not yet")
			case attemptID(2):
				if err := steer(ctx, s, executionPath, 1, e().Pause); err != nil {
					return nil, err
				}
			}
			return map[string]any{"to": "Dear " + string(c.Inputs["to"])}, nil
		},
	})
}

// steer does something to an execution if it is at a version.
func steer(ctx context.Context, s store.Store, path nestor.Path, version int64, how func(store.Tx, nestor.Path) error) error {
	err := s.Update(ctx, func(tx store.Tx) error {
		d, err := tx.Get(path)
		if err != nil || d.Version != version {
			return err
		}
		return how(tx, path)
	})
	if errors.Is(err, nestor.ErrExists) { // an earlier process has run it again
		return nil
	}
	return err
}

func runSteered(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	state, err := steered(ctx, c.Database, fail)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

// steered does what is left to do of all that happens to the execution.
func steered(ctx context.Context, db engines.Place, fail *failpoints) (state []string, err error) {
	var e *engine.Engine
	for _, begin := range []func(context.Context, store.Store) error{
		func(ctx context.Context, s store.Store) error {
			err := s.Update(ctx, func(tx store.Tx) error {
				if _, err := tx.Create(record.Of(person).Child("agent-graphs", "inner"), steadyGraph); err != nil {
					return err
				}
				return e.Start(tx, executionPath, steeredGraph, nil)
			})
			if errors.Is(err, nestor.ErrExists) {
				return nil
			}
			return err
		},
		func(ctx context.Context, s store.Store) error { return steer(ctx, s, executionPath, 2, e.Resume) },
		func(ctx context.Context, s store.Store) error { return steer(ctx, s, executionPath, 4, again(e)) },
	} {
		state, err = workThrough(ctx, db, module.List{chatTables, executionModule}, fail, moduleWork{
			handlers: func(s store.Store) (map[string]worker.Handler, error) {
				made, err := steady(func() *engine.Engine { return e }, s)
				if err != nil {
					return nil, err
				}
				e, err = engine.New(engine.Options{Store: s, Logger: slog.New(slog.DiscardHandler)}, append(nodes.All(nodes.Options{}), made)...)
				if err == nil {
					s.Observe(store.MemoryTurn, e.Committed)
				}
				return module.Handlers(e, executionModule.Handlers), err
			},
			begin: begin,
			state: executionState,
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range state { // a turn that is paused before it is run again is written more often
		state[i] = versions.ReplaceAllString(state[i], "")
	}
	return state, nil
}

// again runs an execution that has ended again, from its last node.
func again(e *engine.Engine) func(store.Tx, nestor.Path) error {
	return func(tx store.Tx, path nestor.Path) error {
		x, err := store.Find[record.AgentGraphExecution](tx, path)
		if err != nil {
			return err
		}
		plan, problems, err := e.PlanRerun(tx, x, "last", x.Graph)
		if err != nil || len(problems) > 0 {
			return errors.Join(err, fmt.Errorf("%+v", problems))
		}
		return e.StartRerun(tx, rerunPath, plan)
	}
}

var versions = regexp.MustCompile(` version \d+,|,"version":\d+`)

func TestAnExecutionThatIsSteeredAndKilledAnywhereEndsAsIfNobodyHad(t *testing.T) {
	for _, name := range engines.Names {
		t.Run(name, func(t *testing.T) {
			passed := &failpoints{}
			want, err := steered(t.Context(), engines.New(t, name), passed)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(want, "\n")
			if strings.Count(text, `"parentExecutionId":"x1"`) != 3 || !strings.Contains(text, `"attempts":2`) || !strings.Contains(text, `"rerunOf":"x1"`) || strings.Count(text, `"status":"completed"`) < 8 {
				t.Fatalf("nobody was killed, and yet it left\n%s", text)
			}
			var killed atomic.Int64
			points := analysisPoints(passed.passed())
			t.Run("killed", func(t *testing.T) {
				for _, point := range points {
					t.Run(fmt.Sprintf("%+v", point), func(t *testing.T) {
						t.Parallel()
						db := engines.New(t, name)
						if dieIn(t, "steer", db, "", point) {
							killed.Add(1)
						}
						got, err := steered(t.Context(), db, &failpoints{})
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Errorf("the end state differs:%s", differences(want, got))
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point", killed.Load(), len(points))
			if int(killed.Load()) < len(points)*3/4 {
				t.Error("this tested little")
			}
		})
	}
}
