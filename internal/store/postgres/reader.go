package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// reader reads on one snapshot, so a document that was read once need not be read again.
type reader struct {
	ctx    context.Context
	q      *snapshot
	tables tables
	read   map[nestor.Path]*nestor.Document // nil: there is none
	ahead  map[string][]*nestor.Document    // what queries found, by askedBy
}

func newReader(ctx context.Context, q *snapshot, t tables) *reader {
	return &reader{ctx: ctx, q: q, tables: t, read: map[nestor.Path]*nestor.Document{}, ahead: map[string][]*nestor.Document{}}
}

// Expect implements [store.Expecter].
func (r *reader) Expect(paths ...nestor.Path) error { return r.ExpectQueries(paths, nil) }

// ExpectQueries implements [store.QueryExpecter].
func (r *reader) ExpectQueries(paths []nestor.Path, queries []store.Query) error {
	read, ahead := map[nestor.Path]*nestor.Document{}, map[string][]*nestor.Document{}
	var list steps
	for _, p := range paths {
		read[p] = nil
		list = append(list, r.tables.At(p).loading(p, func(d *nestor.Document) { read[p] = d }))
	}
	for _, q := range queries {
		if err := q.Check(r.tables.Catalogue); err != nil {
			return err
		}
		c, text, args, err := q.SQL(dialect{})
		if err != nil {
			return err
		}
		list = append(list, step{text: text, args: args, then: func(rows pgx.Rows) error {
			docs, err := scanAll(rows, r.tables.For(c))
			ahead[askedBy(text, args)] = docs
			return err
		}})
	}
	if err := r.q.ask(r.ctx, list); err != nil {
		return classify(err)
	}
	maps.Copy(r.read, read)
	maps.Copy(r.ahead, ahead)
	return nil
}

// askedBy tells a query from others.
func askedBy(text string, args []any) string { return text + fmt.Sprintf("%#v", args) }

func (r *reader) Get(p nestor.Path) (*nestor.Document, error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	d, ok := r.read[p]
	if !ok {
		var err error
		if d, err = r.tables.load(r.ctx, r.q, p, false); err != nil {
			return nil, classify(err)
		}
		r.read[p] = d
	}
	if d == nil {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
	}
	return d, nil
}

func (r *reader) Query(q store.Query) (store.Page, error) {
	if err := q.Check(r.tables.Catalogue); err != nil {
		return store.Page{}, err
	}
	if len(r.ahead) > 0 {
		_, text, args, err := q.SQL(dialect{})
		if err != nil {
			return store.Page{}, err
		}
		if docs, ok := r.ahead[askedBy(text, args)]; ok {
			return pageOf(q, docs)
		}
	}
	page, err := r.tables.query(r.ctx, r.q, q)
	return page, classify(err)
}

// Scan implements [store.Scanner].
func (r *reader) Scan(s store.Scan) (store.Scanned, error) {
	at, found, err := s.Statements(r.tables.Catalogue, dialect{})
	if err != nil {
		return store.Scanned{}, err
	}
	edge := &store.Age{}
	err = r.q.QueryRow(r.ctx, at.Text, at.Args...).Scan(&edge.CreatedAt, &edge.CreatedSeq)
	if errors.Is(err, pgx.ErrNoRows) {
		edge, err = nil, nil
	}
	if err != nil {
		return store.Scanned{}, classify(err)
	}
	c, text := found(edge)
	items, err := collect(r.ctx, r.q, r.tables.For(c), text.Text, text.Args...)
	return s.Result(items, edge), classify(err)
}

// Count implements [store.Counter].
func (r *reader) Count(q store.Query) (n int, err error) {
	if err := q.Check(r.tables.Catalogue); err != nil {
		return 0, err
	}
	text, args := q.CountSQL(dialect{})
	err = classify(r.q.QueryRow(r.ctx, text, args...).Scan(&n))
	return n, err
}

// Texts implements [store.Teller].
func (r *reader) Texts(q store.Query, field string) ([]string, error) {
	if err := q.Check(r.tables.Catalogue); err != nil {
		return nil, err
	}
	text, args := q.TextsSQL(dialect{}, field)
	rows, err := r.q.Query(r.ctx, text, args...)
	if err != nil {
		return nil, classify(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return texts, classify(err)
}
