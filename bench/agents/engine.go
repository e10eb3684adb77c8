package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// engine is a kind of database.
type engine struct {
	name string
	// place makes an empty database for somebody and tells where it is.
	place func(who string) (string, error)
	// size is how many bytes the database at a place takes, and how many of
	// them are the bodies of the documents in the tables named.
	size func(ctx context.Context, place string, tables []string) (disk, bodies float64, err error)
	url  string // of PostgreSQL
	// What is to be reached: at least so much of the floor's steps with many
	// agents, at most so many times its time with waiting ones.
	many, waiting float64
	fixed         float64 // at most so many milliseconds for a run beside its steps
}

func engines(dir string) []*engine {
	all := []*engine{{name: "sqlite", many: 0.8, waiting: 1.3, fixed: 2, size: fileSize, place: func(who string) (string, error) {
		folder, err := os.MkdirTemp(dir, who)
		return filepath.Join(folder, who+".db"), err
	}}}
	if url := os.Getenv("NESTOR_TEST_POSTGRES"); url != "" {
		all = append(all, &engine{name: "postgres", url: url, many: 0.5, waiting: 1.5, size: schemaSize, place: func(who string) (string, error) {
			return url + "&search_path=bench_" + who, emptySchema(url, "bench_"+who)
		}})
	}
	return all
}

// fileSize expects that nobody has the file open: then there is no log beside it.
func fileSize(ctx context.Context, file string, tables []string) (disk, bodies float64, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, 0, err
	}
	if _, err := os.Stat(file + "-wal"); err == nil {
		return 0, 0, fmt.Errorf("%s was not closed", file)
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	for _, table := range tables {
		var n float64
		if err := db.QueryRowContext(ctx, "SELECT COALESCE(sum(octet_length(body)), 0) FROM "+table).Scan(&n); err != nil {
			return 0, 0, err
		}
		bodies += n
	}
	return float64(info.Size()), bodies, nil
}

func schemaSize(ctx context.Context, url string, tables []string) (disk, bodies float64, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'r'`).Scan(&disk)
	if err != nil {
		return 0, 0, err
	}
	for _, table := range tables {
		var n float64
		if err := conn.QueryRow(ctx, "SELECT COALESCE(sum(octet_length(body::text)), 0) FROM "+table).Scan(&n); err != nil {
			return 0, 0, err
		}
		bodies += n
	}
	return disk, bodies, nil
}

func emptySchema(url, name string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, fmt.Sprintf("DROP SCHEMA IF EXISTS %s CASCADE; CREATE SCHEMA %[1]s", name))
	return err
}
