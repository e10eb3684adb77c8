package crashtest

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// killPoint says where a child kills itself. Numbers count from 1; 0 is never.
type killPoint struct {
	// Commit that has just become durable, before the process knows it.
	Commit int
	// Handler run that has done its work, before any of it is recorded.
	Handler int
	// Effect that has sent its writes, before they are committed.
	Effect int
	// Request to the model that is about to be made.
	Request int
	// Tool, and whether it "begins" or is "done", before it returns; "" is never.
	Tool string
	// Transaction, by its name, that has just become durable, before the
	// process knows it; see transactionName. "" is never.
	Transaction string
}

// failpoints kill the process at its kill point and count what it passes.
type failpoints struct {
	killPoint
	commits, handlers, effects, requests atomic.Int64

	mu           sync.Mutex
	transactions []string // the names of those that have one
}

func pass(count *atomic.Int64, limit int) {
	if n := count.Add(1); limit > 0 && n >= int64(limit) {
		die()
	}
}

func reach(name, limit string) {
	if name == limit {
		die()
	}
}

// die ends the process as kill -9 does. It does not return.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// committed is [store.Options.Committed].
func (f *failpoints) committed() { pass(&f.commits, f.Commit) }

// observe is what [store.Store] calls after every commit. It must be the first
// that is called.
func (f *failpoints) observe(c store.Commit) {
	name := transactionName(c)
	if name == "" {
		return
	}
	reach(name, f.Transaction)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.transactions = append(f.transactions, name)
}

// passed counts what the process passed.
func (f *failpoints) passed() killPoint {
	return killPoint{
		Commit: int(f.commits.Load()), Handler: int(f.handlers.Load()), Effect: int(f.effects.Load()),
		Request: int(f.requests.Load()),
	}
}

// guard puts the failpoints into a handler.
func (f *failpoints) guard(h worker.Handler) worker.Handler {
	run, exhausted := h.Run, h.Exhausted
	h.Run = func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
		effect, err := run(ctx, j)
		pass(&f.handlers, f.Handler)
		return f.guardEffect(effect), err
	}
	if exhausted != nil {
		h.Exhausted = func(j *nestor.Job, cause error) worker.Effect { return f.guardEffect(exhausted(j, cause)) }
	}
	return h
}

func (f *failpoints) guardEffect(effect worker.Effect) worker.Effect {
	if effect == nil {
		return nil
	}
	return func(tx store.Tx) error {
		if err := effect(tx); err != nil {
			return err
		}
		// A query sees the writes before it, so they have been sent.
		if _, err := tx.Query(store.Query{Collection: "anything"}); err != nil {
			return err
		}
		pass(&f.effects, f.Effect)
		return nil
	}
}
