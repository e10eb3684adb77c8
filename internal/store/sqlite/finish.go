package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// ours finds a job that this node runs, with the values of mine. At most one job of
// a key is ready or running, and the index of those finds it.
const ours = "key = ? AND (state = 'ready' OR state = 'running') AND state = 'running' AND id = ? AND owner = ? AND attempt = ?"

func mine(job *nestor.Job) []any { return []any{job.Key, job.ID, job.Owner, job.Attempt} }

// holds fails if the job is no longer ours.
func (t *tx) holds(job *nestor.Job) error {
	held := false
	err := t.conn.each("SELECT 1 FROM jobs WHERE "+ours, mine(job), func(row) error {
		held = true
		return nil
	})
	if err == nil && !held {
		err = store.LeaseLost(job)
	}
	return err
}

// ending is a job that a transaction ends.
type ending struct {
	job *nestor.Job
	// cause says why the job is given up. It is nil for a job that is done.
	cause *string
	over  bool
}

// Complete implements [store.Queue].
func (s *Store) Complete(ctx context.Context, job *nestor.Job, fn func(store.Tx) error) error {
	return s.finish(ctx, &ending{job: job}, fn)
}

// Bury implements [store.Queue].
func (s *Store) Bury(ctx context.Context, job *nestor.Job, cause string, fn func(store.Tx) error) error {
	return s.finish(ctx, &ending{job: job, cause: &cause}, fn)
}

// finish runs fn, ends the job if it is still ours, and starts the next of its
// key, all in one transaction.
func (s *Store) finish(ctx context.Context, e *ending, fn func(store.Tx) error) error {
	return s.writer.finish(ctx, e.job, fn, func(t *tx) error {
		ends := *e // each attempt at the transaction has its own
		t.ends = &ends
		return nil
	}, (*tx).finish)
}

// finish ends the job that the transaction is to end and starts the next of its key.
func (t *tx) finish() error {
	if err := t.end(); err != nil {
		return err
	}
	return t.advance(t.ends.job)
}

// end ends the job that the transaction is to end, if it has not done so yet.
func (t *tx) end() (err error) {
	e, n := t.ends, int64(0)
	if e.over {
		return nil
	}
	e.over = true
	if e.cause == nil {
		n, err = t.conn.affected("DELETE FROM jobs WHERE "+ours, mine(e.job)...)
	} else {
		n, err = t.conn.affected("UPDATE jobs SET state = 'dead', owner = NULL, error = ?, run_at = ? WHERE "+ours,
			append([]any{*e.cause, nestor.Millis(time.Now())}, mine(e.job)...)...)
	}
	if err == nil && n == 0 {
		err = store.LeaseLost(e.job)
	}
	return err
}

// relay gives the row of the job that ends to the one that follows it, unless
// others wait or there is no room. Otherwise it ends the job, so that j
// can be queued like any other.
func (t *tx) relay(j *nestor.Job, node *node) (bool, error) {
	e := t.ends
	if e.cause == nil && node.accepts(j.Change.Path) {
		c := &j.Change
		j.State, j.Owner, j.Attempt, j.RunAt, j.CreatedAt = nestor.JobRunning, node.Node, 1, c.At, c.At
		n, err := t.conn.affected(`UPDATE jobs SET id = ?, trigger_id = ?, event = ?, path = ?, version = ?, seq = ?, at = ?,
			documents = ?, attempt = 1, run_at = ?, owner = ?, error = NULL
			WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE key = ? AND state = 'blocked') AND `+ours,
			append([]any{j.ID, j.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.documents(j), c.At, node.Node, j.Key}, mine(e.job)...)...)
		if err != nil || n > 0 {
			e.over = true
			return true, err
		}
	}
	return false, t.end()
}

// advance starts the oldest blocked job of the key of a job that ended, if it has
// no head any more.
func (t *tx) advance(ended *nestor.Job) error {
	key := ended.Key
	if !t.blocked || slices.Contains(t.heads, key) {
		return nil // it has one again, or no key has any, so nobody waits
	}
	state, owner, attempts := nestor.JobReady, any(nil), 0
	if n := t.store.node.Load(); n.accepts(ended.Change.Path) {
		state, owner, attempts = nestor.JobRunning, n.Node, 1
	}
	return t.conn.each(`UPDATE jobs SET state = ?1, owner = ?2, attempt = attempt + ?3
		WHERE n = (SELECT n FROM jobs WHERE key = ?4 AND state = 'blocked' ORDER BY n LIMIT 1)
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE key = ?4 AND (state = 'ready' OR state = 'running'))
		RETURNING `+store.JobColumns, []any{string(state), owner, attempts, key},
		func(r row) error {
			j, err := t.conn.tables.ScanJob(r.Scan)
			if err == nil {
				t.note(&j)
			}
			return err
		})
}
