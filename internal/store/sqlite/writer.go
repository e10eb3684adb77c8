package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/recovery"
	"github.com/nestorhq/nestor/internal/store"
)

// A group ends when nobody waits any more, or at these bounds, so that the
// first of it does not wait long for its commit.
const (
	maxGroup     = 256
	maxGroupTime = 5 * time.Millisecond
)

// carefulGroups is how many groups use savepoints after one had to be undone.
const carefulGroups = 64

// writer is the goroutine that owns the connection that writes. It serves one
// transaction at a time.
//
// A transaction's function runs on its caller's goroutine, so what it does
// besides using the database (decoding, validating) runs beside others. Its
// statements run on the writer's, whose stack has grown to what SQLite needs;
// the last of them, usually all, come as one call.
//
// Transactions of a group have no savepoints: taking them would cost more than
// the rare failure. One that fails before it wrote anything just ends. One
// that fails later, on a constraint, undoes the group, and the others run
// again; the groups that follow use savepoints for a while.
type writer struct {
	store   *Store
	conn    *direct
	queue   chan *tx
	lastSeq int64 // of the log, as far as this writer knows
	version int64 // of the database, which others change
	checked int64 // the version that it had at last
	// deleted are the tables from which documents were deleted, so that there are
	// tombstones to look for. Strays says that some are of no table or of the users'
	// own documents: what had their paths may be of another kind by now.
	deleted map[string]bool
	strays  bool
	blocked bool // there may be jobs that wait for others of their key
	careful int  // groups left that use savepoints
	clock   *time.Timer
}

// tx is one attempt at a transaction.
type tx struct {
	*writer
	session *store.Session
	commit  store.Commit

	calls   chan call
	results chan result
	queued  bool // the writer knows of it
	inside  bool // code of it runs on the writer's goroutine
	wrote   bool
	first   func(*tx) error // to be done before the first write
	assumed []*nestor.Document
	ahead   map[nestor.Path]*nestor.Document // what was expected, nil: there is none
	heads   []string                         // keys of which the transaction queued the first job
	ends    *ending                          // the job that it ends, if there is one
	place   store.Handover
}

// call is something to do on the writer's goroutine. The result of the last
// one is what became of the transaction, after the commit.
type call struct {
	fn   func() error
	last bool
}

type result struct {
	err   error
	panic any
	over  bool // the transaction never began: there is nothing to abandon
}

// redo asks for a transaction to be run again.
type redo struct{}

func (redo) Error() string { return "another transaction of the group failed" }

func newWriter(s *Store, dsn string, t tables) (*writer, error) {
	d, err := openDirect(dsn, t)
	if err != nil {
		return nil, err
	}
	w := &writer{store: s, conn: d, queue: make(chan *tx, maxGroup), clock: time.NewTimer(time.Hour)}
	w.clock.Stop()
	return w, nil
}

// do runs fn in a transaction, then first, fn's writes and last, and returns
// when it is durable or failed. Each may be nil.
func (w *writer) do(ctx context.Context, fn func(store.Tx) error, first, last func(*tx) error) error {
	return w.finish(ctx, nil, fn, first, last)
}

// finish is do for a transaction that ends a job.
func (w *writer) finish(ctx context.Context, job *nestor.Job, fn func(store.Tx) error, first, last func(*tx) error) error {
	for doubt := false; ; {
		t := &tx{writer: w, calls: make(chan call, 1), results: make(chan result, 1), first: first}
		t.session = store.NewSession(ctx, t, w.store.opts.Rules)
		if job != nil {
			t.session.Ends(job)
		}
		if doubt {
			t.session.Doubt()
		}
		err := t.run(ctx, fn, last)
		doubt = err != nil && t.session.Assumes() && t.session.Ended() == nil
		if _, again := err.(redo); !again && !doubt {
			return classify(err)
		}
	}
}

// exclusive is do for a function that uses the connection.
func (w *writer) exclusive(ctx context.Context, fn func(*tx) error) error {
	return w.do(ctx, nil, fn, nil)
}

