package storetest

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// sweepAll sweeps until nothing is left to do.
func (e *env) sweepAll(s store.Store) (total int) {
	e.Helper()
	for {
		n, err := s.Sweep(context.Background())
		e.must(err)
		if n == 0 {
			return total
		}
		total += n
	}
}

// over is a retention that everything written so far has outlived.
const over = -time.Hour

var retentionTests = []test{
	{name: "nothing goes before its time", run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{}`))
		e.delete("users/u1/notes/a")
		if n := e.sweepAll(e.s); n != 0 {
			e.Errorf("%d rows were swept", n)
		}
	}},
	{
		name: "expired documents are deleted like any other, in batches",
		opts: store.Options{Retention: store.Retention{Collections: map[string]time.Duration{
			"users/*/logs": over, "tasks": over,
		}}},
		run: func(e *env) {
			chat := e.chat("u1", "c1")
			e.create(chat.Child("tasks", "t1"), nestor.Task{Type: "agent", Name: "x", Status: "success"})
			e.create("users/u1/notes/keep", raw(`{}`))
			e.update(func(tx store.Tx) error {
				for range 2*store.SweepBatch + 1 {
					if _, err := tx.Create(nestor.Path("users/u1/logs/"+nestor.NewID()), raw(`{}`)); err != nil {
						return err
					}
				}
				return nil
			})
			before := e.lastSeq()
			if n := e.sweepAll(e.s); n != 2*store.SweepBatch+2 {
				e.Errorf("%d documents were swept", n)
			}
			if e.get("users/u1/notes/keep") == nil || e.get(chat) == nil || e.get(chat.Child("tasks", "t1")) != nil {
				e.Error("the wrong documents went")
			}
			if n := len(e.changes(before)); n != 2*store.SweepBatch+2 {
				e.Errorf("%d changes tell of it", n)
			}
		},
	},
	{
		name: "a swept log says that a position is too old, and the numbering goes on",
		opts: store.Options{Retention: store.Retention{Log: over}},
		run: func(e *env) {
			for _, id := range []string{"a", "b", "c"} {
				e.create(nestor.Path("users/u1/notes/"+id), raw(`{}`))
			}
			last := e.lastSeq()
			if n := e.sweepAll(e.s); n != 2 {
				e.Errorf("%d entries were swept, want all but the newest", n)
			}
			_, err := e.s.Changes(e.ctx(), 0, 10, nil)
			e.code(nestor.CodeTooOld, err)
			if cs := e.changes(last - 1); len(cs) != 1 || cs[0].Seq != last {
				e.Errorf("what is left: %+v", cs)
			}
			if d := e.create("users/u1/notes/d", raw(`{}`)); d.Seq <= last {
				e.Errorf("seq went back to %d", d.Seq)
			}
		},
	},
	{
		name: "tombstones and dead jobs end",
		opts: store.Options{Retention: store.Retention{Tombstones: over, DeadJobs: over}},
		run: func(e *env) {
			e.planner.jobs = jobPerChange
			var c claimed
			e.s.Observe(store.First, c.observe)
			e.join(e.s, "n1")
			e.create("users/u1/notes/a", raw(`{}`))
			e.must(e.s.Bury(e.ctx(), c.take(e), "x", nil))
			e.planner.jobs = nil
			e.delete("users/u1/notes/a")
			if n := e.sweepAll(e.s); n != 2 {
				e.Errorf("%d rows were swept, want the tombstone and the job", n)
			}
			if d := e.create("users/u1/notes/a", raw(`{}`)); d.Version != 1 {
				e.Errorf("version %d: the tombstone is still there", d.Version)
			}
		},
	},
}
