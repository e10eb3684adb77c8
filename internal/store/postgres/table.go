package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// table holds the statements of one collection's table.
type table struct {
	*store.Collection
	columns, selected                  string
	load, lock, insert, update, remove string
	insertAll, updateAll               string // of many rows
	check, checkAll                    string
	seq, seqAll                        string
	loadAll                            string
	ownCopy                            string // for collections that borrow
}

// tables reads documents through any connection.
type tables struct{ store.Tables[*table] }

func newTable(c *store.Collection) *table {
	key := append(c.KeyColumns(), "id")
	cols := c.Columns()
	t := &table{Collection: c, columns: strings.Join(cols, ", "), selected: strings.Join(c.Selected(dialect{}), ", ")}
	t.load = "SELECT " + strings.Join(c.LoadColumns(dialect{}), ", ") + " FROM " + c.Name + " WHERE " + equal(key, 1)
	t.lock = t.load + " FOR NO KEY UPDATE"
	t.insert = "INSERT INTO " + c.Name + " (" + t.columns + ") VALUES (" + placeholders(len(cols)) + ")"
	keys, numbers := repeat("text", len(key)), repeat("bigint", 5)
	t.insertAll = "INSERT INTO " + c.Name + " (" + t.columns + ") SELECT " + strings.Join(cols[:len(cols)-1], ", ") + ", body::json FROM " +
		unnest("row", cols, keys, numbers, []string{"text"})
	// Who finds the row locked does not wait for it.
	t.check = "SELECT version FROM " + c.Name + " WHERE " + equal(key, 1) + " FOR NO KEY UPDATE SKIP LOCKED"
	t.checkAll = "SELECT i, d.version FROM unnest(" + arrays(keys) + ") WITH ORDINALITY AS row (" + strings.Join(key, ", ") + ", i) JOIN " + c.Name +
		" AS d USING (" + strings.Join(key, ", ") + ") FOR NO KEY UPDATE OF d SKIP LOCKED"
	t.seq = "SELECT seq FROM " + c.Name + " WHERE " + equal(key, 1)
	// Sub-selects, since for a join the server might read the whole table.
	t.seqAll = "SELECT i, COALESCE((SELECT seq FROM " + c.Name + " AS d WHERE " + same(key, "d", "row") + "), 0) FROM unnest(" + arrays(keys) +
		") WITH ORDINALITY AS row (" + strings.Join(key, ", ") + ", i)"
	t.loadAll = "SELECT i, d.* FROM unnest(" + arrays(keys) + ") WITH ORDINALITY AS row (" + strings.Join(key, ", ") + ", i) CROSS JOIN LATERAL (" +
		"SELECT " + strings.Join(c.LoadColumns(dialect{}), ", ") + " FROM " + c.Name + " WHERE " + same(key, c.Name, "row") + " LIMIT 1) AS d"
	given, one, many := []string{"body"}, "$4", "row.body::json"
	if c.Borrows != nil {
		given = append(given, "if_borrowed")
		one = "CASE WHEN " + c.KeptSQL(c.Name) + " THEN $5::json ELSE $4::json END"
		many = "CASE WHEN " + c.KeptSQL("d") + " THEN row.if_borrowed::json ELSE row.body::json END"
		t.ownCopy = c.ReturnSQL(dialect{})
	}
	t.updateAll = "UPDATE " + c.Name + " AS d SET version = row.version, seq = row.seq, updated_at = row.updated_at, body = " + many + " FROM " +
		unnest("row", slices.Concat([]string{"version", "seq", "updated_at"}, given, key), numbers[:3], repeat("text", len(given)), keys) + " WHERE " + same(key, "d", "row")
	t.update = "UPDATE " + c.Name + " SET version = $1, seq = $2, updated_at = $3, body = " + one + " WHERE " + equal(key, 4+len(given))
	t.remove = "DELETE FROM " + c.Name + " WHERE " + equal(key, 1)
	return t
}

// inserting is the step that stores a new document.
func (t *table) inserting(w *store.Write) step {
	d := w.After
	args := append(t.Identity(d.Path), d.Version, d.Seq, d.CreatedSeq, d.CreatedAt, d.UpdatedAt, w.Row)
	return step{text: t.insert, args: args, bulk: &bulk{text: t.insertAll}}
}

// equal compares columns with the placeholders from $first on.
func equal(columns []string, first int) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("%s = $%d", c, first+i)
	}
	return strings.Join(parts, " AND ")
}

func placeholders(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("$%d", i+1)
	}
	return strings.Join(parts, ", ")
}

// same compares columns of two tables.
func same(columns []string, a, b string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("%s.%s = %s.%s", a, c, b, c)
	}
	return strings.Join(parts, " AND ")
}

// unnest is the table of rows whose columns are given as arrays.
func unnest(name string, columns []string, types ...[]string) string {
	return "unnest(" + arrays(slices.Concat(types...)) + ") AS " + name + " (" + strings.Join(columns, ", ") + ")"
}

// arrays are placeholders for arrays of those types.
func arrays(types []string) string {
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = fmt.Sprintf("$%d::%s[]", i+1, t)
	}
	return strings.Join(parts, ", ")
}

func repeat(text string, n int) []string { return slices.Repeat([]string{text}, n) }

// loaded reads the row of the load statement.
func (t *table) loaded(p nestor.Path, row pgx.Row) (*nestor.Document, error) {
	return t.Load(p, row.Scan)
}

// loading is the step that reads the document at p, if there is one.
func (t *table) loading(p nestor.Path, found func(*nestor.Document)) step {
	return step{text: t.load, args: t.Identity(p), bulk: &bulk{text: t.loadAll, row: func(read scan) error {
		d, err := t.Load(p, read)
		if err == nil {
			found(d)
		}
		return err
	}}}
}
