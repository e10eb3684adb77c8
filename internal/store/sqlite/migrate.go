package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

func migrate(ctx context.Context, dsn string, modules []store.Schema) error {
	all, err := store.AllMigrations(migrations, "sqlite", modules)
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
	for i := 0; err == nil && i < len(all); i++ {
		if err = apply(ctx, conn, all[i]); i == 0 && err == nil {
			err = ensure(ctx, conn, modules) // after the store's own tables, before what modules do to theirs
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

// apply runs the steps that are missing. Which were run is kept in a table for
// the store's own, and in one for those of modules.
func apply(ctx context.Context, conn *sql.Conn, ms store.Migrations) error {
	current, note := "SELECT COALESCE(max(version), 0) FROM migrations WHERE ?1 = ''", "INSERT INTO migrations (version, name) VALUES (?2, ?3)"
	if ms.Module != "" {
		current, note = "SELECT COALESCE(max(version), 0) FROM module_migrations WHERE module = ?1", "INSERT INTO module_migrations (module, version, name) VALUES (?1, ?2, ?3)"
	}
	var version int
	if err := conn.QueryRowContext(ctx, current, ms.Module).Scan(&version); err != nil {
		return err
	}
	pending, err := ms.Pending(version)
	if err != nil {
		return err
	}
	for _, m := range pending {
		if _, err := conn.ExecContext(ctx, m.SQL); err != nil {
			return ms.Failed(m, err)
		}
		if _, err := conn.ExecContext(ctx, note, ms.Module, m.Version, m.Name); err != nil {
			return err
		}
	}
	return nil
}
