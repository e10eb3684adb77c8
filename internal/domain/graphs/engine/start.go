package engine

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Start begins an execution of a valid graph: it writes the execution, what its
// static nodes put out, and the resolutions whose turn it is.
func (e *Engine) Start(tx store.Tx, path nestor.Path, g *record.AgentGraph, input json.RawMessage) error {
	return e.start(tx, path, &record.AgentGraphExecution{AgentGraphID: g.ID, Name: g.Name, Graph: g.Drawn(), Input: input}, nil)
}

// StartIn does the same for a message of a chat, which is told what comes of it.
func (e *Engine) StartIn(tx store.Tx, path nestor.Path, g *record.AgentGraph, input json.RawMessage, in record.InChat) error {
	return e.start(tx, path, &record.AgentGraphExecution{AgentGraphID: g.ID, Name: g.Name, Graph: g.Drawn(), Input: input, InChat: in}, nil)
}

// origin is the node that an execution is begun for. The zero value is none.
type origin struct {
	parent, root     string // executions
	resolution, item int
	depth            int
}

// startBelow begins an execution that a node waits for.
func (e *Engine) startBelow(tx store.Tx, path nestor.Path, g *record.AgentGraph, input json.RawMessage, from origin) error {
	return e.start(tx, path, &record.AgentGraphExecution{
		AgentGraphID: g.ID, Name: g.Name, Graph: g.Drawn(), Input: input,
		ParentExecutionID: from.parent, ParentResolution: from.resolution, Item: from.item, RootExecutionID: from.root, Depth: from.depth,
	}, nil)
}

// start begins an execution. The first turns of some nodes have recorded values.
func (e *Engine) start(tx store.Tx, path nestor.Path, x *record.AgentGraphExecution, recorded map[string][]int) error {
	now := nestor.Millis(time.Now())
	x.UserID, x.Status, x.StartTime = path.UserID(), record.ExecutionRunning, now
	if _, err := tx.Create(path, x); err != nil {
		return err
	}
	m := &move{engine: e, tx: tx, path: path, now: now, known: map[int]*record.Resolution{}, plan: &plan{execution: x, schedule: graph.NewSchedule(e.catalogue, &x.Graph)}}
	m.progress = &record.Progress{UserID: path.UserID(), ExecutionID: path.ID(), Output: map[string]json.RawMessage{}, Recorded: recorded}
	number := 0
	var failure error
	state, err := m.schedule.Begin(func(n *graph.Node) []string {
		number++
		out, err := encode(e.types[n.NodeID].Values(n.Parameters))
		failure = errors.Join(failure, err)
		r := m.turnOf(number, n)
		r.Status, r.Outputs, r.EndTime = record.ResolutionCompleted, out, now
		m.known[number] = &r
		return slices.Collect(maps.Keys(out))
	})
	if err := errors.Join(err, failure); err != nil {
		return err
	}
	for i := 1; i <= number; i++ {
		if _, err := tx.Create(record.ResolutionAt(path, i), m.known[i]); err != nil {
			return err
		}
	}
	m.progress.State = *state
	return m.advance()
}

func nodeOf(g *graph.Graph, id string) *graph.Node {
	return &g.Nodes[slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.ID == id })]
}
