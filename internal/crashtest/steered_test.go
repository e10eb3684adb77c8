package crashtest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
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
	return s.Update(ctx, func(tx store.Tx) error {
		d, err := tx.Get(path)
		if err != nil || d.Version != version {
			return err
		}
		return how(tx, path)
	})
}

var steeredMatrix = matrix{
	name: "steer", program: steered, kinds: []kind{afterCommit, inHandler, inEffect},
	whole: func(t *trial, l *life) {
		end := strings.Join(l.end, "\n")
		if strings.Count(end, `"parentExecutionId":"x1"`) != 3 || !strings.Contains(end, `"attempts":2`) || !strings.Contains(end, `"rerunOf":"x1"`) || strings.Count(end, `"status":"completed"`) < 8 {
			t.Errorf("nobody was killed, and yet it left\n%s", end)
		}
	},
}

func TestAnExecutionThatIsSteeredAndKilledAnywhereEndsAsIfNobodyHad(t *testing.T) {
	steeredMatrix.test(t)
}

// steered does what is left to do of all that happens to the execution.
func steered(ctx context.Context, l *life) ([]string, error) {
	s, set, err := l.openModules(ctx, module.List{chatTables, executionModule})
	if err != nil {
		return nil, err
	}
	var e *engine.Engine
	made, err := steady(func() *engine.Engine { return e }, s)
	if err != nil {
		return nil, err
	}
	if e, err = engine.New(engine.Options{Store: s, Logger: quiet}, append(nodes.All(nodes.Options{}), made)...); err != nil {
		return nil, err
	}
	s.Observe(store.MemoryTurn, e.Committed)
	err = l.work(ctx, set, module.Handlers(e, executionModule.Handlers),
		func(ctx context.Context, s store.Store) error {
			return s.Update(ctx, func(tx store.Tx) error {
				if _, err := tx.Create(record.Of(person).Child("agent-graphs", "inner"), steadyGraph); err != nil {
					return err
				}
				return e.Start(tx, executionPath, steeredGraph, nil)
			})
		},
		func(ctx context.Context, s store.Store) error { return steer(ctx, s, executionPath, 2, e.Resume) },
		func(ctx context.Context, s store.Store) error { return steer(ctx, s, executionPath, 4, again(e)) },
	)
	if err != nil {
		return nil, err
	}
	state, err := executionState(ctx, s)
	for i := range state { // a turn that is paused before it is run again is written more often
		state[i] = versions.ReplaceAllString(state[i], "")
	}
	return state, err
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
