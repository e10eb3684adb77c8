package postgres

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock that lets one process migrate at a time.
const migrationLock = 0x6e6573746f72 // "nestor"

func migrate(ctx context.Context, pool *pgxpool.Pool, modules []store.Schema) error {
	all, err := store.AllMigrations(migrations, "postgres", modules)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			CREATE TABLE IF NOT EXISTS migrations (
				version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
			CREATE TABLE IF NOT EXISTS module_migrations (
				module text COLLATE "C" NOT NULL, version integer NOT NULL, name text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
				PRIMARY KEY (module, version))`); err != nil {
			return err
		}
		for i, ms := range all {
			if err := apply(ctx, tx, ms); err != nil {
				return err
			}
			if i == 0 { // after the store's own tables, before what modules do to theirs
				if err := ensure(ctx, tx, modules); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ensure makes the tables of modules, and what they lack.
func ensure(ctx context.Context, tx pgx.Tx, modules []store.Schema) error {
	for _, m := range modules {
		for _, c := range m.Collections {
			statements := []string{c.TableSQL(syntax)}
			for _, f := range c.Fields {
				statements = append(statements, "ALTER TABLE "+c.Name+" ADD COLUMN IF NOT EXISTS "+f.ColumnSQL(syntax))
			}
			text := strings.Join(append(statements, c.IndexSQL()...), ";\n") // one round trip
			if _, err := tx.Exec(ctx, text); err != nil {
				return fmt.Errorf("the table of %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

var syntax = store.Syntax{Text: `text COLLATE "C"`, Integer: "bigint", Number: "double precision", JSON: "json", Generated: "STORED"}

// apply runs the steps that are missing. Which were run is kept in a table for
// the store's own, and in one for those of modules.
func apply(ctx context.Context, tx pgx.Tx, ms store.Migrations) error {
	current, note := "SELECT COALESCE(max(version), 0) FROM migrations WHERE $1 = ''", "INSERT INTO migrations (version, name) SELECT $2, $3 WHERE $1 = ''"
	if ms.Module != "" {
		current, note = "SELECT COALESCE(max(version), 0) FROM module_migrations WHERE module = $1", "INSERT INTO module_migrations (module, version, name) VALUES ($1, $2, $3)"
	}
	var version int
	if err := tx.QueryRow(ctx, current, ms.Module).Scan(&version); err != nil {
		return err
	}
	pending, err := ms.Pending(version)
	if err != nil {
		return err
	}
	for _, m := range pending {
		if _, err := tx.Exec(ctx, m.SQL); err != nil {
			return ms.Failed(m, err)
		}
		if _, err := tx.Exec(ctx, note, ms.Module, m.Version, m.Name); err != nil {
			return err
		}
	}
	return nil
}
