package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// errStopped is why a node ends whose execution has ended.
var errStopped = nestor.Errorf(nestor.CodeCancelled, "the execution has ended")

// running are the nodes that run in this process, by their execution. It saves what
// a node would go on to do; that nothing of it counts is up to the commit.
type running struct {
	mu   sync.Mutex
	stop map[nestor.Path]map[*context.CancelCauseFunc]bool
}

func (r *running) begin(ctx context.Context, execution nestor.Path) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil {
		r.stop = map[nestor.Path]map[*context.CancelCauseFunc]bool{}
	}
	if r.stop[execution] == nil {
		r.stop[execution] = map[*context.CancelCauseFunc]bool{}
	}
	r.stop[execution][&cancel] = true
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.stop[execution], &cancel)
		if len(r.stop[execution]) == 0 {
			delete(r.stop, execution)
		}
		cancel(nil)
	}
}

func (r *running) end(execution nestor.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for cancel := range r.stop[execution] {
		(*cancel)(errStopped)
	}
}

// Follow stops nodes whose execution somebody ended on another node of the server, until
// ctx ends. What it misses is noticed at the commit.
func (e *Engine) Follow(ctx context.Context, changes *feed.Feed) {
	changes.Watch(ctx, func(c *nestor.Change) {
		if ended(c) {
			e.running.end(c.Path)
		}
	}, "users/*/agent-graph-executions/*")
}

// Committed is told of every commit of this process.
func (e *Engine) Committed(c store.Commit) {
	for i := range c.Changes {
		change := &c.Changes[i]
		if record.Progresses.Has(change.Path) && change.After != nil {
			e.plans.wrote(change.After)
		}
		if record.Resolutions.Has(change.Path) {
			e.plans.take(change.Path) // it is another now
		}
		if !record.Executions.Has(change.Path) || !ended(change) {
			continue
		}
		e.plans.forget(change.Path)
		e.running.end(change.Path)
	}
	for i := range c.Claimed {
		j := &c.Claimed[i]
		at := slices.IndexFunc(c.Changes, func(change nestor.Change) bool { return change.Seq == j.Change.Seq })
		if j.Trigger == turnTrigger && j.Attempt == 1 && at >= 0 {
			e.plans.give(c.Changes[at].After)
		}
	}
}

func ended(c *nestor.Change) bool {
	if c.After == nil {
		return true
	}
	x, err := nestor.As[record.AgentGraphExecution](c.After)
	return err == nil && x.Status.Ended()
}
