package analyst

import (
	"context"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/feed"
)

// errStopped is why work on a session ends that was cancelled or deleted.
var errStopped = nestor.Errorf(nestor.CodeCancelled, "the analysis was stopped")

// running are the sessions that this process works on. It saves what a model would
// go on to say; that nothing of it counts is up to the commit.
type running struct {
	mu   sync.Mutex
	stop map[nestor.Path]context.CancelCauseFunc
}

func (r *running) begin(ctx context.Context, session nestor.Path) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil {
		r.stop = map[nestor.Path]context.CancelCauseFunc{}
	}
	r.stop[session] = cancel
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.stop, session)
		cancel(nil)
	}
}

// Follow stops work on sessions that are cancelled or deleted, on whichever node, until
// ctx ends.
func (a *Analyst) Follow(ctx context.Context, changes *feed.Feed) {
	changes.Watch(ctx, a.running.noticed, "users/*/agent-sessions/*")
}

func (r *running) noticed(c *nestor.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.stop[c.Path]; cancel != nil && ended(c) {
		cancel(errStopped)
	}
}

func ended(c *nestor.Change) bool {
	if c.After == nil {
		return true
	}
	s, err := nestor.As[record.AgentSession](c.After)
	return err == nil && !Active(&s)
}
