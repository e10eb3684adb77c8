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
	"github.com/nestorhq/nestor/node"
)

// An execution asks the demo model, which calls a tool, and executes another graph at the
// same time, which writes a letter. Then it answers in a chat. Tool and letter must
// happen once at most.

const executionPath = nestor.Path("users/" + person + "/agent-graph-executions/x1")

func edges(list ...string) (all []graph.Edge) {
	for _, e := range list {
		from, to, _ := strings.Cut(e, ">")
		source, out, _ := strings.Cut(from, ".")
		target, in, _ := strings.Cut(to, ".")
		all = append(all, graph.Edge{SourceNodeID: source, SourcePortID: out, TargetNodeID: target, TargetPortID: in})
	}
	return all
}

var executed = &record.AgentGraph{UserID: person, Name: "Letter", Graph: graph.Graph{
	Nodes: []graph.Node{
		{ID: "start", NodeID: "on-start"},
		{ID: "tools", NodeID: "input-tools", Parameters: map[string]any{"tools": []any{"calculator"}}},
		{ID: "ask", NodeID: "invoke-language-model", Parameters: map[string]any{"prompt": "What is 6*7?"}},
		{ID: "below", NodeID: "sub-graph", Parameters: map[string]any{"graphId": "inner"}},
		{ID: "join", NodeID: "join"},
		{ID: "say", NodeID: "write-chat-message"},
		{ID: "out", NodeID: "output"},
		{ID: "unknown", NodeID: "output", Parameters: map[string]any{"value": "perhaps"}},
	},
	Edges: edges("start.signal>ask.run", "start.signal>below.run", "tools.tools>ask.tools", "ask.done>join.run", "below.done>join.run", "ask.text>join.a", "below.text>join.b",
		"join.done>say.run", "join.text>say.text", "say.done>out.run", "join.text>out.value", "ask.onError>unknown.run", "below.onError>unknown.run"),
}}

var inner = &record.AgentGraph{UserID: person, Name: "Inner", Graph: graph.Graph{
	Nodes: []graph.Node{
		{ID: "start", NodeID: "on-start"}, {ID: "letter", NodeID: "letter", Parameters: map[string]any{"to": "Bob"}}, {ID: "written", NodeID: "output"},
	},
	Edges: edges("start.signal>letter.run", "letter.done>written.run", "letter.to>written.value"),
}}

type addressed struct {
	To string `json:"to"`
}

// letter is a node type of a program whose effect is a file, which outlives processes.
func letter(file string) (engine.NodeType, error) {
	return engine.Registered(*node.New("letter", node.Options{Effect: node.Once}, func(_ context.Context, in addressed) (addressed, error) {
		return addressed{"Dear " + in.To}, mark(file)
	}))
}

// oneTool is a set with a tool whose effect is a file.
type oneTool string

