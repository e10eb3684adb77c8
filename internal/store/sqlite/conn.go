package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// conn runs statements on the writer's connection or in a read transaction.
type conn struct {
	ctx   context.Context
	q     querier
	stmts *statements // nil: statements are not kept
}

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// statements keeps the fixed statements of the writer prepared.
type statements struct {
	conn  *sql.Conn
	cache map[string]*sql.Stmt
}

func (s *statements) get(text string) (*sql.Stmt, error) {
	if st, ok := s.cache[text]; ok {
		return st, nil
	}
	st, err := s.conn.PrepareContext(context.Background(), text)
	if err == nil {
		s.cache[text] = st
	}
	return st, err
}

func (s *statements) close() {
	for _, st := range s.cache {
		st.Close()
	}
}

// exec runs a fixed statement.
func (c conn) exec(text string, args ...any) error {
	_, err := c.affected(text, args...)
	return err
}

// affected runs a fixed statement and counts the rows it changed.
func (c conn) affected(text string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	if c.stmts == nil {
		res, err = c.q.ExecContext(c.ctx, text, args...)
	} else {
		var st *sql.Stmt
		if st, err = c.stmts.get(text); err == nil {
			res, err = st.ExecContext(c.ctx, args...)
		}
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

type row interface{ Scan(...any) error }

// row runs a fixed query for one row.
func (c conn) row(text string, args ...any) row {
	if c.stmts == nil {
		return c.q.QueryRowContext(c.ctx, text, args...)
	}
	st, err := c.stmts.get(text)
	if err != nil {
		return failedRow{err}
	}
	return st.QueryRowContext(c.ctx, args...)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// each runs a query and calls scan for every row.
func (c conn) each(text string, args []any, scan func(row) error) error {
	rows, err := c.q.QueryContext(c.ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// load reads a document, nil when there is none.
func (c conn) load(p nestor.Path) (*nestor.Document, error) {
	t := tableOf(store.CollectionOf(p))
	d := &nestor.Document{Path: p}
	var body []byte
	err := c.row(t.load, t.key(p)...).Scan(&d.Version, &d.Seq, &d.CreatedAt, &d.UpdatedAt, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	d.Data = t.Data(p, body)
	return d, err
}

// query runs a checked query.
func (c conn) query(q store.Query) (store.Page, error) {
	coll, text, args, err := q.SQL(dialect{})
	if err != nil {
		return store.Page{}, err
	}
	t := tableOf(coll)
	page := store.Page{Items: []*nestor.Document{}}
	err = c.each(text, args, func(r row) error {
		d, err := t.scan(r)
		page.Items = append(page.Items, d)
		return err
	})
	if err != nil || len(page.Items) <= q.Limit {
		return page, err
	}
	page.Items = page.Items[:q.Limit]
	page.Next, err = q.NextCursor(page.Items[q.Limit-1])
	return page, err
}