func (t *tx) run(ctx context.Context, fn func(store.Tx) error, last func(*tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	finished := false
	defer func() {
		if t.queued && !finished { // fn failed or panicked after it read
			t.send(call{func() error { return errAbandoned }, true})
		}
	}()
	if fn != nil {
		if err := fn(t.session); err != nil {
			return err
		}
	}
	if t.first == nil && last == nil && !t.queued && !t.session.Pending() {
		return nil // it read nothing and wrote nothing
	}
	finished = true
	return t.send(call{func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := t.session.Flush(); err != nil {
			return err
		}
		if err := t.begin(); err != nil {
			return err
		}
		if err := t.check(); err != nil || last == nil {
			return err
		}
		return last(t)
	}, true})
}

// begin does what comes before the first write, once.
func (t *tx) begin() error {
	first := t.first
	if first == nil {
		return nil
	}
	t.first, t.wrote = nil, true
	return first(t)
}

var errAbandoned = errors.New("the transaction was abandoned")

// on runs fn on the writer's goroutine, when it is this transaction's turn.
func (t *tx) on(fn func() error) error {
	if t.inside {
		return fn()
	}
	return t.send(call{fn, false})
}

func (t *tx) send(c call) error {
	select {
	case t.calls <- c:
	case <-t.store.done: // and nobody takes the calls before it
		return closed()
	}
	if !t.queued {
		select {
		case t.queue <- t:
			t.queued = true
		case <-t.store.done:
			return closed()
		}
	}
	select {
	case r := <-t.results:
		if r.panic != nil {
			panic(r.panic)
		}
		t.queued = t.queued && !r.over
		return r.err
	case <-t.store.done:
		select {
		case r := <-t.results:
			return r.err
		default:
			return closed()
		}
	}
}

func closed() error { return nestor.Errorf(nestor.CodeUnavailable, "the database is closed") }

// loop serves transactions until ctx ends and nobody waits.
func (w *writer) loop(ctx context.Context) {
	for {
		select {
		case t := <-w.queue:
			w.group(t)
		case <-ctx.Done():
			select {
			case t := <-w.queue: // what was asked before the stop is still done
				w.group(t)
			default:
				return
			}
		}
	}
}

// group runs first and whoever waits behind it, commits them together and
// tells them.
func (w *writer) group(first *tx) {
	succeeded, err := w.fill(first)
	if err == nil {
		err = w.conn.exec("COMMIT")
	}
	if err != nil {
		// The error that brought us here is the one to report; a failing
		// ROLLBACK means SQLite has rolled back already.
		_ = w.conn.exec("ROLLBACK")
		w.version = 0 // what the group counted does not count
	}
	if err == nil && w.store.opts.Committed != nil {
		w.store.opts.Committed()
	}
	for _, t := range succeeded {
		if err == nil {
			w.store.Tell(t.commit)
		}
		t.results <- result{err: err}
	}
}

// fill serves one transaction after the other. An error means that the whole
// group is to be undone.
func (w *writer) fill(first *tx) (succeeded []*tx, err error) {
	if w.careful > 0 {
		w.careful--
	}
	if err = w.conn.exec("BEGIN IMMEDIATE"); err == nil {
		err = w.look()
	}
	if err != nil {
		first.refuse(err)
		return nil, err
	}
	start := time.Now()
	for n, t := 1, first; t != nil; n++ {
		ok, lost := w.serve(t)
		if ok {
			succeeded = append(succeeded, t)
		}
		if ok && lost == nil {
			var done []*tx
			done, lost = w.prompt(t)
			succeeded = append(succeeded, done...)
		}
		if lost != nil {
			return succeeded, lost
		}
		if n == maxGroup || time.Since(start) > maxGroupTime {
			break
		}
		select {
		case t = <-w.queue:
		default:
			t = nil
		}
	}
	return succeeded, nil
}