func (file oneTool) ForRole(context.Context, string, []string) *tool.Registry {
	type in struct {
		Expression string `json:"expression"`
	}
	return tool.NewRegistry([]*tool.Tool{tool.Func(tool.Spec{Name: "calculator", Effect: tool.Once}, func(context.Context, tool.Call, in) (string, error) {
		return "42", mark(string(file))
	})}, tool.Options{})
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

// executionModule is the part of graphs that executions need.
var executionModule = module.Of[*engine.Engine]{
	Name: "graphs", Collections: record.Collections, Reactions: engine.Reactions,
	Handlers: []module.Handler[*engine.Engine]{{
		Stage: trigger.Stage{Name: engine.Stage, Key: "node:{path}"}, Run: (*engine.Engine).Resolve, Exhausted: (*engine.Engine).GiveUp,
	}, {
		Stage: trigger.Stage{Name: engine.SubGraphEndedStage, Key: "node-graph:{path}"}, Run: (*engine.Engine).SubGraphEnded,
	}, {
		Stage: trigger.Stage{Name: engine.StopSubGraphStage, Key: "node-graph-stop:{path}"}, Run: (*engine.Engine).SubGraphUnwanted,
	}},
}

// chatTables are the documents of chats, without anybody who works on them.
var chatTables = module.Of[struct{}]{Name: "agents", Collections: []*store.Collection{store.Chats, store.Messages}, OldTables: true}

func execute(ctx context.Context, db engines.Place, folder string, fail *failpoints) (state []string, err error) {
	var e *engine.Engine
	return workThrough(ctx, db, module.List{chatTables, executionModule}, fail, moduleWork{
		handlers: func(s store.Store) (map[string]worker.Handler, error) {
			made, err := letter(filepath.Join(folder, "letters"))
			if err != nil {
				return nil, err
			}
			e, err = engine.New(engine.Options{
				Store: s, Models: countedModel{demo.New(demo.Options{Instant: true}), fail, filepath.Join(folder, "asked")}, Tools: oneTool(filepath.Join(folder, "calculations")),
				UserBudget: *budget, Logger: slog.New(slog.DiscardHandler),
			}, append(nodes.All(nodes.Options{}), made)...)
			return module.Handlers(e, executionModule.Handlers), err
		},
		begin: func(ctx context.Context, s store.Store) error {
			err := s.Update(ctx, func(tx store.Tx) error {
				if _, err := tx.Create(record.Of(person).Child("agent-graphs", "inner"), inner); err != nil {
					return err
				}
				if _, err := tx.Create(chatPath, nestor.Chat{Title: "Letters", Budget: budget}); err != nil {
					return err
				}
				return e.StartIn(tx, executionPath, executed, nil, record.InChat{ChatID: chatPath.ID(), MessageID: "m1"})
			})
			if errors.Is(err, nestor.ErrExists) {
				return nil
			}
			return err
		},
		state: executionState,
	})
}

// executionState is what the executions left, without times.
func executionState(ctx context.Context, s store.Store) (lines []string, err error) {
	of := string(record.Of(person)) + "/agent-graph-executions"
	all := map[string]bool{
		of: true, string(record.Of(person)) + "/usage": true, string(record.Of(person)) + "/orch-chats": true, string(chatPath) + "/messages": true,
	}
	err = s.View(ctx, func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: of})
		for _, d := range page.Items {
			all[string(d.Path)+"/resolutions"], all[string(d.Path)+"/progress"] = true, true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return moduleState(ctx, s, all)
}

func TestAnExecutionThatIsKilledAnywhereGoesOnAtTheNodeWhereItStopped(t *testing.T) {
	for _, name := range engines.Names {
		t.Run(name, func(t *testing.T) {
			passed, folder := &failpoints{}, t.TempDir()
			want, err := execute(t.Context(), engines.New(t, name), folder, passed)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(want, "\n"); !strings.Contains(text, `"output":{"written":"Dear Bob"}`) || !strings.Contains(text, `"toolResponse"`) || strings.Count(text, `"repliesTo":"m1"`) != 1 {
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
						letters, calculations := asked(t, filepath.Join(folder, "letters")), asked(t, filepath.Join(folder, "calculations"))
						text := strings.Join(got, "\n")
						switch {
						case letters > 1 || calculations > 1:
							t.Errorf("%d letters were written, and the tool ran %d times", letters, calculations)
						case strings.Contains(text, `"unknown":"perhaps"`) && strings.Contains(text, `"code":"interrupted"`):
							unknown.Add(1) // it was killed while it did what must be done once, or just before
						case !slices.Equal(got, want):
							t.Errorf("the end state differs:%s", differences(want, got))
						case letters != 1 || calculations != 1:
							t.Errorf("%d letters were written, and the tool ran %d times", letters, calculations)
						}
						if n := asked(t, filepath.Join(folder, "asked")); n > 3 {
							t.Errorf("the model was asked %d times", n) // once more than without a kill
						}
					})
				}
			})
			t.Logf("%d of %d processes were killed at their point, %d of them in what must be done once", killed.Load(), len(points), unknown.Load())
			if int(killed.Load()) < len(points)*3/4 || unknown.Load() == 0 || unknown.Load() > 10 {
				t.Error("this tested little")
			}
		})
	}
}
