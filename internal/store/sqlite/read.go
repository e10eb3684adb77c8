package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// readers are the connections for reading, lent to one at a time. The one that
// was used last is lent first: its cache and its statements are warm.
type readers struct {
	dsn    string
	tables tables
	room   chan struct{} // one for each that may be lent
	mu     sync.Mutex
	free   []*direct
}

// maxReaders bounds the queries that run at once.
const maxReaders = 8

func newReaders(dsn string, t tables) *readers {
	return &readers{dsn: dsn, tables: t, room: make(chan struct{}, maxReaders)}
}

// snapshot runs fn in a read transaction: everything it reads is of one moment.
//
// The caller who goes away interrupts what fn reads, but neither the begin nor the
// end: a begin that was interrupted may have begun all the same, and whoever is
// lent the connection next would find themselves in a transaction.
func (r *readers) snapshot(ctx context.Context, fn func(*direct) error) error {
	return r.lend(ctx, func(d *direct) error {
		d.ctx = context.Background()
		if err := d.exec("BEGIN"); err != nil {
			return err
		}
		d.ctx, d.broken = ctx, true // until the transaction has ended
		err := fn(d)
		d.ctx = context.Background()
		failure := d.exec("ROLLBACK")
		d.broken = failure != nil
		return errors.Join(err, failure)
	})
}

// lend runs fn with a connection. One statement is of one moment by itself.
func (r *readers) lend(ctx context.Context, fn func(*direct) error) error {
	select {
	case r.room <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-r.room }()
	d, err := r.take()
	if err != nil {
		return err
	}
	defer r.giveBack(d)
	d.ctx = ctx
	return fn(d)
}

// giveBack keeps a connection for the next one. A broken one is closed; what that
// says does not matter to anybody.
func (r *readers) giveBack(d *direct) {
	if d.broken {
		_ = d.close()
		return
	}
	d.ctx = context.Background()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, d)
}

// take returns the connection that was used last, or a new one.
func (r *readers) take() (*direct, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return openDirect(r.dsn, r.tables)
	}
	d := r.free[n-1]
	r.free = r.free[:n-1]
	return d, nil
}

// close waits for those who read and closes all connections.
func (r *readers) close() error {
	for range maxReaders {
		r.room <- struct{}{}
	}
	var err error
	for _, d := range r.free {
		err = errors.Join(err, d.close())
	}
	return err
}

// load reads a document, nil when there is none.
func (d *direct) load(p nestor.Path) (*nestor.Document, error) {
	t := d.tables.At(p)
	doc, err := t.Load(p, d.byKey(t.load, t.Identity(p)...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return doc, err
}

// errEnough ends the reading of rows before the last one.
var errEnough = errors.New("enough was read")

// find runs a checked query.
func (d *direct) find(q store.Query) (store.Page, error) {
	coll, text, args, err := q.SQL(dialect{})
	if err != nil {
		return store.Page{}, err
	}
	t := d.tables.For(coll)
	page := store.PageBuilder{Query: q}
	err = d.each(text, args, func(r row) error {
		doc, err := t.Scan(r.Scan)
		if err == nil && !page.Add(doc) {
			err = errEnough
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return store.Page{}, err
	}
	return page.Page()
}
