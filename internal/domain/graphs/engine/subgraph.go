package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// SubGraph is a graph that a node has executed, once for each input. Each is an execution
// of its own, below that of the node.
type SubGraph struct {
	// GraphID is a graph of the same user.
	GraphID string
	// Inputs are what the executions begin with.
	Inputs []json.RawMessage
	// Parallel is how many run at the same time. Defaults to one.
	Parallel int
	// Result is what the node puts out, given the output of each execution.
	Result func([]map[string]json.RawMessage) (Outputs, error)
}

// The bounds of graphs within graphs.
const (
	// MaxDepth is how deep executions are nested.
	MaxDepth = 8
	// MaxBelow is how many executions are begun below one that a person began.
	MaxBelow = 1000
)

// The handlers of executions that nodes wait for.
const (
	SubGraphEndedStage = "node-graph-ended"
	StopSubGraphStage  = "node-graph-stop"
)

var subGraphReactions = []nestor.Trigger{{
	ID: "node-graph-ended", Collection: "users/*/agent-graph-executions", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.type == 'delete' && has(event.before.data.parentExecutionId) || " +
		"event.type == 'update' && has(event.document.data.parentExecutionId) && event.document.data.status != event.before.data.status && " +
		"event.document.data.status in ['completed', 'failed', 'cancelled']",
	Action: "POST /webhook/" + SubGraphEndedStage,
}, {
	ID: "node-graph-unwanted", Collection: "users/*/agent-graph-executions/*/resolutions", Events: []nestor.ChangeType{nestor.Update, nestor.Delete},
	Condition: "event.type == 'delete' && has(event.before.data.below) || " +
		"event.type == 'update' && has(event.document.data.below) && event.before.data.status == 'running' && event.document.data.status in ['cancelled', 'failed']",
	Action: "POST /webhook/" + StopSubGraphStage,
}}

// Reference is a node that has a graph executed.
type Reference struct{ NodeID, GraphID string }

// References are the nodes of a graph that have graphs executed.
func (e *Engine) References(g *graph.Graph) (all []Reference) {
	for _, n := range g.Nodes {
		if t := e.types[n.NodeID]; t != nil && t.SubGraph != nil {
			id, _ := n.Parameters["graphId"].(string)
			all = append(all, Reference{n.ID, id})
		}
	}
	return all
}

// descend begins the executions that a node waits for. The resolution goes on to run until
// they have ended.
func (e *Engine) descend(t *turn) worker.Effect {
	err := e.complete(t)
	var sub SubGraph
	if err == nil {
		sub, err = e.types[t.node.NodeID].SubGraph(e.call(t))
	}
	if err != nil {
		return e.finish(t, nil, t.failure(err))
	}
	return func(tx store.Tx) error {
		r, err := store.Find[record.Resolution](tx, t.path)
		if err != nil || r == nil || r.Status != record.ResolutionRunning || r.RetryTime != t.resolution.RetryTime {
			return err
		}
		if r.Below == nil { // else an earlier run of this job has begun, or the turn is resumed
			r.Below = &record.Below{Count: len(sub.Inputs)}
		}
		now := *t // the effect may be run again
		now.resolution = *r
		if failure, err := e.beginDue(tx, &now, &sub); err != nil {
			return err
		} else if failure != nil {
			return e.merge(tx, &now, nil, failure)
		}
		return e.proceed(tx, &now, &sub)
	}
}

// beginDue begins the next attempts of those that failed and have waited long enough, unless
// the turn is paused. They have kept their places among those that run at the same time.
func (e *Engine) beginDue(tx store.Tx, t *turn, sub *SubGraph) (*record.Failure, error) {
	r := &t.resolution
	if r.RetryTime == 0 || r.Paused {
		return nil, nil
	}
	due := r.RetryTime
	r.RetryTime = 0
	var later []int
	for _, item := range r.Below.Again {
		if at := nextTime(r, item); at > due {
			later = append(later, item)
			if r.RetryTime == 0 || at < r.RetryTime {
				r.RetryTime = at
			}
			continue
		}
		if failure, err := e.beginBelow(tx, t, sub, item); err != nil || failure != nil {
			return failure, err
		}
		r.Below.Open = append(r.Below.Open, item)
	}
	r.Below.Again = later
	return nil, nil
}

// nextTime is when the next attempt for an item begins.
func nextTime(r *record.Resolution, item int) (at int64) {
	for _, try := range r.Tries {
		if try.Item == item {
			at = try.NextTime
		}
	}
	return at
}

