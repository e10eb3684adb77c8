package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// A group ends when nobody waits any more, or at these bounds, so that the
// first of it does not wait long for its commit.
const (
	maxGroup     = 256
	maxGroupTime = 5 * time.Millisecond
)

// writer owns the connection that writes.
type writer struct {
	store    *Store
	sqlConn  *sql.Conn
	conn     conn
	requests chan *request
	lastSeq  int64 // within a group
}

// request is one transaction on its way through the writer.
type request struct {
	ctx    context.Context
	fn     func(*tx) error
	commit store.Commit
	err    error
	panic  any
	done   chan struct{}
}

// tx is one transaction inside a group.
type tx struct {
	*writer
	session *store.Session
	commit  store.Commit
}

func newWriter(ctx context.Context, s *Store) (*writer, error) {
	c, err := s.writeDB.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{store: s, sqlConn: c, requests: make(chan *request, maxGroup)}
	// A background context: an interrupted statement would end the whole group.
	w.conn = conn{ctx: context.Background(), q: c, stmts: &statements{conn: c, cache: map[string]*sql.Stmt{}}}
	return w, nil
}

func (w *writer) close() error {
	w.conn.stmts.close()
	return w.sqlConn.Close()
}

// do runs fn in a transaction and returns when it is durable or failed.
func (w *writer) do(ctx context.Context, fn func(*tx) error) error {
	r := &request{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.requests <- r:
	case <-ctx.Done():
		return classify(context.Cause(ctx))
	case <-w.store.done:
		return closed()
	}
	select {
	case <-r.done:
	case <-w.store.done:
		select {
		case <-r.done:
		default:
			return closed()
		}
	}
	if r.panic != nil {
		panic(r.panic)
	}
	return classify(r.err)
}

func closed() error { return nestor.Errorf(nestor.CodeUnavailable, "the database is closed") }

func (w *writer) run(ctx context.Context) {
	for {
		select {
		case r := <-w.requests:
			w.group(r)
		case <-ctx.Done():
			for { // what was asked before the stop is still done
				select {
				case r := <-w.requests:
					w.group(r)
				default:
					return
				}
			}
		}
	}
}

// group runs first and whoever waits behind it, and commits them together.
func (w *writer) group(first *request) {
	group, err := w.fill(first)
	if err == nil && w.store.opts.Committed != nil {
		w.store.opts.Committed()
	}
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		if r.err == nil && r.panic == nil {
			for _, observe := range w.store.observers {
				observe(r.commit)
			}
		}
		close(r.done)
	}
}

func (w *writer) fill(first *request) (group []*request, err error) {
	group = []*request{first}
	if err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return group, err
	}
	if err := w.conn.row("SELECT COALESCE(max(seq), 0) FROM changes").Scan(&w.lastSeq); err != nil {
		return group, w.abandon(err)
	}
	start := time.Now()
	for r := first; r != nil; {
		if err := w.one(r); err != nil {
			return group, w.abandon(err)
		}
		if len(group) == maxGroup || time.Since(start) > maxGroupTime {
			break
		}
		select {
		case r = <-w.requests:
			group = append(group, r)
		default:
			r = nil
		}
	}
	if err := w.conn.exec("COMMIT"); err != nil {
		return group, w.abandon(err)
	}
	return group, nil
}

func (w *writer) abandon(err error) error {
	// The error that brought us here is the one to report; a failing ROLLBACK
	// means SQLite has rolled back already.
	_ = w.conn.exec("ROLLBACK")
	return err
}

// one runs a single transaction under a savepoint. It returns an error only
// when the whole group is lost.
func (w *writer) one(r *request) error {
	if err := context.Cause(r.ctx); err != nil {
		r.err = err
		return nil
	}
	seq := w.lastSeq
	if err := w.conn.exec("SAVEPOINT one"); err != nil {
		return err
	}
	t := &tx{writer: w}
	t.session = store.NewSession(t, w.store.opts.Rules)
	if r.err = t.call(r); r.err == nil && r.panic == nil {
		r.commit = t.commit
		return w.conn.exec("RELEASE one")
	}
	w.lastSeq = seq
	if err := w.conn.exec("ROLLBACK TO one"); err != nil {
		return fmt.Errorf("%w (after %w)", err, r.err)
	}
	return w.conn.exec("RELEASE one")
}

// call runs the function and its writes; a panic is handed to its caller.
func (t *tx) call(r *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = p
		}
	}()
	if err := r.fn(t); err != nil {
		return err
	}
	return t.session.Flush()
}
