package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"unsafe"

	modernc "modernc.org/sqlite"
)

// direct runs statements on a driver connection without database/sql, whose
// pooling and conversions cost more than a statement does. Statements stay
// prepared. It is used by one goroutine at a time.
type direct struct {
	// ctx interrupts queries. The writer's never ends: an interrupted
	// statement would end the whole group.
	ctx    context.Context
	broken bool // it is in a transaction that did not end, and not to be lent again
	conn   driver.Conn
	stmts  map[string]driver.Stmt
	tables tables
	args   []driver.NamedValue
}

// maxStatements bounds the prepared statements: queries of users vary.
const maxStatements = 500

func openDirect(dsn string, t tables) (*direct, error) {
	c, err := (&modernc.Driver{}).Open(dsn)
	if err != nil {
		return nil, err
	}
	return &direct{ctx: context.Background(), conn: c, stmts: map[string]driver.Stmt{}, tables: t}, nil
}

func (d *direct) close() error {
	var err error
	for _, st := range d.stmts {
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, d.conn.Close())
}

func (d *direct) prepare(text string) (driver.Stmt, error) {
	if st, ok := d.stmts[text]; ok {
		return st, nil
	}
	if len(d.stmts) >= maxStatements {
		for old, st := range d.stmts {
			if err := st.Close(); err != nil {
				return nil, err
			}
			delete(d.stmts, old)
		}
	}
	st, err := d.conn.Prepare(unplanned(text))
	if err == nil {
		d.stmts[text] = st
	}
	return st, err
}

// unplanned hides the values of limits from SQLite, which otherwise prepares a
// statement anew whenever it is given another one, to plan for that value. That
// takes longer than most of our statements run.
func unplanned(text string) string { return strings.ReplaceAll(text, "LIMIT ?", "LIMIT 0 + ?") }

// bind brings the arguments to the driver's form.
func (d *direct) bind(args []any) []driver.NamedValue {
	d.args = d.args[:0]
	for i, a := range args {
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		d.args = append(d.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return d.args
}

// exec runs a statement.
func (d *direct) exec(text string, args ...any) error {
	_, err := d.affected(text, args...)
	return err
}

// affected runs a statement and counts the rows it changed.
func (d *direct) affected(text string, args ...any) (int64, error) {
	st, err := d.prepare(text)
	if err != nil {
		return 0, err
	}
	res, err := st.(driver.StmtExecContext).ExecContext(d.ctx, d.bind(args))
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (d *direct) query(text string, args []any) (driver.Rows, error) {
	st, err := d.prepare(text)
	if err != nil {
		return nil, err
	}
	return st.(driver.StmtQueryContext).QueryContext(d.ctx, d.bind(args))
}

// each runs a query and calls scan for every row.
func (d *direct) each(text string, args []any, scan func(row) error) error {
	rows, err := d.query(text, args)
	if err != nil {
		return err
	}
	values := make(values, len(rows.Columns()))
	for err = rows.Next(values); err == nil; err = rows.Next(values) {
		if err = scan(values); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}

// row runs a query for one row.
func (d *direct) row(text string, args ...any) row {
	rows, err := d.query(text, args)
	if err != nil {
		return failed{err}
	}
	values := make(values, len(rows.Columns()))
	err = rows.Next(values)
	if errors.Is(err, io.EOF) {
		err = sql.ErrNoRows
	}
	if err = errors.Join(err, rows.Close()); err != nil {
		return failed{err}
	}
	return values
}

// byKey runs a query for one row that has its key. It is over before anybody could
// interrupt it, and a statement that can be interrupted costs a goroutine.
func (d *direct) byKey(text string, args ...any) row {
	defer func(before context.Context) { d.ctx = before }(d.ctx)
	d.ctx = context.Background()
	return d.row(text, args...)
}

type row interface{ Scan(...any) error }

type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// values is a row as the driver gives it.
type values []driver.Value

// Scan supports the types that this package scans into.
func (v values) Scan(dest ...any) error {
	for i, to := range dest {
		if err := assign(to, v[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func assign(to any, from driver.Value) error {
	switch from := from.(type) {
	case nil:
		switch to := to.(type) {
		case *[]byte:
			*to = nil
			return nil
		case **string:
			*to = nil
			return nil
		case **int64:
			*to = nil
			return nil
		}
	case int64:
		switch to := to.(type) {
		case *int64:
			*to = from
			return nil
		case *int:
			*to = int(from)
			return nil
		case **int64:
			*to = &from
			return nil
		case *bool:
			*to = from != 0
			return nil
		}
	case []byte:
		if to, ok := to.(*[]byte); ok {
			*to = from
			return nil
		}
	case string:
		switch to := to.(type) {
		case *string:
			*to = from
			return nil
		case *[]byte:
			*to = []byte{}
			if from != "" {
				*to = unsafe.Slice(unsafe.StringData(from), len(from)) // the driver made it for us alone
			}
			return nil
		case **string:
			*to = &from
			return nil
		}
	}
	return fmt.Errorf("cannot read %T into %T", from, to)
}
