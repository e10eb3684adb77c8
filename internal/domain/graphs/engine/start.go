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
	now := nestor.Millis(time.Now())
	if _, err := tx.Create(path, record.AgentGraphExecution{
		UserID: path.UserID(), AgentGraphID: g.ID, Name: g.Name, Status: record.ExecutionRunning, Graph: g.Graph, Input: input, StartTime: now,
	}); err != nil {
		return err
	}
	m := &move{engine: e, tx: tx, path: path, now: now, known: map[int]*record.Resolution{}, schedule: graph.NewSchedule(e.catalogue, &g.Graph), graph: &g.Graph}
	m.progress = &record.Progress{UserID: path.UserID(), ExecutionID: path.ID(), Output: map[string]json.RawMessage{}}
	number := 0
	var failure error
	state, err := m.schedule.Begin(func(n *graph.Node) []string {
		number++
		out, err := encode(e.types[n.NodeID].Values(n.Parameters))
		failure = errors.Join(failure, err)
		m.known[number] = &record.Resolution{
			UserID: path.UserID(), ExecutionID: path.ID(), Number: number, NodeID: n.ID, NodeType: n.NodeID,
			Status: record.ResolutionCompleted, Outputs: out, StartTime: now, EndTime: now,
		}
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

// move is a step of an execution within a transaction.
type move struct {
	engine   *Engine
	tx       store.Tx
	path     nestor.Path // of the execution
	graph    *graph.Graph
	schedule *graph.Schedule
	progress *record.Progress
	known    map[int]*record.Resolution
	now      int64
}

// advance creates the resolutions whose turn it is, or ends the execution if there
// are none left.
func (m *move) advance() error {
	for _, turn := range m.schedule.Next(&m.progress.State) {
		if err := m.begin(turn); err != nil {
			return err
		}
	}
	if len(m.progress.State.Queue) == 0 {
		return m.end(record.ExecutionCompleted, nil)
	}
	_, err := m.tx.Put(record.ProgressOf(m.path), m.progress, store.AnyVersion)
	return err
}

func (m *move) begin(turn graph.Turn) error {
	node := nodeOf(m.graph, turn.Node)
	r := record.Resolution{
		UserID: m.path.UserID(), ExecutionID: m.path.ID(), Number: turn.Number, NodeID: node.ID, NodeType: node.NodeID,
		Status: record.ResolutionRunning, Inputs: map[string]json.RawMessage{}, StartTime: m.now,
	}
	for _, in := range m.engine.catalogue.Type(node.NodeID).Inputs {
		ref, came := turn.Inputs[in.ID]
		switch given, ok := node.Parameters[in.ID]; {
		case came:
			from, err := m.resolution(ref.Resolution)
			if err != nil {
				return err
			}
			r.Inputs[in.ID] = from.Outputs[ref.Port]
		case ok:
			value, err := json.Marshal(given)
			if err != nil {
				return err
			}
			r.Inputs[in.ID] = value
		}
	}
	_, err := m.tx.Create(record.ResolutionAt(m.path, turn.Number), r)
	return err
}

// resolution reads one whose outputs are wanted.
func (m *move) resolution(number int) (*record.Resolution, error) {
	if r := m.known[number]; r != nil {
		return r, nil
	}
	r, err := store.Find[record.Resolution](m.tx, record.ResolutionAt(m.path, number))
	if err == nil && r == nil {
		err = nestor.Errorf(nestor.CodeNotFound, "the resolution %d, whose outputs are needed, was deleted", number)
	}
	m.known[number] = r
	return r, err
}

// end ends the execution, and what still runs of it.
func (m *move) end(status record.ExecutionStatus, failure *record.Failure) error {
	x, err := store.Find[record.AgentGraphExecution](m.tx, m.path)
	if err != nil || x == nil {
		return err
	}
	for _, entry := range m.progress.State.Queue {
		if entry.Stage != graph.Running {
			continue
		}
		if _, err := m.tx.Patch(record.ResolutionAt(m.path, entry.Number), map[string]any{
			"status": record.ResolutionCancelled, "endTime": m.now,
		}, store.AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
	}
	x.Status, x.Error, x.EndTime, x.Output = status, failure, m.now, m.progress.Output
	if _, err := m.tx.Put(m.path, x, store.AnyVersion); err != nil {
		return err
	}
	m.progress.Ended = true
	_, err = m.tx.Put(record.ProgressOf(m.path), m.progress, store.AnyVersion)
	return err
}

// Cancel ends an execution that runs.
func (e *Engine) Cancel(tx store.Tx, path nestor.Path) error {
	d, err := tx.Get(path)
	if err != nil {
		return err
	}
	x, err := nestor.As[record.AgentGraphExecution](d)
	if err != nil {
		return err
	}
	progress, err := store.Find[record.Progress](tx, record.ProgressOf(path))
	if err != nil {
		return err
	}
	if x.Status != record.ExecutionRunning || progress == nil {
		return nestor.Errorf(nestor.CodeConflict, "the execution has ended: it is %s", x.Status).With("status", x.Status)
	}
	m := &move{engine: e, tx: tx, path: path, graph: &x.Graph, progress: progress, now: nestor.Millis(time.Now())}
	return m.end(record.ExecutionCancelled, nil)
}

func nodeOf(g *graph.Graph, id string) *graph.Node {
	return &g.Nodes[slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.ID == id })]
}
