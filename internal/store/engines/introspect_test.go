package engines_test

import (
	"cmp"
	"database/sql"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	_ "modernc.org/sqlite"             // registers the driver

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// database is a new one that a store has just set up, to be asked about itself.
type database struct {
	*testing.T
	db *sql.DB
}

func openSQLite(t *testing.T) database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nestor.db")
	s, err := sqlite.Open(t.Context(), path, store.Options{})
	return connected(t, s, err, "sqlite", path)
}

func openPostgres(t *testing.T) database {
	t.Helper()
	url := pgtest.URL(t)
	s, err := postgres.Open(t.Context(), url, store.Options{})
	return connected(t, s, err, "pgx", url)
}

func connected(t *testing.T, s store.Store, err error, driver, name string) database {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return database{t, db}
}

// each calls fn for every row of a query.
func (d database) each(query string, arg string, fn func(scan func(...any))) {
	d.Helper()
	args := []any{arg}
	if arg == "" {
		args = nil
	}
	rows, err := d.db.QueryContext(d.Context(), query, args...)
	if err != nil {
		d.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		fn(func(dest ...any) {
			if err := rows.Scan(dest...); err != nil {
				d.Fatalf("%s: %v", query, err)
			}
		})
	}
	if err := rows.Err(); err != nil {
		d.Fatalf("%s: %v", query, err)
	}
}

// column reads a query of one column.
func (d database) column(query string) (out []string) {
	d.Helper()
	d.each(query, "", func(scan func(...any)) {
		var s string
		scan(&s)
		out = append(out, s)
	})
	return out
}

func sorted(is []index) []index {
	slices.SortFunc(is, func(a, b index) int { return cmp.Or(cmp.Compare(a.name, b.name), slices.Compare(a.columns, b.columns)) })
	return is
}

// SQLite keeps the text of its statements; what the pragmas do not tell is
// read from there.

var generated = regexp.MustCompile(`(\w+)\s+TEXT GENERATED ALWAYS AS \((.*?)\) VIRTUAL`)

var bodyField = regexp.MustCompile(`^\(?body ->> '(\w+)'\)?$`)

// source is the field of the body that an expression reads, or the expression
// as both engines write it.
func source(expression string) string {
	expression = strings.ReplaceAll(expression, "::text", "")
	if m := bodyField.FindStringSubmatch(expression); m != nil {
		return m[1]
	}
	return expression
}

func sqliteSchema(t *testing.T) map[string]*table {
	t.Helper()
	d := openSQLite(t)
	tables := map[string]*table{}
	d.each("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", "", func(scan func(...any)) {
		var name, text string
		scan(&name, &text)
		tables[name] = &table{checks: checks(text)}
		for _, m := range generated.FindAllStringSubmatch(text, -1) {
			tables[name].columns = append(tables[name].columns, column{name: m[1], from: source(m[2])})
		}
	})
	for name, tb := range tables {
		tb.columns, tb.key = d.sqliteColumns(name, tb.columns)
		d.each(`SELECT l.name, l.origin, l."unique", COALESCE(s.sql, ''), (SELECT group_concat(COALESCE(name, 'expression'), ',' ORDER BY seqno) FROM pragma_index_info(l.name))
			FROM pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.name = l.name WHERE l.origin <> 'pk'`, name, func(scan func(...any)) {
			var i index
			var origin, text, columns string
			scan(&i.name, &origin, &i.unique, &text, &columns)
			if origin == "u" {
				i.name = ""
			}
			_, where, _ := strings.Cut(text, " WHERE ")
			i.columns, i.where = strings.Split(columns, ","), condition(where)
			tb.indexes = append(tb.indexes, i)
		})
		sorted(tb.indexes)
		d.each(`SELECT "table", on_delete, group_concat("from", ',' ORDER BY seq), group_concat("to", ',' ORDER BY seq)
			FROM pragma_foreign_key_list(?) GROUP BY id`, name, func(scan func(...any)) {
			var f foreignKey
			var onDelete, columns, refers string
			scan(&f.table, &onDelete, &columns, &refers)
			f.cascades, f.columns, f.refers = onDelete == "CASCADE", strings.Split(columns, ","), strings.Split(refers, ",")
			tb.foreign = append(tb.foreign, f)
		})
	}
	return tables
}

