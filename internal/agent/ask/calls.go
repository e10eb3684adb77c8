package ask

import (
	"context"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/llm"
)

// Call is a model call that is under way.
type Call struct {
	Model string
	Since time.Time
	llm.Waiting
}

// calls are the model calls of this process that are under way, by their job: a job makes
// one at a time.
type calls struct {
	mu    sync.Mutex
	byJob map[string]*Call
}

// begin notes a call. Under the context that it returns the call tells what it waits for.
func (c *calls) begin(ctx context.Context, job, model string) (_ context.Context, done func()) {
	call := &Call{Model: model, Since: time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byJob == nil {
		c.byJob = map[string]*Call{}
	}
	c.byJob[job] = call
	told := func(w llm.Waiting) {
		c.mu.Lock()
		defer c.mu.Unlock()
		call.Waiting = w
	}
	return llm.Watched(ctx, told), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.byJob[job] == call {
			delete(c.byJob, job)
		}
	}
}

// Call is the model call that a job of this process makes now, false if it makes none.
func (a *Asker) Call(job string) (Call, bool) {
	a.calls.mu.Lock()
	defer a.calls.mu.Unlock()
	call := a.calls.byJob[job]
	if call == nil {
		return Call{}, false
	}
	return *call, true
}
