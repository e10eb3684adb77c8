package sqlite

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// maxPrompt bounds the jobs that are done with the transaction that caused them, each
// of which may cause another.
const maxPrompt = 16

// prompt does the jobs that a transaction claimed and that only write, right after it
// and before the commit: see [store.Lease.Prompt]. Each is a transaction of its own in
// the group, the same that the worker would ask for after the commit, less a flush. It
// returns those that succeeded.
//
// A job that fails is left to the worker, which tries it and records why. If it has
// written by then, the group is undone; the groups that follow are careful and leave
// all jobs to the worker.
func (w *writer) prompt(cause *tx) (done []*tx, group error) {
	n := w.store.node.Load()
	if n == nil || n.Prompt == nil || w.careful > 0 {
		return nil, nil
	}
	for all := []*tx{cause}; len(all) > 0; all = all[1:] {
		claimed := all[0].commit.Claimed
		all[0].commit.Claimed = nil
		for i := range claimed {
			j := &claimed[i]
			if fn := n.Prompt(j); fn != nil && len(done) < maxPrompt {
				t, lost := w.complete(j, fn)
				if lost != nil {
					return done, lost
				}
				if t != nil {
					done, all = append(done, t), append(all, t)
					continue
				}
			}
			all[0].commit.Claimed = append(all[0].commit.Claimed, *j)
		}
	}
	return done, nil
}

// complete does a job on the writer's goroutine. It returns nil if the job is to be
// left to the worker.
func (w *writer) complete(j *nestor.Job, fn func(store.Tx) error) (t *tx, group error) {
	began, seq := time.Now(), w.lastSeq
	t = &tx{writer: w, results: make(chan result, 1), ends: &ending{job: j}}
	t.session = store.NewSession(context.Background(), t, w.store.opts.Rules)
	t.session.Timed()
	t.session.Ends(j)
	r := t.call(func() error {
		if err := fn(t.session); err != nil {
			return err
		}
		if err := t.session.Flush(); err != nil {
			return err
		}
		t.wrote = true
		if err := t.check(); err != nil {
			return err
		}
		return t.finish()
	})
	if r.err == nil && r.panic == nil {
		t.commit.Done = []store.DoneJob{{Job: *j, Took: time.Since(began)}}
		return t, nil
	}
	w.lastSeq = seq
	if t.wrote {
		w.careful = carefulGroups
		return nil, redo{}
	}
	return nil, nil
}
