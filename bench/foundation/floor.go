package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite"
)

// The floor: programs that do nothing but the unavoidable inserts for a
// document, its change and its job, and remove the job in a second
// transaction, with the same durability and the same number of callers.

// body is the document that all measurements write.
const body = `{"content":"How many people live in the three largest cities of Portugal?","role":"user","type":"text"}`

// sqliteFloor groups concurrent transactions into one commit, as any serious
// program on SQLite would.
func sqliteFloor(dir string, callers, total int) (rate float64, err error) {
	dir, err = os.MkdirTemp(dir, "floor")
	if err != nil {
		return 0, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "floor.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(context.Background())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ctx := context.Background()
	if _, err := conn.ExecContext(ctx, `
		CREATE TABLE documents (collection TEXT, id TEXT, version INTEGER, seq INTEGER, created_at INTEGER, updated_at INTEGER, body TEXT,
			PRIMARY KEY (collection, id));
		CREATE INDEX documents_order ON documents (collection, created_at, seq);
		CREATE TABLE changes (seq INTEGER PRIMARY KEY, type TEXT, path TEXT, version INTEGER, at INTEGER);
		CREATE TABLE jobs (id TEXT PRIMARY KEY, key TEXT, state TEXT, seq INTEGER, path TEXT);
		CREATE INDEX jobs_key ON jobs (key)`); err != nil {
		return 0, err
	}
	prepare := func(text string) *sql.Stmt {
		st, perr := conn.PrepareContext(ctx, text)
		if perr != nil {
			err = perr
		}
		return st
	}
	begin, commit := prepare("BEGIN IMMEDIATE"), prepare("COMMIT")
	document := prepare("INSERT INTO documents VALUES (?, ?, 1, ?, 1, 1, ?)")
	change := prepare("INSERT INTO changes VALUES (?, 'create', ?, 1, 1)")
	insert := prepare("INSERT INTO jobs VALUES (?, ?, 'running', ?, ?)")
	remove := prepare("DELETE FROM jobs WHERE id = ?")
	if err != nil {
		return 0, err
	}

	type request struct {
		run  func() error
		done chan error
	}
	requests := make(chan request, 256)
	var writer sync.WaitGroup
	writer.Go(func() {
		for r := range requests {
			group := []request{r}
			_, err := begin.Exec()
			for err == nil {
				err = r.run()
				if len(group) == 256 {
					break
				}
				select {
				case next, ok := <-requests:
					if ok {
						r = next
						group = append(group, r)
						continue
					}
				default:
				}
				break
			}
			if err == nil {
				_, err = commit.Exec()
			}
			for _, r := range group {
				r.done <- err
			}
		}
	})
	do := func(run func() error) error {
		r := request{run, make(chan error, 1)}
		requests <- r
		return <-r.done
	}
	seq := 0
	rate, err = race(callers, total, func(caller, i int) error {
		id := fmt.Sprintf("c%03d-%08d", caller, i)
		path := "users/u1/notes/" + id
		err := do(func() error {
			seq++
			if _, err := document.Exec("users/u1/notes", id, seq, body); err != nil {
				return err
			}
			if _, err := change.Exec(seq, path); err != nil {
				return err
			}
			_, err := insert.Exec(id, path, seq, path)
			return err
		})
		if err != nil {
			return err
		}
		return do(func() error { _, err := remove.Exec(id); return err })
	})
	close(requests)
	writer.Wait()
	return rate, err
}

// postgresFloor sends each transaction in one round trip.
func postgresFloor(url string, callers, total int) (float64, error) {
	ctx := context.Background()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return 0, err
	}
	cfg.MaxConns = 32
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `
		DROP SCHEMA IF EXISTS floor CASCADE; CREATE SCHEMA floor;
		CREATE TABLE floor.documents (collection text, id text, version bigint, seq bigint, created_at bigint, updated_at bigint, body json,
			PRIMARY KEY (collection, id));
		CREATE INDEX ON floor.documents (collection, created_at, seq);
		CREATE SEQUENCE floor.seq;
		CREATE TABLE floor.changes (seq bigint PRIMARY KEY, type text, path text, version bigint, at bigint);
		CREATE TABLE floor.jobs (id text PRIMARY KEY, key text, state text, seq bigint, path text);
		CREATE INDEX ON floor.jobs (key)`); err != nil {
		return 0, err
	}
	defer pool.Exec(ctx, "DROP SCHEMA floor CASCADE")
	return race(callers, total, func(caller, i int) error {
		id := fmt.Sprintf("c%03d-%08d", caller, i)
		path := "users/u1/notes/" + id
		b := &pgx.Batch{}
		b.Queue("BEGIN")
		b.Queue("INSERT INTO floor.documents VALUES ($1, $2, 1, nextval('floor.seq'), 1, 1, $3)", "users/u1/notes", id, body)
		b.Queue("INSERT INTO floor.changes VALUES (currval('floor.seq'), 'create', $1, 1, 1)", path)
		b.Queue("INSERT INTO floor.jobs VALUES ($1, $2, 'running', currval('floor.seq'), $2)", id, path)
		b.Queue("COMMIT")
		if err := pool.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		_, err := pool.Exec(ctx, "DELETE FROM floor.jobs WHERE id = $1", id)
		return err
	})
}

// emptySchema makes a place for one measurement.
func emptySchema(url string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "DROP SCHEMA IF EXISTS nestor_bench CASCADE; CREATE SCHEMA nestor_bench")
	return err
}
