package sqlite

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// table holds the statements of one collection's table.
type table struct {
	*store.Collection
	load, insert, update, remove string
}

var tables = func() map[*store.Collection]*table {
	m := map[*store.Collection]*table{}
	for _, c := range append([]*store.Collection{store.UserDocuments}, store.Catalogue...) {
		m[c] = newTable(c)
	}
	return m
}()

func tableOf(c *store.Collection) *table { return tables[c] }

func newTable(c *store.Collection) *table {
	t := &table{Collection: c}
	key := append(c.KeyColumns(), "id")
	match := strings.Join(key, " = ? AND ") + " = ?"
	cols := c.Columns()
	t.load = "SELECT version, seq, created_at, updated_at, body FROM " + c.Name + " WHERE " + match
	t.insert = "INSERT INTO " + c.Name + " (" + strings.Join(cols, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(cols)-1) + ")"
	t.update = "UPDATE " + c.Name + " SET version = ?, seq = ?, updated_at = ?, body = ? WHERE " + match
	t.remove = "DELETE FROM " + c.Name + " WHERE " + match
	return t
}

// key is the row's identity in the order of the statements' placeholders.
func (t *table) key(p nestor.Path) []any {
	if t.Collection == store.UserDocuments {
		return []any{p.Collection(), p.ID()}
	}
	values := t.KeyValues(p)
	args := make([]any, 0, len(values)+1)
	for _, v := range values {
		args = append(args, v)
	}
	return append(args, p.ID())
}

// scan reads a row of the collection's columns.
func (t *table) scan(r row) (*nestor.Document, error) {
	d := &nestor.Document{}
	keys := make([]string, len(t.KeyColumns()))
	var id string
	var body []byte
	dest := make([]any, 0, len(keys)+6)
	for i := range keys {
		dest = append(dest, &keys[i])
	}
	if err := r.Scan(append(dest, &id, &d.Version, &d.Seq, &d.CreatedAt, &d.UpdatedAt, &body)...); err != nil {
		return nil, err
	}
	if t.Collection == store.UserDocuments {
		d.Path = nestor.Path(keys[0] + "/" + id)
	} else {
		d.Path = t.Path(keys, id)
	}
	d.Data = t.Data(d.Path, body)
	return d, nil
}

func columns(t *table) string { return strings.Join(t.Columns(), ", ") }
