package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// table holds the statements of one collection's table.
type table struct {
	*store.Collection
	columns                            string
	load, lock, insert, update, remove string
	insertAll, check                   string
}

// tables reads documents through any connection.
type tables struct{ store.Tables[*table] }

func newTable(c *store.Collection) *table {
	key := append(c.KeyColumns(), "id")
	cols := c.Columns()
	t := &table{Collection: c, columns: strings.Join(cols, ", ")}
	t.load = "SELECT version, seq, created_seq, created_at, updated_at, body FROM " + c.Name + " WHERE " + equal(key, 1)
	t.lock = t.load + " FOR NO KEY UPDATE"
	t.insert = "INSERT INTO " + c.Name + " (" + t.columns + ") VALUES (" + placeholders(len(cols)) + ")"
	t.insertAll = "INSERT INTO " + c.Name + " (" + t.columns + ") SELECT " + strings.Join(cols[:len(cols)-1], ", ") + ", body::json FROM unnest(" +
		arrays(len(key)) + ") AS row (" + t.columns + ")"
	// Who finds the row locked does not wait for it.
	t.check = "SELECT version FROM " + c.Name + " WHERE " + equal(key, 1) + " FOR NO KEY UPDATE SKIP LOCKED"
	t.update = "UPDATE " + c.Name + " SET version = $1, seq = $2, updated_at = $3, body = $4 WHERE " + equal(key, 5)
	t.remove = "DELETE FROM " + c.Name + " WHERE " + equal(key, 1)
	return t
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

// arrays are the placeholders of the columns of many rows: keys, then five numbers,
// then the body.
func arrays(keys int) string {
	parts := make([]string, keys+6)
	for i := range parts {
		kind := "text"
		if i >= keys && i < keys+5 {
			kind = "bigint"
		}
		parts[i] = fmt.Sprintf("$%d::%s[]", i+1, kind)
	}
	return strings.Join(parts, ", ")
}

// loaded reads the row of the load statement.
func (t *table) loaded(p nestor.Path, row pgx.Row) (*nestor.Document, error) {
	d := &nestor.Document{Path: p}
	var body []byte
	if err := row.Scan(&d.Version, &d.Seq, &d.CreatedSeq, &d.CreatedAt, &d.UpdatedAt, &body); err != nil {
		return nil, err
	}
	d.Data = t.Data(p, body)
	return d, nil
}
