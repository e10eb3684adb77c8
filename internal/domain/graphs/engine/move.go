package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// move is a step of an execution within a transaction.
type move struct {
	engine *Engine
	tx     store.Tx
	path   nestor.Path // of the execution
	*plan
	progress *record.Progress
	known    map[int]*record.Resolution
	now      int64
	ended    bool
	quiet    bool // nothing is said in the chat
}

// What is resolved in one transaction, so that nobody waits long for it: turns of
// quick nodes, and bytes that come out of them.
const (
	maxTogether      = 50
	maxBytesTogether = 512 << 10
	// quickBytes is how large the inputs of a turn may be that is had at once.
	quickBytes = 16 << 10
)

// advance gives the nodes their turns, unless the execution is paused, or ends it if
// none is left. Turns
// of quick nodes and those that have recorded values are had here and now; the others are created, which causes their
// jobs.
func (m *move) advance() error {
	if m.progress.Paused && len(m.progress.State.Queue) > 0 {
		return m.save()
	}
	var later []graph.Turn
	for turns, bytes := 0, 0; ; {
		next := m.schedule.Next(&m.progress.State)
		quick := 0
		for _, turn := range next {
			node := nodeOf(&m.execution.Graph, turn.Node)
			known := m.engine.types[node.NodeID].Quick && node.Retry == nil || len(m.progress.Recorded[node.ID]) > 0
			if !known || turns == maxTogether || bytes > maxBytesTogether {
				later = append(later, turn)
				continue
			}
			turns, quick = turns+1, quick+1
			size, err := m.resolveNow(turn, node)
			if errors.Is(err, ErrNotQuick) {
				later = append(later, turn)
				continue
			}
			if err != nil || m.ended {
				return err
			}
			bytes += size
		}
		if quick == 0 {
			break
		}
	}
	for _, turn := range later {
		r, err := m.begins(turn)
		if err == nil {
			_, err = m.tx.Create(record.ResolutionAt(m.path, turn.Number), r)
		}
		if err != nil {
			return err
		}
	}
	if len(m.progress.State.Queue) == 0 {
		return m.end(record.ExecutionCompleted, nil)
	}
	return m.save()
}

func (m *move) save() error {
	_, err := m.tx.Put(record.ProgressOf(m.path), m.progress, store.AnyVersion)
	return err
}

// resolveNow has the turn of a quick node and returns how many bytes came of it. Its
// resolution is written once, when it has ended.
func (m *move) resolveNow(had graph.Turn, node *graph.Node) (size int, err error) {
	r, err := m.begins(had)
	if err != nil {
		return 0, err
	}
	t := &turn{path: record.ResolutionAt(m.path, had.Number), resolution: *r, node: node, plan: m.plan}
	var out map[string]json.RawMessage
	var failure *record.Failure
	if r.Recorded > 0 {
		out, failure, err = m.engine.recall(m.tx, t)
		*r = t.resolution
	} else if t.quick = true; t.inputBytes() > quickBytes {
		return 0, ErrNotQuick
	} else if out, err = m.engine.run(context.Background(), t); err != nil && !errors.Is(err, ErrNotQuick) {
		failure, err = t.failure(err), nil
	}
	if err != nil {
		return 0, err
	}
	for _, v := range out {
		size += len(v)
	}
	return size, m.finish(t.node, r, out, failure, func() error {
		_, err := m.tx.Create(t.path, r)
		return err
	})
}

func (t *turn) inputBytes() (n int) {
	for _, v := range t.resolution.Inputs {
		n += len(v)
	}
	return n
}

// turnOf is a turn of a node before anything came of it.
func (m *move) turnOf(number int, node *graph.Node) record.Resolution {
	return record.Resolution{
		UserID: m.path.UserID(), ExecutionID: m.path.ID(), Number: number, NodeID: node.ID, NodeType: node.NodeID,
		Status: record.ResolutionRunning, StartTime: m.now,
	}
}

