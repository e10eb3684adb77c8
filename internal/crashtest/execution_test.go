package crashtest

import (
	"context"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
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

// What the execution does in the world.
const (
	calculation = "calculator"
	written     = "letter"
)

// letter is a node type of a program that has an effect on the world.
func (l *life) letter() (engine.NodeType, error) {
	return engine.Registered(*node.New("letter", node.Options{Effect: node.Once}, func(ctx context.Context, in addressed) (addressed, error) {
		_, err := l.touch(ctx, written, "")
		return addressed{"Dear " + in.To}, err
	}))
}

// calculator is a set with a tool that has an effect on the world.
type calculator struct{ *life }

func (l calculator) ForRole(context.Context, string, []string) *tool.Registry {
	type in struct {
		Expression string `json:"expression"`
	}
	return tool.NewRegistry([]*tool.Tool{tool.Func(tool.Spec{Name: calculation, Effect: tool.Once}, func(ctx context.Context, _ tool.Call, _ in) (string, error) {
		_, err := l.touch(ctx, calculation, "")
		return "42", err
	})}, tool.Options{})
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

var executionMatrix = matrix{
	name: "execute", program: execute, kinds: []kind{afterCommit, beforeRequest, inHandler, inEffect},
	whole: func(t *trial, l *life) {
		if end := strings.Join(l.end, "\n"); !strings.Contains(end, `"output":{"written":"Dear Bob"}`) || !strings.Contains(end, `"toolResponse"`) || strings.Count(end, `"repliesTo":"m1"`) != 1 {
			t.Errorf("an uninterrupted execution left\n%s", end)
		}
		if n := len(t.world.ran(model)); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
	},
	check: func(t *trial, _, last *life) bool {
		if n := len(t.world.ran(model)); n > 2+t.killed {
			t.Errorf("the model was asked %d times", n)
		}
		letters, calculations := len(t.world.ran(written)), len(t.world.ran(calculation))
		if letters > 1 || calculations > 1 || !last.unknown && letters+calculations != 2 {
			t.Errorf("%d letters were written, and the tool ran %d times", letters, calculations)
		}
		return last.unknown
	},
	open: 1,
}

func TestAnExecutionThatIsKilledAnywhereGoesOnAtTheNodeWhereItStopped(t *testing.T) {
	executionMatrix.test(t)
}

func execute(ctx context.Context, l *life) ([]string, error) {
	s, set, err := l.openModules(ctx, module.List{chatTables, executionModule})
	if err != nil {
		return nil, err
	}
	made, err := l.letter()
	if err != nil {
		return nil, err
	}
	e, err := engine.New(engine.Options{
		Store: s, Models: l.model(), Tools: calculator{l}, UserBudget: *budget, Logger: quiet,
	}, append(nodes.All(nodes.Options{}), made)...)
	if err != nil {
		return nil, err
	}
	err = l.work(ctx, set, module.Handlers(e, executionModule.Handlers), func(ctx context.Context, s store.Store) error {
		return s.Update(ctx, func(tx store.Tx) error {
			if _, err := tx.Create(record.Of(person).Child("agent-graphs", "inner"), inner); err != nil {
				return err
			}
			if _, err := tx.Create(chatPath, nestor.Chat{Title: "Letters", Budget: budget}); err != nil {
				return err
			}
			return e.StartIn(tx, executionPath, executed, nil, record.InChat{ChatID: chatPath.ID(), MessageID: "m1"})
		})
	})
	if err != nil {
		return nil, err
	}
	end, err := executionState(ctx, s)
	text := strings.Join(end, "\n")
	l.unknown = strings.Contains(text, `"unknown":"perhaps"`) && strings.Contains(text, `"code":"interrupted"`)
	return end, err
}

// executionState is what the executions left, without times.
func executionState(ctx context.Context, s store.Store) (lines []string, err error) {
	of := string(record.Of(person)) + "/agent-graph-executions"
	all := []string{of, string(record.Of(person)) + "/usage", string(record.Of(person)) + "/orch-chats", string(chatPath) + "/messages"}
	executions, err := readAll(ctx, s, []string{of})
	for _, d := range executions {
		all = append(all, string(d.Path)+"/resolutions", string(d.Path)+"/progress")
	}
	if err != nil {
		return nil, err
	}
	return moduleState(ctx, s, all...)
}
