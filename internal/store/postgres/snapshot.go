package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
)

// read runs fn on one snapshot, again if the connection breaks.
func (s *Store) read(ctx context.Context, fn func(*snapshot) error) error {
	return insist(ctx, func() error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		shot := &snapshot{conn: conn}
		defer shot.end()
		return fn(shot)
	})
}

// Load implements [store.Loader].
func (s *Store) Load(ctx context.Context, p nestor.Path) (d *nestor.Document, err error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	err = insist(ctx, func() error {
		d, err = s.loadOne(ctx, p)
		return err
	})
	return d, err
}

// snapshot is a connection on which all reads see the moment of the first. Only the
// reads are waited for: the transaction begins in the round trip of the first one, and
// ends when the reader has gone on.
type snapshot struct {
	conn  *pgxpool.Conn
	begun bool
}

// Query implements [querier].
func (s *snapshot) Query(ctx context.Context, text string, args ...any) (pgx.Rows, error) {
	if s.begun {
		return s.conn.Query(ctx, text, args...)
	}
	batch := s.batch()
	batch.Queue(text, args...)
	answers := s.conn.SendBatch(ctx, batch)
	if _, err := answers.Exec(); err != nil {
		return nil, errors.Join(err, answers.Close())
	}
	rows, err := answers.Query()
	if err != nil {
		return nil, errors.Join(err, answers.Close())
	}
	return firstRows{rows, answers}, nil
}

// batch is for several reads at once. It has to be sent.
func (s *snapshot) batch() *pgx.Batch {
	b := &pgx.Batch{}
	if !s.begun {
		s.begun = true
		b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	}
	return b
}

// send makes the reads of a batch, if it has any.
func (s *snapshot) send(ctx context.Context, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	return s.conn.SendBatch(ctx, b).Close()
}

// ask makes reads together, those of a kind with one statement.
func (s *snapshot) ask(ctx context.Context, list steps) error {
	if len(list) == 0 {
		return nil
	}
	b := s.batch()
	for _, one := range list.together() {
		b.Queue(one.text, one.args...).Query(one.read)
	}
	return s.send(ctx, b)
}

// QueryRow implements [querier].
func (s *snapshot) QueryRow(ctx context.Context, text string, args ...any) pgx.Row {
	rows, err := s.Query(ctx, text, args...)
	return onlyRow{rows, err}
}

// endLimit bounds how long the end of a snapshot is waited for before its connection is
// closed instead.
const endLimit = 10 * time.Second

// end gives the connection back. The pool closes it if the transaction did not end.
func (s *snapshot) end() {
	if !s.begun {
		s.conn.Release()
		return
	}
	go func() {
		defer s.conn.Release()
		ctx, cancel := context.WithTimeout(context.Background(), endLimit)
		defer cancel()
		_, _ = s.conn.Exec(ctx, "COMMIT")
	}()
}

// firstRows are those of the first read, in whose batch the transaction began.
type firstRows struct {
	pgx.Rows
	answers pgx.BatchResults
}

// Close implements [pgx.Rows].
func (r firstRows) Close() {
	r.Rows.Close()
	_ = r.answers.Close() // what went wrong with the rows, they tell
}

// onlyRow is the first of some rows.
type onlyRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements [pgx.Row].
func (r onlyRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(into...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}
