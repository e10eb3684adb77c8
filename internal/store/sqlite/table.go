package sqlite

import (
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

// table holds the statements of one collection's table.
type table struct {
	*store.Collection
	load, version, insert, update, remove string
	ownCopy                               string // for collections that borrow
}

type tables = store.Tables[*table]

func newTable(c *store.Collection) *table {
	t := &table{Collection: c}
	key := append(c.KeyColumns(), "id")
	match := strings.Join(key, " = ? AND ") + " = ?"
	cols := c.Columns()
	t.load = "SELECT " + strings.Join(c.LoadColumns(dialect{}), ", ") + " FROM " + c.Name + " WHERE " + match
	t.version = "SELECT version FROM " + c.Name + " WHERE " + match
	t.insert = "INSERT INTO " + c.Name + " (" + strings.Join(cols, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(cols)-1) + ")"
	body := "?"
	if c.Borrows != nil {
		body, t.ownCopy = "CASE WHEN "+c.KeptSQL(c.Name)+" THEN ? ELSE ? END", c.ReturnSQL(dialect{})
	}
	t.update = "UPDATE " + c.Name + " SET version = ?, seq = ?, updated_at = ?, body = " + body + " WHERE " + match + " AND version = ?"
	t.remove = "DELETE FROM " + c.Name + " WHERE " + match
	return t
}

func columns(t *table) string { return strings.Join(t.Selected(dialect{}), ", ") }
