package postgres

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock that lets one process migrate at a time.
const migrationLock = 0x6e6573746f72 // "nestor"

// migrate brings the schema up to date and returns the steps that this program
// knows.
func migrate(ctx context.Context, pool *pgxpool.Pool, opts store.Options) ([]store.Migrations, error) {
	all, err := store.AllMigrations(migrations, "postgres", opts.Modules)
	if err != nil {
		return nil, err
	}
	return all, pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
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
		if err := addFloor(ctx, tx); err != nil {
			return err
		}
		have, err := applied(ctx, tx)
		if err != nil {
			return err
		}
		for i, ms := range all {
			if err := apply(ctx, tx, ms, have[ms.Module], opts.Logger); err != nil {
				return err
			}
			if i == 0 { // after the store's own tables, before what modules do to theirs
				if err := ensure(ctx, tx, opts.Modules); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// addFloor gives the tables of steps the column that older programs did not know.
func addFloor(ctx context.Context, tx pgx.Tx) error {
	there, err := present(ctx, tx)
	for _, table := range []string{"migrations", "module_migrations"} {
		if err == nil && !there[table+".floor"] {
			_, err = tx.Exec(ctx, "ALTER TABLE "+table+" ADD COLUMN floor integer")
		}
	}
	return err
}

// ensure makes the tables of modules, and what they lack. A statement that would
// change nothing is left out: even so it would wait for all who write the table,
// and have others wait, each time that a node starts.
func ensure(ctx context.Context, tx pgx.Tx, modules []store.Schema) error {
	there, err := present(ctx, tx)
	if err != nil {
		return err
	}
	for _, m := range modules {
		for _, c := range m.Collections {
			var statements []string
			if !there[c.Name] {
				statements = append(statements, c.TableSQL(syntax))
			}
			for _, f := range c.Fields {
				if !there[c.Name+"."+f.Column] {
					statements = append(statements, "ALTER TABLE "+c.Name+" ADD COLUMN IF NOT EXISTS "+f.ColumnSQL(syntax))
				}
			}
			for _, index := range c.IndexSQL() {
				if !there[indexName(index)] {
					statements = append(statements, index)
				}
			}
			if len(statements) == 0 {
				continue
			}
			if _, err := tx.Exec(ctx, strings.Join(statements, ";\n")); err != nil { // one round trip
				return fmt.Errorf("the table of %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// present has the names of tables and indexes, and TABLE.COLUMN for columns.
func present(ctx context.Context, tx pgx.Tx) (map[string]bool, error) {
	rows, err := tx.Query(ctx, `
		SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
		UNION ALL
		SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	return there, err
}

// indexName is the name in CREATE … INDEX IF NOT EXISTS NAME ON …, as the database
// shortens it.
func indexName(statement string) string {
	_, rest, _ := strings.Cut(statement, " IF NOT EXISTS ")
	name, _, _ := strings.Cut(rest, " ")
	return name[:min(len(name), 63)]
}

var syntax = store.Syntax{Text: `text COLLATE "C"`, Integer: "bigint", Number: "double precision", JSON: "json", Generated: "STORED"}

// apply runs the steps that are missing. Which were run is kept in a table for
// the store's own, and in one for those of modules.
func apply(ctx context.Context, tx pgx.Tx, ms store.Migrations, have store.Applied, log *slog.Logger) error {
	note := "INSERT INTO migrations (version, name, floor) SELECT $2, $3, $4 WHERE $1 = ''"
	if ms.Module != "" {
		note = "INSERT INTO module_migrations (module, version, name, floor) VALUES ($1, $2, $3, $4)"
	}
	pending, err := ms.Pending(have)
	if err != nil {
		return err
	}
	if newer := ms.Newer(have); newer != "" {
		log.Warn(newer)
	}
	for _, m := range pending {
		if _, err := tx.Exec(ctx, m.SQL); err != nil {
			return ms.Failed(m, err)
		}
		if _, err := tx.Exec(ctx, note, ms.Module, m.Version, m.Name, m.Floor()); err != nil {
			return err
		}
	}
	return nil
}

// applied is what the database says of the steps, by module, "" for the store's
// own. Programs that knew of no floor noted none: their steps are their own floor.
func applied(ctx context.Context, q interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
},
) (map[string]store.Applied, error) {
	rows, err := q.Query(ctx, `
		SELECT '', version, floor FROM migrations
		UNION ALL SELECT module, version, floor FROM module_migrations`)
	if err != nil {
		return nil, err
	}
	all := map[string]store.Applied{}
	var module string
	var version int
	var floor *int
	_, err = pgx.ForEachRow(rows, []any{&module, &version, &floor}, func() error {
		have := all[module]
		have.Version = max(have.Version, version)
		if floor == nil {
			floor = &version
		}
		have.Floor = max(have.Floor, *floor)
		all[module] = have
		return nil
	})
	return all, err
}

// fits reports why this program cannot work on the database any more, if somebody
// has migrated it meanwhile.
func (s *Store) fits(ctx context.Context) error {
	have, err := applied(ctx, s.pool)
	if err != nil {
		return classify(err)
	}
	for _, ms := range s.migrations {
		if err := ms.Fits(have[ms.Module]); err != nil {
			return err
		}
	}
	return nil
}
