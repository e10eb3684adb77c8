package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

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

// sqliteRows has one goroutine that writes. It commits whatever waits at the
// same time together, as Nestor's does.
type sqliteRows struct {
	db         *sql.DB
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	requests   chan request
	done       chan struct{}
}

type request struct {
	step []row
	done chan error
}

// maxGroup is how many transactions are committed together at most.
const maxGroup = 256

func openSQLite(ctx context.Context, file string) (*sqliteRows, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	r := &sqliteRows{
		db: db, conn: conn, statements: map[string]*sql.Stmt{}, requests: make(chan request, maxGroup), done: make(chan struct{}),
	}
	texts := map[string]string{"begin": "BEGIN IMMEDIATE", "commit": "COMMIT", "rollback": "ROLLBACK"}
	for _, kind := range kinds {
		if _, err := conn.ExecContext(ctx, fmt.Sprintf(createTable, kind, "TEXT")); err != nil {
			return nil, err
		}
		texts[kind] = insert(kind, "?, ?, ?")
	}
	for name, text := range texts {
		if r.statements[name], err = conn.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	go r.write()
	return r, nil
}

// write serves those who commit until there are no more.
func (r *sqliteRows) write() {
	defer close(r.done)
	for first := range r.requests {
		r.group(first)
	}
}

// kinds of documents, each with a table.
var kinds = []string{"agents", "messages", "tool_calls"}

const createTable = "CREATE TABLE %s (agent TEXT, id TEXT, body %s, PRIMARY KEY (agent, id))"

func insert(kind, values string) string {
	text := "INSERT INTO " + kind + " (agent, id, body) VALUES (" + values + ")"
	if kind == "agents" {
		text += " ON CONFLICT (agent, id) DO UPDATE SET body = excluded.body"
	}
	return text
}

// group commits a transaction together with whatever waits behind it.
func (r *sqliteRows) group(first request) {
	group := []request{first}
	_, err := r.statements["begin"].Exec()
	for i := 0; i < len(group) && err == nil; i++ {
		for _, w := range group[i].step {
			if _, err = r.statements[w.kind].Exec(w.agent, w.id, string(w.body)); err != nil {
				break
			}
		}
		if len(group) == maxGroup {
			continue
		}
		select {
		case next, open := <-r.requests:
			if open {
				group = append(group, next)
			}
		default:
		}
	}
	if err == nil {
		_, err = r.statements["commit"].Exec()
	} else {
		_, _ = r.statements["rollback"].Exec() // what went wrong is reported
	}
	for _, g := range group {
		g.done <- err
	}
}

func (r *sqliteRows) commit(_ context.Context, step []row) error {
	q := request{step, make(chan error, 1)}
	r.requests <- q
	return <-q.done
}

func (r *sqliteRows) close() error {
	close(r.requests)
	<-r.done
	var err error
	for _, st := range r.statements { // an open one would keep the log from being checkpointed
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, r.conn.Close(), r.db.Close())
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
	for _, kind := range kinds {
		if _, err := pool.Exec(ctx, fmt.Sprintf(createTable, kind, "json")); err != nil {
			return nil, err
		}
	}
	return &postgresRows{pool}, nil
}

func (r *postgresRows) commit(ctx context.Context, step []row) error {
	b := &pgx.Batch{}
	b.Queue("BEGIN")
	for _, w := range step {
		b.Queue(insert(w.kind, "$1, $2, $3"), w.agent, w.id, string(w.body))
	}
	b.Queue("COMMIT")
	return r.pool.SendBatch(ctx, b).Close()
}

func (r *postgresRows) close() error {
	r.pool.Close()
	return nil
}
