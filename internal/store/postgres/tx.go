package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// maxConflicts is how often a transaction is run again, at once and with a
// little jitter, because others wrote the same documents.
const maxConflicts = 100

// tx is one attempt at a transaction. It implements [store.Rows].
type tx struct {
	store   *Store
	ctx     context.Context
	conn    *pgxpool.Conn
	session *store.Session
	begun   bool
	ended   bool // the COMMIT was sent, or may have been

	// What tells whether it took effect; see outcome.go. entry is the position
	// in the log whose entry has the token, 0 if the table commits has it.
	token, entry int64

	// What is sent with the commit: first documents and log, then, under the
	// locks of their keys, the jobs. So nobody waits for a row while holding a
	// key, and keys are locked in one order.
	writes steps
	keys   []string
	jobs   steps
	queued []queued // whose steps are the first of jobs
	claims []string // keys of which a job may be claimed
	told   []string // keys of jobs that are claimed, which the caller is told of
	commit store.Commit
	ends   bool // a job
	place  store.Handover

	// absent are the inserts, by their arguments, of documents that were seen
	// to be absent: when one is there after all, the transaction is run again.
	absent map[*any]bool
}

// queued is a job that a transaction queues, and this node if it is to run it, in what
// place.
type queued struct {
	*nestor.Job
	owner *string
	place *nestor.Place
}

// steps are statements on their way, each with what to do with its result.
type steps []step

type step struct {
	text string
	args []any
	then func(pgx.Rows) error // nil: nothing is returned, or bulk reads it
	bulk *bulk                // nil: it reads nothing, or then does, and it is never done together with others
	last bool                 // it looks at what all others of a round have done
}

// read reads what the step returned.
func (s *step) read(rows pgx.Rows) error {
	if s.then != nil {
		return s.then(rows)
	}
	if s.bulk == nil || s.bulk.row == nil {
		return nil
	}
	for rows.Next() {
		if err := s.bulk.row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *steps) add(text string, args ...any) { *s = append(*s, step{text: text, args: args}) }

// work is what a caller wants committed: what fn writes and the end of a job, both
// or one of them.
type work struct {
	fn     func(store.Tx) error
	job    *nestor.Job
	cause  *string     // of a job that failed for good
	during *nestor.Job // that must be ours
}

// run does the work in a transaction of its own.
func (w work) run(t *tx) error {
	if w.job != nil {
		t.session.Ends(w.job)
		t.place.Ends = w.job
	}
	if w.fn != nil {
		if err := w.fn(t.session); err != nil {
			return err
		}
		if err := t.session.Flush(); err != nil {
			return err
		}
	}
	if w.during != nil { // before the commit is sent, which would not wait for the answer
		if err := t.send(append(t.takeWrites(), holds(w.during, func(lost error) error { return lost }))); err != nil {
			return err
		}
	}
	t.check(w.job)
	if w.job != nil {
		t.endJob(w.job, w.cause)
	}
	return nil
}

// holds locks a job that is ours until the transaction ends, so that nobody takes it
// over before. If it is not ours any more, lost decides what comes of that.
func holds(job *nestor.Job, lost func(error) error) step {
	return step{
		text: "SELECT FROM jobs WHERE key = $1 AND state = 'running' AND id = $2 AND owner = $3 AND attempt = $4 FOR SHARE",
		args: []any{job.Key, job.ID, job.Owner, job.Attempt},
		then: func(rows pgx.Rows) error {
			if rows.Next() {
				return nil
			}
			if err := rows.Err(); err != nil {
				return err
			}
			return lost(store.LeaseLost(job))
		},
	}
}

// commit does the work, first together with others. What fails then is tried by
// itself: whatever went wrong may be due to the others.
func (s *Store) commit(ctx context.Context, w work) error {
	line := &places{lines: &s.lines}
	defer line.leave()
	proposals := maxProposals
	return s.persist(ctx, func(doubt bool) (*tx, error) {
		if proposals == 0 {
			return s.attempt(ctx, w.run, doubt)
		}
		proposals--
		t, err := s.propose(ctx, w, line, doubt)
		if err != store.ErrRetry { // the others did not come first
			proposals = 0
		}
		return t, err
	})
}

// maxProposals is how often work is proposed that others came first with. After that
// it is done with locks: those who write the documents stand in no line of this
// node.
const maxProposals = 3

// transact runs fn in a transaction of its own.
func (s *Store) transact(ctx context.Context, fn func(*tx) error) error {
	return s.persist(ctx, func(doubt bool) (*tx, error) { return s.attempt(ctx, fn, doubt) })
}

// persist makes attempts until one commits or fails for good.
func (s *Store) persist(ctx context.Context, attempt func(doubt bool) (*tx, error)) error {
	var away away
	conflicts, doubt := 0, false
	for {
		t, err := attempt(doubt)
		if err != nil && t != nil && t.inDoubt(err) {
			committed, unknown := s.outcome(ctx, t)
			if unknown != nil { // neither a success nor to be run again
				s.outcomeLater(t)
				return nestor.Hide(nestor.CodeUnavailable, "the connection broke during a commit whose outcome is unknown", err)
			}
			if committed {
				err = nil
			}
		}
		var pause time.Duration
		switch {
		case err == nil:
			s.report(t)
			return nil
		case errors.Is(err, errAlone):
			continue
		case t != nil && t.session.Ended() != nil: // another attempt would take as long
			return classify(t.session.Ended())
		case t != nil && t.session.Assumes() && !disconnected(err):
			doubt = true
		case conflict(err) && conflicts < maxConflicts:
			conflicts++
			pause = rand.N(time.Duration(min(conflicts, 20)) * time.Millisecond)
		case disconnected(err) && away.patient():
			pause = away.pause
		case errors.Is(err, store.ErrRetry):
			return nestor.Hide(nestor.CodeConflict, "too many others write the same documents", err)
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
	s.Tell(t.commit)
	if len(t.commit.Changes) > 0 || t.commit.Waiting {
		s.peers.notify(t.commit.Waiting)
	}
}

func (s *Store) attempt(ctx context.Context, fn func(*tx) error, doubt bool) (t *tx, err error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t = &tx{store: s, ctx: ctx, conn: conn, absent: map[*any]bool{}}
	t.session = store.NewSession(ctx, t, s.opts.Rules)
	t.session.Timed()
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
	return t, t.end()
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
		if err == nil {
			err = s.read(rows)
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
	t.ended = true
	list := t.writes
	if !t.begun && len(list) == 0 && len(t.jobs) == 1 && t.ends && len(t.keys) == 1 {
		return t.alone(t.jobs[0]) // it takes its lock itself, which a step that ends several jobs does not
	}
	if len(t.jobs) > 0 {
		if t.entry == 0 {
			list = append(list, t.sign())
		}
		slices.Sort(t.keys)
		list.add(lockKeys, slices.Compact(t.keys))
		list = append(list, t.jobs...)
	}
	if !t.begun && len(list) == 0 {
		return nil
	}
	return t.send(append(list, step{text: "COMMIT"}))
}

// lockKeys locks keys in the order in which they are given.
const lockKeys = "SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest($1::text[]) WITH ORDINALITY AS k (key, i) ORDER BY i"

// alone runs a statement as a transaction of its own.
func (t *tx) alone(s step) error {
	text := fmt.Sprintf("WITH signed AS (INSERT INTO commits (token) VALUES ($%d)) %s", len(s.args)+1, s.text)
	rows, err := t.conn.Query(t.ctx, text, append(s.args, t.signed())...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := s.read(rows); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}