// begins is a turn with what its inputs have.
func (m *move) begins(turn graph.Turn) (*record.Resolution, error) {
	node := nodeOf(&m.execution.Graph, turn.Node)
	r := m.turnOf(turn.Number, node)
	r.Inputs = map[string]json.RawMessage{}
	if numbers := m.progress.Recorded[node.ID]; len(numbers) > 0 {
		r.Recorded, m.progress.Recorded[node.ID] = numbers[0], numbers[1:]
		return &r, nil
	}
	for _, in := range m.engine.catalogue.Type(node.NodeID).Inputs {
		ref, came := turn.Inputs[in.ID]
		switch given, ok := node.Parameters[in.ID]; {
		case came:
			from, err := m.resolution(ref.Resolution)
			if err != nil {
				return nil, err
			}
			r.Inputs[in.ID] = from.Outputs[ref.Port]
		case ok:
			value, err := json.Marshal(given)
			if err != nil {
				return nil, err
			}
			r.Inputs[in.ID] = value
		}
	}
	return &r, nil
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

// finish notes in r what came of a turn, has it written, and delivers the outputs. If
// the failure is not caught it ends the execution.
func (m *move) finish(node *graph.Node, r *record.Resolution, out map[string]json.RawMessage, failure *record.Failure, write func() error) (err error) {
	r.Status, r.Outputs, r.EndTime = record.ResolutionCompleted, out, m.now
	if failure != nil {
		r.Status, r.Error = record.ResolutionFailed, failure
		if r.Outputs, err = encode(Outputs{graph.OnError: true, graph.Failure: failure}); err != nil {
			return err
		}
	}
	if err := write(); err != nil {
		return err
	}
	m.known[r.Number] = r
	if failure != nil && !m.schedule.Connected(node.ID, graph.OnError) {
		m.drop(r.Number)
		return m.end(record.ExecutionFailed, failure)
	}
	if failure == nil && m.engine.types[node.NodeID].Result {
		if failure = m.note(node, r.Inputs["value"]); failure != nil {
			m.drop(r.Number)
			return m.end(record.ExecutionFailed, failure)
		}
	}
	if failure == nil && m.engine.types[node.NodeID].Says {
		if failure, err = m.say(m.execution, node, r.Number, r.Inputs["text"]); err != nil {
			return err
		}
		if failure != nil {
			m.drop(r.Number)
			return m.end(record.ExecutionFailed, failure)
		}
	}
	if err := m.schedule.Done(&m.progress.State, r.Number, slices.Sorted(maps.Keys(r.Outputs))); err != nil {
		if !errors.Is(err, graph.ErrTooMany) {
			return err
		}
		return m.end(record.ExecutionFailed, &record.Failure{
			NodeID: node.ID, Code: string(nestor.CodeTooLarge), Message: fmt.Sprintf("more than %d resolutions: is there a cycle that does not end?", m.execution.Graph.Limit()),
		})
	}
	return nil
}

// end ends the execution, and what still runs of it.
func (m *move) end(status record.ExecutionStatus, failure *record.Failure) error {
	m.ended = true
	x, err := findToWrite[record.AgentGraphExecution](m.tx, m.path)
	if err != nil || x == nil {
		return err
	}
	for _, entry := range m.progress.State.Queue {
		if entry.Stage != graph.Running {
			continue
		}
		// A turn that was to begin in this very step has no document.
		if _, err := m.tx.Patch(record.ResolutionAt(m.path, entry.Number), map[string]any{
			"status": record.ResolutionCancelled, "endTime": m.now, "paused": nil, "retryTime": nil,
		}, store.AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
	}
	x.Status, x.Error, x.EndTime, x.Output = status, failure, m.now, m.progress.Output
	if _, err := m.tx.Put(m.path, x, store.AnyVersion); err != nil {
		return err
	}
	m.progress.Ended = true
	if err := m.save(); err != nil {
		return err
	}
	return m.tellEnd(x)
}

// drop takes a resolution that has ended out of what end cancels.
func (m *move) drop(number int) {
	m.progress.State.Queue = slices.DeleteFunc(m.progress.State.Queue, func(e graph.Entry) bool { return e.Number == number })
}

// maxOutput bounds the output of an execution, in bytes.
const maxOutput = 256 << 10

// note adds a value to the output of the execution.
func (m *move) note(n *graph.Node, value json.RawMessage) *record.Failure {
	name, _ := n.Parameters["name"].(string)
	if name == "" {
		name = n.ID
	}
	if m.progress.Output == nil {
		m.progress.Output = map[string]json.RawMessage{}
	}
	m.progress.Output[name] = value
	size := 0
	for _, v := range m.progress.Output {
		size += len(v)
	}
	if size > maxOutput {
		delete(m.progress.Output, name)
		return &record.Failure{NodeID: n.ID, Code: string(nestor.CodeTooLarge), Message: fmt.Sprintf("the output of the execution has more than %d bytes", maxOutput)}
	}
	return nil
}