// sqliteColumns lists a table's columns; generated are those of them that its
// text says are.
func (d database) sqliteColumns(name string, generated []column) (columns []column, key []string) {
	d.each(`SELECT name, type, "notnull", hidden, pk FROM pragma_table_xinfo(?) ORDER BY cid`, name, func(scan func(...any)) {
		var c column
		var notNull bool
		var hidden, place int
		scan(&c.name, &c.kind, &notNull, &hidden, &place)
		// An INTEGER PRIMARY KEY is the row's number and never null.
		c.nullable = !notNull && !(place > 0 && c.kind == "INTEGER")
		if hidden != 0 {
			for _, g := range generated {
				if g.name == c.name {
					c.from = g.from
				}
			}
		}
		columns = append(columns, c)
	})
	d.each("SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk", name, func(scan func(...any)) {
		var s string
		scan(&s)
		key = append(key, s)
	})
	return columns, key
}

// checks cuts the CHECK clauses out of a CREATE TABLE statement.
func checks(text string) (out []string) {
	for _, part := range strings.Split(text, "CHECK (")[1:] {
		depth := 1
		end := strings.IndexFunc(part, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth == 0
		})
		out = append(out, part[:end])
	}
	return out
}

// sqliteTypes are PostgreSQL's types as SQLite has them.
var sqliteTypes = map[string]string{
	"text": "TEXT", "json": "TEXT", "timestamp with time zone": "TEXT", "bigint": "INTEGER", "integer": "INTEGER", "smallint": "INTEGER", "boolean": "INTEGER",
	"bytea": "BLOB",
}

func postgresSchema(t *testing.T) map[string]*table {
	t.Helper()
	d := openPostgres(t)
	tables := map[string]*table{}
	for _, name := range d.column("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace") {
		tb := &table{}
		tables[name] = tb
		d.each(`SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
			CASE a.attgenerated WHEN '' THEN '' ELSE pg_get_expr(e.adbin, e.adrelid) END
			FROM pg_attribute a LEFT JOIN pg_attrdef e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
			WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, name, func(scan func(...any)) {
			var c column
			var kind, expr string
			scan(&c.name, &kind, &c.nullable, &expr)
			c.kind = sqliteTypes[kind]
			if c.kind == "" {
				t.Fatalf("%s.%s is of type %s, which SQLite has no name for", name, c.name, kind)
			}
			c.from = source(expr)
			tb.columns = append(tb.columns, c)
		})
		d.each(`SELECT i.relname, x.indisprimary, EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid AND contype = 'u'), x.indisunique,
			COALESCE(pg_get_expr(x.indpred, x.indrelid), ''),
			(SELECT string_agg(CASE x.indkey[k - 1] WHEN 0 THEN 'expression' ELSE pg_get_indexdef(i.oid, k, true) END, ',' ORDER BY k) FROM generate_series(1, x.indnatts) k)
			FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = $1::regclass`, name, func(scan func(...any)) {
			var i index
			var primary, constraint bool
			var where, columns string
			scan(&i.name, &primary, &constraint, &i.unique, &where, &columns)
			i.columns, i.where = strings.Split(columns, ","), condition(where)
			if constraint {
				i.name = ""
			}
			if primary {
				tb.key = i.columns
			} else {
				tb.indexes = append(tb.indexes, i)
			}
		})
		sorted(tb.indexes)
		d.each(`SELECT c.confrelid::regclass::text, c.confdeltype = 'c',
			(SELECT string_agg(attname, ',' ORDER BY n) FROM unnest(c.conkey) WITH ORDINALITY k(num, n) JOIN pg_attribute ON attrelid = c.conrelid AND attnum = num),
			(SELECT string_agg(attname, ',' ORDER BY n) FROM unnest(c.confkey) WITH ORDINALITY k(num, n) JOIN pg_attribute ON attrelid = c.confrelid AND attnum = num)
			FROM pg_constraint c WHERE c.conrelid = $1::regclass AND c.contype = 'f' ORDER BY c.conname`, name, func(scan func(...any)) {
			var f foreignKey
			var columns, refers string
			scan(&f.table, &f.cascades, &columns, &refers)
			f.columns, f.refers = strings.Split(columns, ","), strings.Split(refers, ",")
			tb.foreign = append(tb.foreign, f)
		})
		d.each("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'c'", name, func(scan func(...any)) {
			var text string
			scan(&text)
			tb.checks = append(tb.checks, text)
		})
	}
	return tables
}
