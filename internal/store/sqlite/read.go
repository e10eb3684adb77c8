package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// readers are the connections for reading, lent one at a time.
type readers struct {
	free chan *direct
	all  []*direct
}

// maxReaders bounds the queries that run at once.
const maxReaders = 8

func openReaders(dsn string) (*readers, error) {
	r := &readers{free: make(chan *direct, maxReaders)}
	for range maxReaders {
		d, err := openDirect(dsn)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.all = append(r.all, d)
		r.free <- d
	}
	return r, nil
}

// snapshot runs fn in a read transaction: everything it reads is of one moment.
func (r *readers) snapshot(ctx context.Context, fn func(*direct) error) (err error) {
	var d *direct
	select {
	case d = <-r.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() {
		d.ctx = context.Background()
		if failure := d.exec("ROLLBACK"); err == nil {
			err = failure
		}
		r.free <- d
	}()
	if err := d.exec("BEGIN"); err != nil {
		return err
	}
	d.ctx = ctx
	return fn(d)
}

// close waits for those who read and closes all connections.
func (r *readers) close() error {
	var err error
	for range r.all {
		err = errors.Join(err, (<-r.free).close())
	}
	return err
}

// load reads a document, nil when there is none.
func (d *direct) load(p nestor.Path) (*nestor.Document, error) {
	t := tableOf(store.CollectionOf(p))
	doc := &nestor.Document{Path: p}
	var body []byte
	err := d.row(t.load, t.Identity(p)...).Scan(&doc.Version, &doc.Seq, &doc.CreatedAt, &doc.UpdatedAt, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	doc.Data = t.Data(p, body)
	return doc, err
}

// find runs a checked query.
func (d *direct) find(q store.Query) (store.Page, error) {
	coll, text, args, err := q.SQL(dialect{})
	if err != nil {
		return store.Page{}, err
	}
	t := tableOf(coll)
	page := store.Page{Items: []*nestor.Document{}}
	err = d.each(text, args, func(r row) error {
		doc, err := t.Scan(r.Scan)
		page.Items = append(page.Items, doc)
		return err
	})
	if err != nil || len(page.Items) <= q.Limit {
		return page, err
	}
	page.Items = page.Items[:q.Limit]
	page.Next, err = q.NextCursor(page.Items[q.Limit-1])
	return page, err
}
