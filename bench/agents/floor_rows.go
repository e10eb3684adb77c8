package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite"
)

// openRows opens the floor's database: a file, or a schema of PostgreSQL.
func openRows(ctx context.Context, at string) (rows, error) {
	if strings.HasPrefix(at, "postgres") {
		return openPostgres(ctx, at)
	}
	return openSQLite(ctx, at)
}

// sqliteRows commits each transaction by itself, one after the other.
type sqliteRows struct {
	db *sql.DB
	mu sync.Mutex
	// statements are prepared on the only connection that writes.
	begin, insert, end, undo *sql.Stmt
}

func openSQLite(ctx context.Context, file string) (*sqliteRows, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, fmt.Sprintf(createTable, "TEXT")); err != nil {
		return nil, err
	}
	r := &sqliteRows{db: db}
	for text, statement := range map[string]**sql.Stmt{
		"BEGIN IMMEDIATE": &r.begin, insert("?, ?, ?"): &r.insert, "COMMIT": &r.end, "ROLLBACK": &r.undo,
	} {
		if *statement, err = db.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	return r, nil
}

const createTable = "CREATE TABLE messages (agent TEXT, id TEXT, body %s, PRIMARY KEY (agent, id))"

func insert(values string) string {
	return "INSERT INTO messages (agent, id, body) VALUES (" + values + ")"
}

func (r *sqliteRows) commit(_ context.Context, step []row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.begin.Exec()
	for _, w := range step {
		if err == nil {
			_, err = r.insert.Exec(w.agent, w.id, string(w.body))
		}
	}
	if err == nil {
		_, err = r.end.Exec()
	}
	if err != nil {
		_, _ = r.undo.Exec() // what went wrong is reported
	}
	return err
}

func (r *sqliteRows) close() error {
	var err error
	for _, st := range []*sql.Stmt{r.begin, r.insert, r.end, r.undo} { // an open one would keep the log from being checkpointed
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, r.db.Close())
}

// postgresRows sends each transaction in one round trip.
type postgresRows struct{ pool *pgxpool.Pool }

func openPostgres(ctx context.Context, url string) (*postgresRows, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 32 // as many as Nestor's
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, fmt.Sprintf(createTable, "json")); err != nil {
		return nil, err
	}
	return &postgresRows{pool}, nil
}

func (r *postgresRows) commit(ctx context.Context, step []row) error {
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	for _, w := range step {
		b.Queue(insert("$1, $2, $3"), w.agent, w.id, string(w.body))
	}
	b.Queue("COMMIT")
	return r.pool.SendBatch(ctx, b).Close()
}

func (r *postgresRows) close() error {
	r.pool.Close()
	return nil
}
