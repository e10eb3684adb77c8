package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// NodeType is a node type and what its nodes do.
type NodeType struct {
	graph.Type
	// Values are the outputs of a static node.
	Values func(parameters map[string]any) Outputs
	// Run does the work of a turn.
	Run func(context.Context, *Call) (Outputs, error)
	// Quick: Run computes and needs nothing but its call. Such a turn is had in the
	// transaction that gives it, so it is no step of its own, if it takes next to no time: if
	// its inputs are small, and Run does not say [ErrNotQuick] of a call that is to be quick.
	// Any other is a step, for which nobody waits. The effect of a quick type is pure.
	Quick bool
	// Errand is what an agent is to do in the turn, instead of Run.
	Errand func(*Call) (Errand, error)
	// SubGraph is the graph that is executed in the turn, instead of Run. Such a type
	// has the parameter graphId.
	SubGraph func(*Call) (SubGraph, error)
	// Result: what comes to the input "value" is part of the execution's output.
	Result bool
	// Says: what comes to the input "text" is written into the chat of the execution.
	Says bool
}

// Errand is a task for an agent, in a chat of its own. When the task ends its result
// comes out of the port text, with the signal done.
type Errand struct {
	// Role of the agent.
	Role        string
	Instruction string
	// ResultSchema is what the result fits, if that is not to be any text. Then it is the
	// value that the node puts out, too.
	ResultSchema json.RawMessage
}

// Outputs are what comes out of a node, by port. What a signal has as its value
// means nothing.
type Outputs map[string]any

// Call is one turn of a node.
type Call struct {
	UserID string
	// Run is what the turn is part of; its reach bounds what the node may touch.
	Run nestor.Path
	// Execution is the id of the execution, and Number that of the turn in it.
	Execution string
	Number    int
	Node      *graph.Node
	// Input is what the execution was begun with.
	Input json.RawMessage
	// Inputs are what the inputs have: what came last, or else a parameter.
	Inputs map[string]json.RawMessage
	// Connected reports whether anything leads to an input.
	Connected func(port string) bool
	// Key is the same whenever this turn is tried.
	Key string
	// Asker and Bill are how a model is asked, on whose account.
	Asker *ask.Asker
	Bill  *ask.Bill
	Tools module.Tools

	reveal func(ctx context.Context, userID string, names []string) (map[string]string, error)
	hidden hidden
	// Journal is what the runs of this turn note.
	Journal *Journal
	// Quick: others wait for this turn; see [ErrNotQuick].
	Quick bool
}

// ErrNotQuick says of a call that is to be quick that it takes longer. The turn begins
// anew as a step of its own.
var ErrNotQuick = errors.New("the turn takes longer than a transaction may wait for")

// Options are what an engine works with.
type Options struct {
	Store  store.Documents
	Models module.Models
	Tools  module.Tools
	// Running has the work that [Interrupts] stop. Defaults to work that nobody stops.
	Running *interrupt.Running
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
	// StopAgent ends a task of an agent for a user. It is called only for tasks that
	// Errand asked for.
	StopAgent func(ctx context.Context, task nestor.Path, by string) error
	// PauseAgent and ResumeAgent let the agent of such a task rest and go on.
	PauseAgent, ResumeAgent func(ctx context.Context, task nestor.Path, by string) error
	// Secrets returns values of secrets of a user. Defaults to there being none.
	Secrets func(ctx context.Context, userID string, names []string) (map[string]string, error)
	// Pause waits before a node is tried again. Defaults to waiting for as long.
	Pause func(context.Context, time.Duration) error
	// Processor bounds the time that turns which compute take of each user.
	Processor ProcessorLimits
	// Logger defaults to slog.Default().
	Logger *slog.Logger
}

// Engine has the handler of resolutions. It is safe for concurrent use.
type Engine struct {
	Options
	catalogue *graph.Catalogue
	types     map[string]*NodeType
	asker     *ask.Asker
	processor *processor
	plans     plans
}

// New makes an engine for these types of nodes.
func New(opts Options, types ...NodeType) (*Engine, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Pause == nil {
		opts.Pause = pause
	}
	opts.Running = cmp.Or(opts.Running, &interrupt.Running{})
	e := &Engine{Options: opts, types: map[string]*NodeType{}, processor: newProcessor(opts.Processor), asker: &ask.Asker{Store: opts.Store, Models: opts.Models, Limit: opts.UserBudget}}
	var described []graph.Type
	for _, t := range types {
		if (t.Values == nil) == t.Static || (t.Run == nil && t.Errand == nil && t.SubGraph == nil) != t.Static {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the node type %q has Values if it is static, and else Run, Errand or SubGraph", t.ID)
		}
		if t.Quick && (t.Static || t.Run == nil || t.EffectOf != nil || t.Effect != "" && t.Effect != tool.Pure) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the node type %q is quick, so it has Run and no effect", t.ID)
		}
		described = append(described, t.Type)
		e.types[t.ID] = &t
	}
	var err error
	e.catalogue, err = graph.NewCatalogue(described...)
	return e, err
}

// UsesAgents reports whether an execution of a valid graph can have agents work.
func (e *Engine) UsesAgents(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { t := e.types[n.NodeID]; return t != nil && t.Errand != nil })
}

// Catalogue has the types of nodes there are.
func (e *Engine) Catalogue() *graph.Catalogue { return e.catalogue }
