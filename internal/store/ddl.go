package store

import (
	"fmt"
	"strings"
)

// Syntax is how an engine writes the definition of a table.
type Syntax struct {
	// Text, Integer, Number and JSON are types of columns.
	Text, Integer, Number, JSON string
	// Generated follows the expression of a generated column, and Options the
	// definition of a table.
	Generated, Options string
}

// TableSQL makes the table of a collection, if there is none.
func (c *Collection) TableSQL(x Syntax) string {
	key := append(c.KeyColumns(), "id")
	var lines []string
	for _, column := range key {
		lines = append(lines, column+" "+x.Text+" NOT NULL")
	}
	for _, column := range []string{"version", "seq", "created_seq", "created_at", "updated_at"} {
		lines = append(lines, column+" "+x.Integer+" NOT NULL")
	}
	lines = append(lines, "body "+x.JSON+" NOT NULL")
	for _, f := range c.Fields {
		lines = append(lines, f.ColumnSQL(x))
	}
	lines = append(lines, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	if p := c.Parent; p != nil {
		above := strings.Join(c.KeyColumns(), ", ")
		lines = append(lines, "FOREIGN KEY ("+above+") REFERENCES "+p.Name+" ("+strings.Join(append(p.KeyColumns(), "id"), ", ")+") ON DELETE CASCADE")
	}
	return "CREATE TABLE IF NOT EXISTS " + c.Name + " (" + strings.Join(lines, ", ") + ")" + x.Options
}

// ColumnSQL defines the column of a field. The alternatives are spelled out: for IN
// with a list SQLite builds a temporary index per statement.
func (f Field) ColumnSQL(x Syntax) string {
	text := f.Column + " " + x.Text + " GENERATED ALWAYS AS (body ->> '" + f.Name + "') " + x.Generated
	var each []string
	for _, v := range f.Enum {
		each = append(each, f.Column+" = '"+strings.ReplaceAll(v, "'", "''")+"'")
	}
	if len(each) > 0 {
		text += " CHECK (" + strings.Join(each, " OR ") + ")"
	}
	if b := f.Length; b != nil {
		text += " CHECK (length(" + f.Column + ") " + b.sql() + ")"
	}
	if b := f.Range; b != nil {
		text += " CHECK (CAST(" + f.Column + " AS " + x.Number + ") " + b.sql() + ")"
	}
	if f.Unlike != "" {
		text += " CHECK (" + f.Column + " <> " + snake(f.Unlike) + ")"
	}
	return text
}

func (b Bounds) sql() string { return fmt.Sprintf("BETWEEN %v AND %v", b.Least, b.Most) }

// IndexSQL makes the indexes of a collection that are missing: for the default
// order, for clients that follow it, and its own.
func (c *Collection) IndexSQL() []string {
	index := func(kind, name string, columns []string) string {
		return "CREATE " + kind + " IF NOT EXISTS " + c.Name + "_" + name + " ON " + c.Name + " (" + strings.Join(columns, ", ") + ")"
	}
	key := c.KeyColumns()
	all := []string{
		index("INDEX", "order", append(c.KeyColumns(), "created_at", "created_seq")),
		index("INDEX", "seq", append(c.KeyColumns(), "seq")),
	}
	if c.ScopeKeys < len(key) {
		all = append(all, index("INDEX", "scope_seq", append(key[:c.ScopeKeys:c.ScopeKeys], "seq")))
	}
	for _, fields := range c.Unique {
		columns := snakes(fields)
		all = append(all, index("UNIQUE INDEX", strings.Join(columns, "_"), append(c.KeyColumns(), columns...)))
	}
	for _, fields := range c.Indexes {
		columns := snakes(fields)
		all = append(all, index("INDEX", "by_"+strings.Join(columns, "_"), append(c.KeyColumns(), columns...)))
	}
	return all
}

func snakes(fields []string) []string {
	columns := make([]string, len(fields))
	for i, f := range fields {
		columns[i] = snake(f)
	}
	return columns
}