// proceed begins as many executions as may run, none if the turn is paused, or ends the
// resolution when all of them have ended.
func (e *Engine) proceed(tx store.Tx, t *turn, sub *SubGraph) error {
	below := t.resolution.Below
	for below.Next < below.Count && len(below.Open)+len(below.Again) < max(sub.Parallel, 1) && !t.resolution.Paused {
		if failure, err := e.beginBelow(tx, t, sub, below.Next); err != nil {
			return err
		} else if failure != nil {
			return e.merge(tx, t, nil, failure)
		}
		below.Open = append(below.Open, below.Next)
		below.Next++
	}
	if below.Next < below.Count || len(below.Open)+len(below.Again) > 0 {
		_, err := tx.Put(t.path, t.resolution, store.AnyVersion)
		return err
	}
	out, err := e.gather(tx, t, sub)
	if err != nil {
		return e.merge(tx, t, nil, t.failure(err))
	}
	return e.merge(tx, t, out, nil)
}

// childOf is where an execution that a resolution waits for lies: that of an item, in one
// of its attempts.
func childOf(resolution nestor.Path, item, attempt int) nestor.Path {
	return record.ExecutionAt(resolution.UserID(), nestor.DeriveID("sub-graph", string(resolution), fmt.Sprint(item), fmt.Sprint(attempt)))
}

// beginBelow begins one execution, or says why it cannot be.
func (e *Engine) beginBelow(tx store.Tx, t *turn, sub *SubGraph, item int) (*record.Failure, error) {
	parent := t.execution
	from := origin{parent: t.executionPath().ID(), resolution: t.resolution.Number, item: item, root: parent.RootExecutionID, depth: parent.Depth + 1}
	if from.root == "" {
		from.root = from.parent
	}
	if from.depth > MaxDepth {
		return t.failure(nestor.Errorf(nestor.CodeTooLarge, "graphs are nested more than %d deep: does one run itself without an end?", MaxDepth)), nil
	}
	root := record.ProgressOf(record.Of(t.path.UserID()).Child("agent-graph-executions", from.root))
	progress, err := store.Find[record.Progress](tx, root)
	switch {
	case err != nil:
		return nil, err
	case progress == nil || progress.Ended:
		return t.failure(errEnded), nil
	case progress.Below >= MaxBelow:
		return t.failure(nestor.Errorf(nestor.CodeTooLarge, "more than %d executions of graphs were begun below the execution %s", MaxBelow, from.root)), nil
	}
	if err := nestor.CheckID(sub.GraphID); err != nil { // a document may be written past the check of graphs
		return t.failure(nestor.Errorf(nestor.CodeNotFound, "there is no graph %.100q: %s", sub.GraphID, err)), nil
	}
	at := record.Of(t.path.UserID()).Child("agent-graphs", sub.GraphID)
	if err := access.InReach(tx, store.RunAt(t.path, t.execution.RunID), time.Now(), at); err != nil {
		return t.failure(err), nil
	}
	g, err := store.Find[record.AgentGraph](tx, at)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return t.failure(nestor.Errorf(nestor.CodeNotFound, "there is no graph %q", sub.GraphID)), nil
	}
	if report := e.catalogue.Validate(&g.Graph); len(report.Errors) > 0 {
		return t.failure(nestor.Errorf(nestor.CodeInvalid, "the graph %q is not valid any more: %s", sub.GraphID, report.Errors[0].Message)), nil
	}
	progress.Below++
	if _, err := tx.Put(root, progress, store.AnyVersion); err != nil {
		return nil, err
	}
	return nil, e.startBelow(tx, childOf(t.path, item, t.resolution.AttemptAt(item)), g, sub.Inputs[item], from)
}

// gather puts together what came of all executions.
func (e *Engine) gather(tx store.Tx, t *turn, sub *SubGraph) (map[string]json.RawMessage, error) {
	if n := t.resolution.Below.Count; n > MaxItems {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the resolution %s waits for %d executions, more than %d", t.path, n, MaxItems)
	}
	outputs := make([]map[string]json.RawMessage, t.resolution.Below.Count)
	for i := range outputs {
		x, err := store.Find[record.AgentGraphExecution](tx, childOf(t.path, i, t.resolution.AttemptAt(i)))
		if err != nil {
			return nil, err
		}
		if x == nil {
			return nil, nestor.Errorf(nestor.CodeCancelled, "the execution of item %d was deleted", i+1)
		}
		outputs[i] = x.Output
	}
	made, err := sub.Result(outputs)
	if err != nil {
		return nil, err
	}
	return encode(made)
}

