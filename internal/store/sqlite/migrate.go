package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

func migrate(ctx context.Context, dsn string, opts store.Options) error {
	all, err := store.AllMigrations(migrations, "sqlite", opts.Modules)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// The write lock keeps two processes from migrating at once.
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `
		CREATE TABLE IF NOT EXISTS migrations (
			version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT;
		CREATE TABLE IF NOT EXISTS module_migrations (
			module TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
			PRIMARY KEY (module, version)) STRICT`)
	for _, table := range []string{"migrations", "module_migrations"} {
		if err == nil {
			err = addFloor(ctx, conn, table)
		}
	}
	for i := 0; err == nil && i < len(all); i++ {
		if err = apply(ctx, conn, all[i], opts.Logger); i == 0 && err == nil {
			err = ensure(ctx, conn, opts.Modules) // after the store's own tables, before what modules do to theirs
		}
	}
	if err != nil {
		_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, rollback)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// ensure makes the tables of modules, and what they lack.
func ensure(ctx context.Context, conn *sql.Conn, modules []store.Schema) error {
	for _, m := range modules {
		for _, c := range m.Collections {
			if _, err := conn.ExecContext(ctx, c.TableSQL(syntax)); err != nil {
				return fmt.Errorf("the table of %s: %w", c.Name, err)
			}
			statements, err := missing(ctx, conn, c)
			if err != nil {
				return err
			}
			if _, err := conn.ExecContext(ctx, strings.Join(append(statements, c.IndexSQL()...), ";\n")); err != nil {
				return fmt.Errorf("the table of %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// missing adds the columns that a collection has got since its table was made.
func missing(ctx context.Context, conn *sql.Conn, c *store.Collection) (statements []string, err error) {
	for _, f := range c.Fields {
		var there bool
		err := conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ?)", c.Name, f.Column).Scan(&there)
		if err != nil {
			return nil, err
		}
		if !there {
			statements = append(statements, "ALTER TABLE "+c.Name+" ADD COLUMN "+f.ColumnSQL(syntax))
		}
	}
	return statements, nil
}

var syntax = store.Syntax{Text: "TEXT", Integer: "INTEGER", Number: "REAL", JSON: "TEXT", Generated: "VIRTUAL", Options: " STRICT"}

// addFloor gives a table of steps the column that older programs did not know.
func addFloor(ctx context.Context, conn *sql.Conn, table string) error {
	var there bool
	err := conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?) WHERE name = 'floor')", table).Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = conn.ExecContext(ctx, "ALTER TABLE "+table+" ADD COLUMN floor INTEGER")
	return err
}

// apply runs the steps that are missing. Which were run is kept in a table for
// the store's own, and in one for those of modules. Programs that knew of no floor
// noted none: their steps are their own floor.
func apply(ctx context.Context, conn *sql.Conn, ms store.Migrations, log *slog.Logger) error {
	from, note := "migrations WHERE ?1 = ''", "INSERT INTO migrations (version, name, floor) VALUES (?2, ?3, ?4)"
	if ms.Module != "" {
		from, note = "module_migrations WHERE module = ?1", "INSERT INTO module_migrations (module, version, name, floor) VALUES (?1, ?2, ?3, ?4)"
	}
	var have store.Applied
	err := conn.QueryRowContext(ctx, "SELECT COALESCE(max(version), 0), COALESCE(max(COALESCE(floor, version)), 0) FROM "+from, ms.Module).Scan(&have.Version, &have.Floor)
	if err != nil {
		return err
	}
	pending, err := ms.Pending(have)
	if err != nil {
		return err
	}
	if newer := ms.Newer(have); newer != "" {
		log.Warn(newer)
	}
	for _, m := range pending {
		if _, err := conn.ExecContext(ctx, m.SQL); err != nil {
			return ms.Failed(m, err)
		}
		if _, err := conn.ExecContext(ctx, note, ms.Module, m.Version, m.Name, m.Floor()); err != nil {
			return err
		}
	}
	return nil
}