// look finds out where the log is, unless this writer was the last to write.
func (w *writer) look() error {
	version := int64(0)
	if err := w.conn.row("PRAGMA data_version").Scan(&version); err != nil || version == w.version {
		return err
	}
	if w.checked != 0 && w.checked != version {
		w.store.elsewhere.Add(1)
	}
	w.checked = version
	if err := w.conn.row(`SELECT COALESCE(max(seq), 0), EXISTS (SELECT 1 FROM jobs WHERE state = 'blocked')
		FROM changes`).Scan(&w.lastSeq, &w.blocked); err != nil {
		return err
	}
	w.deleted, w.strays = map[string]bool{}, false
	err := w.conn.each(deletedFrom, nil, func(r row) error {
		var name string
		err := r.Scan(&name)
		_, flat := w.conn.tables.Flat(name)
		w.deleted[name], w.strays = true, w.strays || !flat
		return err
	})
	if err == nil {
		w.version = version
	}
	return err
}

// deletedFrom finds the tables that tombstones name, one after the other by the index.
const deletedFrom = `WITH RECURSIVE t (name) AS (
	SELECT min(collection) FROM tombstones
	UNION ALL SELECT (SELECT min(collection) FROM tombstones WHERE collection > name) FROM t WHERE name IS NOT NULL)
	SELECT name FROM t WHERE name IS NOT NULL`

// mayBeDeleted reports whether there may be a tombstone of p.
func (w *writer) mayBeDeleted(p nestor.Path) bool {
	return w.strays || w.deleted[w.conn.tables.At(p).Name]
}

// serve runs one transaction. A group error means that the group is lost.
func (w *writer) serve(t *tx) (ok bool, group error) {
	seq, careful := w.lastSeq, w.careful > 0
	if careful {
		if err := w.conn.exec("SAVEPOINT one"); err != nil {
			t.refuse(err)
			return false, err
		}
	}
	r, ended := w.all(t)
	ok = r.err == nil && r.panic == nil
	if !ok {
		w.lastSeq = seq
		defer func() {
			if ended {
				go t.refuseAll(r.err)
			} else {
				t.results <- r
			}
		}()
		if t.wrote && !careful {
			w.careful = carefulGroups
			return false, redo{}
		}
		if t.wrote {
			if err := w.conn.exec("ROLLBACK TO one"); err != nil {
				return false, err
			}
		}
	}
	if careful {
		group = w.conn.exec("RELEASE one")
	}
	return ok, group
}

// all runs the calls of a transaction up to the last one, whose result it returns. The time
// between them is its function's, and the writer's and everybody's wait: a transaction that
// takes too much of it is ended, and its calls are for [tx.refuseAll].
func (w *writer) all(t *tx) (r result, ended bool) {
	c := <-t.calls
	if r = t.call(c.fn); c.last {
		return r, false
	}
	t.results <- r
	bound := w.store.opts.Bounds.Time
	began := time.Now()
	w.clock.Reset(bound)
	defer w.clock.Stop()
	for {
		select {
		case c = <-t.calls:
		case <-w.clock.C:
			if len(w.queue) == 0 { // nobody waits
				w.clock.Reset(maxGroupTime)
				continue
			}
			return result{err: t.session.Stop()}, true
		}
		if len(w.queue) > 0 && time.Since(began) > bound {
			t.calls <- c
			return result{err: t.session.Stop()}, true
		}
		if r = t.call(c.fn); c.last {
			return r, false
		}
		t.results <- r
	}
}

// refuseAll answers what is left of a transaction that was ended.
func (t *tx) refuseAll(err error) {
	for {
		select {
		case c := <-t.calls:
			t.results <- result{err: err}
			if c.last {
				return
			}
		case <-t.store.done:
			return
		}
	}
}

// refuse answers the first call of a transaction that cannot begin.
func (t *tx) refuse(err error) {
	<-t.calls
	t.results <- result{err: err, over: true}
}

// call runs a piece of the transaction; a panic goes to its caller.
func (t *tx) call(fn func() error) (r result) {
	t.inside = true
	defer func() {
		t.inside = false
		if p := recover(); p != nil {
			r.panic = recovery.Of(p) // with the stack of this goroutine
		}
	}()
	return result{err: fn()}
}