// SubGraphEnded moves the resolution on that waits for an execution which has ended.
func (e *Engine) SubGraphEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		x, err := store.Find[record.AgentGraphExecution](tx, job.Change.Path)
		gone := x == nil
		switch {
		case err != nil || gone && job.Change.Before == nil:
			return err
		case gone:
			was, err := nestor.As[record.AgentGraphExecution](job.Change.Before)
			if err != nil {
				return err
			}
			x = &was
		case !x.Status.Ended():
			return nil // it goes on
		}
		parent := record.Of(job.Change.Path.UserID()).Child("agent-graph-executions", x.ParentExecutionID)
		t, err := e.readAt(tx, record.ResolutionAt(parent, x.ParentResolution), e.asker.NewBill(job.ID, job.Change.Path.UserID()))
		if err != nil || t == nil || t.resolution.Below == nil || !slices.Contains(t.resolution.Below.Open, x.Item) ||
			childOf(t.path, x.Item, t.resolution.AttemptAt(x.Item)) != job.Change.Path {
			return err
		}
		below := t.resolution.Below
		below.Open = slices.DeleteFunc(below.Open, func(item int) bool { return item == x.Item })
		if failure := failureOf(t, x, gone); failure != nil {
			if gone || x.Status != record.ExecutionFailed || !t.again(x.Item, failure) {
				return e.merge(tx, t, nil, failure)
			}
			below.Again = append(below.Again, x.Item)
			_, err := tx.Put(t.path, t.resolution, store.AnyVersion)
			return err
		}
		sub, err := e.types[t.node.NodeID].SubGraph(e.call(t))
		if err != nil {
			return e.merge(tx, t, nil, t.failure(err))
		}
		return e.proceed(tx, t, &sub)
	}, nil
}

// failureOf is what the end of an execution means for the node that waits for it, nil if
// it has done what it should.
func failureOf(t *turn, x *record.AgentGraphExecution, gone bool) *record.Failure {
	about := "the graph " + x.Name
	if t.resolution.Below.Count > 1 {
		about = fmt.Sprintf("item %d: %s", x.Item+1, about)
	}
	switch {
	case gone:
		return t.failure(nestor.Errorf(nestor.CodeCancelled, "%s: its execution was deleted", about))
	case x.Status == record.ExecutionCancelled:
		return t.failure(nestor.Errorf(nestor.CodeCancelled, "%s: its execution was cancelled", about))
	case x.Status == record.ExecutionFailed && x.Error != nil:
		return &record.Failure{NodeID: t.node.ID, Code: x.Error.Code, Message: fmt.Sprintf("%s failed at %s: %s", about, x.Error.NodeID, x.Error.Message)}
	case x.Status == record.ExecutionFailed:
		return t.failure(nestor.Errorf(nestor.CodeUnavailable, "%s failed", about))
	}
	return nil
}

// SubGraphUnwanted stops the executions that a node waits for no more, and deletes them if
// the resolution of the node was deleted.
func (e *Engine) SubGraphUnwanted(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		at := job.Change.Path
		if job.Change.Type == nestor.Delete {
			was, err := nestor.As[record.Resolution](job.Change.Before)
			if err != nil {
				return err
			}
			return deleteBelow(tx, at, &was)
		}
		r, err := store.Find[record.Resolution](tx, at)
		if err != nil || r == nil || r.Below == nil {
			return err // if it was deleted since, another job deletes them
		}
		for _, item := range r.Below.Open {
			err := e.Cancel(tx, childOf(at, item, r.AttemptAt(item)))
			if err != nil && !errors.Is(err, nestor.ErrNotFound) && !errors.Is(err, nestor.ErrConflict) {
				return err
			}
		}
		return nil
	}, nil
}

// deleteBelow deletes the executions that a resolution had begun, in all their attempts.
func deleteBelow(tx store.Tx, at nestor.Path, r *record.Resolution) error {
	for item := range min(r.Below.Next, MaxItems) {
		for attempt := 1; attempt <= r.AttemptAt(item); attempt++ {
			if err := tx.Delete(childOf(at, item, attempt), store.AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// MaxItems is how many executions one node has at most.
const MaxItems = 100
