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
	cause = store.Storable(cause)
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
	err := t.advance(t.ends.job)
	n := t.store.node.Load()
	t.commit.Look = t.place.Frees() && n != nil && n.bounded.Load()
	return err
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
		n, err = t.conn.affected("UPDATE jobs SET state = 'dead', owner = NULL, error = ?, run_at = ?, attempts = "+keptAttempt+" WHERE "+ours,
			append([]any{*e.cause, nestor.Millis(time.Now()), store.Attempt(e.job, *e.cause)}, mine(e.job)...)...)
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
	e, c := t.ends, &j.Change
	room, place := false, (*nestor.Place)(nil)
	if e.cause == nil && (e.job.Place == nil || store.SameScope(e.job.Change.Path, c.Path)) {
		room, place = t.takes(node, c.Path)
	}
	if room {
		j.State, j.Owner, j.Attempt, j.Place, j.RunAt, j.CreatedAt = nestor.JobRunning, node.Node, 1, place, c.At, c.At
		n, err := t.conn.affected(`UPDATE jobs SET id = ?, trigger_id = ?, event = ?, path = ?, version = ?, seq = ?, at = ?,
			documents = ?, attempt = 1, run_at = ?, owner = ?, error = NULL
			WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE key = ? AND state = 'blocked') AND `+ours,
			append([]any{j.ID, j.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.documents(j), c.At, node.Node, j.Key}, mine(e.job)...)...)
		if err != nil || n > 0 {
			e.over = true
			return true, err
		}
		t.place.Back(place)
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
	next, ok, err := t.next(key)
	if err != nil || !ok {
		return err
	}
	state, owner, attempts, place := nestor.JobReady, any(nil), 0, (*nestor.Place)(nil)
	if n := t.store.node.Load(); n.accepts(ended.Change.Path) && t.goesOn(n, ended, next.path) {
		state, owner, attempts, place = nestor.JobRunning, n.Node, 1, ended.Place
	}
	return t.conn.each(`UPDATE jobs SET state = ?1, owner = ?2, attempt = attempt + ?3, place = ?5, account = ?6 WHERE n = ?4
		RETURNING `+store.JobColumns, []any{string(state), owner, attempts, next.n, tenantOf(place), accountOf(place)},
		func(r row) error {
			j, err := t.conn.tables.ScanJob(r.Scan)
			if err == nil {
				j.Place = place
				t.note(&j)
			}
			return err
		})
}

// waiting is a job behind others of its key.
type waiting struct {
	n    int64
	path nestor.Path
}

// next is the oldest blocked job of a key that has no head.
func (t *tx) next(key string) (w waiting, ok bool, err error) {
	err = t.conn.each(`SELECT n, path FROM jobs WHERE key = ?1 AND state = 'blocked'
			AND NOT EXISTS (SELECT 1 FROM jobs WHERE key = ?1 AND (state = 'ready' OR state = 'running'))
		ORDER BY n LIMIT 1`, []any{key}, func(r row) error {
		ok = true
		return r.Scan(&w.n, (*string)(&w.path))
	})
	return w, ok, err
}

// goesOn reports whether the job about the document at next may run in the place of the one
// that ended.
func (t *tx) goesOn(n *node, ended *nestor.Job, next nestor.Path) bool {
	if !n.limited() {
		return true
	}
	t.hands(n)
	return store.SameScope(ended.Change.Path, next) && t.place.ToNext()
}
