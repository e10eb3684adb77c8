package pgtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor/internal/testmain"
)

// Schemas have the same tables. The tests of a package use them one after the other: to
// bring one back to its beginning takes a twentieth of the processor time of making it.
type Schemas struct {
	// Fill makes the tables in the empty schema at the URL.
	Fill func(url string) error

	mu   sync.Mutex
	conn *pgx.Conn // to look after them
	free []*schema
}

// schema is one with tables.
type schema struct {
	name, url string
	tables    []string
	columns   []string // of the tables
	// restore is SQL that brings the tables back to what Fill left in them.
	restore string
}

// URL returns the URL of a schema that Fill has just filled, as far as the test can tell. It
// is the test's own.
func (s *Schemas) URL(t testing.TB) string {
	t.Helper()
	got, err := s.take(address(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.giveBack(got); err != nil {
			t.Error(err)
		}
	})
	return got.url
}

// take takes one that is free, or makes one.
func (s *Schemas) take(server string) (got *schema, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx := context.Background() // that of one test may end before another takes the schema
	if s.conn == nil {
		if s.conn, err = pgx.Connect(ctx, server); err != nil {
			return nil, err
		}
		testmain.AtEnd(func() error { return s.end(ctx) })
	}
	if n := len(s.free); n > 0 {
		got, s.free = s.free[n-1], s.free[:n-1]
		return got, nil
	}
	name := newName()
	got = &schema{name: name, url: within(server, name)}
	if _, err := s.conn.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
		return nil, err
	}
	if err := s.Fill(got.url); err != nil {
		return nil, err
	}
	return got, s.remember(ctx, got)
}

// end drops them all.
func (s *Schemas) end(ctx context.Context) (err error) {
	for _, one := range s.free {
		err = errors.Join(err, s.drop(ctx, one))
	}
	return errors.Join(err, s.conn.Close(ctx))
}

func (s *Schemas) drop(ctx context.Context, one *schema) error {
	_, err := s.conn.Exec(ctx, "DROP SCHEMA "+one.name+" CASCADE")
	return err
}

// remember learns how to bring the tables back to what they are.
func (s *Schemas) remember(ctx context.Context, one *schema) (err error) {
	if one.tables, err = s.tables(ctx, one); err != nil {
		return err
	}
	if one.columns, err = s.columns(ctx, one); err != nil {
		return err
	}
	restore := []string{"SET LOCAL session_replication_role = replica"} // nobody checks references on the way
	for _, table := range one.tables {
		var rows *string
		if err := s.conn.QueryRow(ctx, "SELECT json_agg(t)::text FROM "+table+" AS t").Scan(&rows); err != nil {
			return err
		}
		restore = append(restore, "DELETE FROM "+table)
		if rows != nil {
			restore = append(restore, fmt.Sprintf("INSERT INTO %s SELECT * FROM json_populate_recordset(NULL::%[1]s, '%s')",
				table, strings.ReplaceAll(*rows, "'", "''")))
		}
	}
	rows, _ := s.conn.Query(ctx, `SELECT format('SELECT setval(%s, %s, %L)', seqrelid, COALESCE(pg_sequence_last_value(seqrelid), seqstart), pg_sequence_last_value(seqrelid) IS NOT NULL) FROM pg_sequence
		WHERE seqrelid IN (SELECT oid FROM pg_class WHERE relnamespace = $1::text::regnamespace)`, one.name)
	sequences, err := pgx.CollectRows(rows, pgx.RowTo[string])
	one.restore = strings.Join(append(restore, sequences...), ";\n")
	return err
}

// tables are the names of the tables of a schema.
func (s *Schemas) tables(ctx context.Context, one *schema) ([]string, error) {
	rows, _ := s.conn.Query(ctx, `SELECT $1 || '.' || relname FROM pg_class
		WHERE relnamespace = $1::text::regnamespace AND relkind = 'r' ORDER BY relname`, one.name)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// columns are the names of the columns of the tables of a schema.
func (s *Schemas) columns(ctx context.Context, one *schema) ([]string, error) {
	rows, _ := s.conn.Query(ctx, `SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1`, one.name)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// maxSize is how much a schema may hold that is used again, in bytes: emptied tables keep
// their size.
const maxSize = 16 << 20

// giveBack makes a schema free again, unless a test has given it other columns, or much to
// hold. Whoever still uses it, such as a process that has just been killed, is cut off.
func (s *Schemas) giveBack(used *schema) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx := context.Background() // the test's own is over
	for sessions := 1; sessions > 0; {
		err := s.conn.QueryRow(ctx, "SELECT count((pg_terminate_backend(pid), pg_sleep(0.001))) FROM pg_stat_activity WHERE application_name = $1", used.name).Scan(&sessions)
		if err != nil {
			return err
		}
	}
	now, err := s.columns(ctx, used)
	if err != nil {
		return err
	}
	var size int64
	if err := s.conn.QueryRow(ctx, `SELECT sum(pg_relation_size(oid))::bigint FROM pg_class
		WHERE relnamespace = $1::text::regnamespace AND relkind IN ('r', 'i')`, used.name).Scan(&size); err != nil {
		return err
	}
	if size > maxSize || !slices.Equal(now, used.columns) {
		return s.drop(ctx, used)
	}
	if _, err := s.conn.Exec(ctx, used.restore); err != nil {
		return err
	}
	s.free = append(s.free, used)
	return nil
}
