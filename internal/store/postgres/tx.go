package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Conflicts are retried at once with a little jitter; a database that is away
// gets some seconds to come back.
const (
	maxConflicts   = 100
	maxDisconnects = 8
	firstPause     = 50 * time.Millisecond
)

// tx is one attempt at a transaction. It implements [store.Rows].
type tx struct {
	store   *Store
	ctx     context.Context
	conn    *pgxpool.Conn
	session *store.Session
	begun   bool
	xid     int64 // 0 until it is known

	// What is sent with the commit: first documents and log, then, under the
	// locks of their keys, the jobs. So nobody waits for a row while holding a
	// key, and keys are locked in one order.
	writes steps
	keys   []string
	jobs   steps
	queued []*nestor.Job // whose steps are the first of jobs
	commit store.Commit
	ends   *nestor.Job // the job that the transaction ends

	// absent are the inserts, by their arguments, of documents that were seen
	// to be absent: when one is there after all, the transaction is run again.
	absent map[*any]bool
}

// steps are statements on their way, each with what to do with its result.
type steps []step

type step struct {
	text string
	args []any
	then func(pgx.Rows) error // nil: nothing is returned
}

func (s *steps) add(text string, args ...any) { *s = append(*s, step{text: text, args: args}) }

// transact runs fn until it commits or fails for good.
func (s *Store) transact(ctx context.Context, fn func(*tx) error) error {
	conflicts, disconnects, doubt := 0, 0, false
	for {
		t, err := s.attempt(ctx, fn, doubt)
		var pause time.Duration
		switch {
		case err == nil:
			s.report(t)
			return nil
		case t != nil && t.session.Assumes() && !disconnected(err):
			doubt = true
		case conflict(err) && conflicts < maxConflicts:
			conflicts++
			pause = rand.N(time.Duration(min(conflicts, 20)) * time.Millisecond)
		case disconnected(err) && disconnects < maxDisconnects:
			pause = firstPause << disconnects
			disconnects++
		case errors.Is(err, store.ErrRetry):
			return nestor.Errorf(nestor.CodeConflict, "too many others write the same documents: %w", err)
		default:
			return classify(err)
		}
		select {
		case <-ctx.Done():
			return classify(context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// report tells the observers of a commit.
func (s *Store) report(t *tx) {
	if s.opts.Committed != nil {
		s.opts.Committed()
	}
	for _, observe := range s.observers {
		observe(t.commit)
	}
	if len(t.commit.Changes) > 0 || t.commit.Waiting {
		s.peers.notify()
	}
}

func (s *Store) attempt(ctx context.Context, fn func(*tx) error, doubt bool) (t *tx, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	t = &tx{store: s, ctx: ctx, conn: conn, absent: map[*any]bool{}}
	t.session = store.NewSession(t, s.opts.Rules)
	if doubt {
		t.session.Doubt()
	}
	defer func() {
		if p := recover(); p != nil {
			t.rollback()
			panic(p)
		}
		if err != nil {
			t.rollback()
			return
		}
		conn.Release()
	}()
	if err := fn(t); err != nil {
		return t, err
	}
	if err := t.end(); err != nil {
		switch {
		case !disconnected(err):
			return t, err
		case t.xid != 0:
			return t, s.outcome(ctx, t.xid, err)
		case t.ends != nil:
			return t, s.finished(ctx, t, err)
		}
		return t, err
	}
	return t, nil
}

// rollback gives the connection back in a clean state, or closes it.
func (t *tx) rollback() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 5*time.Second)
	defer cancel()
	if t.begun && !t.conn.Conn().IsClosed() {
		if _, err := t.conn.Exec(ctx, "ROLLBACK"); err != nil {
			t.conn.Conn().Close(ctx)
		}
	}
	t.conn.Release()
}

// outcome finds out whether the transaction xid committed although its
// connection broke. nil means it did.
func (s *Store) outcome(ctx context.Context, xid int64, lost error) error {
	for pause := firstPause; ; pause *= 2 {
		var status *string
		err := s.pool.QueryRow(ctx, "SELECT pg_xact_status($1::bigint::text::xid8)", xid).Scan(&status)
		switch {
		case err == nil && status != nil && *status == "committed":
			return nil
		case err == nil && status != nil && *status == "aborted":
			return lost
		case err != nil && !disconnected(err), pause > 10*time.Second:
			return nestor.Errorf(nestor.CodeUnavailable, "the connection broke during a commit whose outcome is unknown: %w", lost)
		}
		select {
		case <-ctx.Done():
			return classify(context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// send runs statements in one round trip, beginning the transaction first.
func (t *tx) send(list steps) error {
	if !t.begun {
		list = append(steps{{text: "BEGIN"}}, list...)
		t.begun = true
	}
	batch := &pgx.Batch{}
	for _, s := range list {
		batch.Queue(s.text, s.args...)
	}
	results := t.conn.SendBatch(t.ctx, batch)
	for _, s := range list {
		rows, err := results.Query()
		if err == nil && s.then != nil {
			err = s.then(rows)
		}
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			results.Close() // reports the same error again
			if primaryKeyTaken(err) && len(s.args) > 0 && t.absent[&s.args[0]] {
				return store.ErrRetry
			}
			return err
		}
	}
	return results.Close()
}

// end sends the rest of the writes and the commit.
func (t *tx) end() error {
	list := t.writes
	if !t.begun && len(list) == 0 && len(t.jobs) == 1 && t.ends != nil {
		return t.alone(t.jobs[0]) // it takes its lock itself
	}
	if len(t.jobs) > 0 {
		slices.Sort(t.keys)
		for _, k := range slices.Compact(t.keys) {
			list.add("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", k)
		}
		list = append(list, t.jobs...)
	}
	if !t.begun && len(list) == 0 {
		return nil
	}
	return t.send(append(list, step{text: "COMMIT"}))
}

// alone runs a statement that is a transaction of its own.
func (t *tx) alone(s step) error {
	rows, err := t.conn.Query(t.ctx, s.text, s.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := s.then(rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// identify makes the transaction's id known, so that a lost commit can be
// looked up.
func (t *tx) identify() step {
	return step{text: "SELECT pg_current_xact_id()::text::bigint", then: t.identified}
}

func (t *tx) identified(rows pgx.Rows) error {
	_, err := pgx.ForEachRow(rows, []any{&t.xid}, func() error { return nil })
	return err
}
