package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// counted counts what is read outside of transactions.
type counted struct {
	store.Documents
	views atomic.Int64
}

func (c *counted) View(ctx context.Context, fn func(store.Reader) error) error {
	c.views.Add(1)
	return c.Documents.View(ctx, fn)
}

func TestATurnIsNotReadThatBeganWithTheCommitThatGaveIt(t *testing.T) {
	var claims []string // ids of nodes whose jobs a commit claims
	each(t, []engine.NodeType{begin, work}, func(t *testing.T, w *world) {
		docs := &counted{Documents: w.Store}
		w.Options.Store = docs
		claims = nil
		w.Observe(store.MemoryTurn, func(c store.Commit) {
			for i := range c.Changes {
				if r, err := nestor.As[record.Resolution](c.Changes[i].After); err == nil && len(claims) > 0 && r.NodeID == claims[0] && c.Changes[i].Type == nestor.Create {
					claims = claims[1:]
					// The store has no worker: this is what it says of a job that one has.
					w.Committed(store.Commit{Changes: c.Changes, Claimed: []nestor.Job{{Trigger: engine.Reactions[0].ID, Attempt: 1, Change: nestor.Change{Seq: c.Changes[i].Seq}}}})
				}
			}
		})
		w.starts("s begin,a work,b work,c work", "s>a,a>b,b>c")
		w.commits(w.resolves(1, 1))
		claims = []string{"b", "c"}
		w.commits(w.resolves(2, 1))

		before := docs.views.Load()
		effect := w.resolves(3, 1)
		if n := docs.views.Load() - before; n != 0 {
			t.Errorf("the turn was read %d times", n)
		}
		w.resolves(3, 1) // a second attempt knows no better than to read
		if n := docs.views.Load() - before; n != 1 {
			t.Errorf("the second attempt read %d times", n)
		}
		w.commits(effect)

		// What this process has written since counts.
		if err := w.Update(t.Context(), func(tx store.Tx) error { return w.Pause(tx, execution) }); err != nil {
			t.Fatal(err)
		}
		if effect := w.resolves(4, 1); effect != nil {
			t.Error("a turn began that is paused")
		}
		if x, all := w.state(); x.Status != record.ExecutionPaused || all[2].Status != record.ResolutionCompleted || all[3].Status != record.ResolutionRunning {
			t.Errorf("it is %s, with %+v", x.Status, all)
		}
	})
}
