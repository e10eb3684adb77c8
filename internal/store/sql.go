package store

import (
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Dialect writes an engine's SQL for what differs between engines when a
// query reads a field of the JSON body. field has passed [Query.Check]: it is
// letters, digits, _ - and dots, so it can stand in a literal.
type Dialect interface {
	// Placeholder is the n-th argument, counted from 1.
	Placeholder(n int) string
	// Text is the field where it is text, else NULL; compared by code point.
	Text(field string) string
	// Number is the field where it is a number, else NULL.
	Number(field string) string
	// Bool is the field as 0 or 1 where it is a boolean, else NULL.
	Bool(field string) string
	// Rank is the position of the field's type in the sort order of [Order].
	Rank(field string) string
	// NumberArg turns a placeholder into an exact number.
	NumberArg(placeholder string) string
	// NumberValue is the Go value to pass for it.
	NumberValue(v any) any
	// Within is a condition for the rows that a subquery finds by what indexes have. The
	// subquery selects what names a row.
	Within(from, where string) string
	// Contains is whether a text contains a word of [Words], whatever its case. arg takes
	// an argument and returns its placeholder.
	Contains(text, word string, arg func(any) string) string
	// JSON makes a text that is JSON one that fields can be read of.
	JSON(text string) string
	// Items is the table of the items of a JSON list, each as item.value.
	Items(list string) string
}

// SQL builds the statement for a checked query: the columns of the collection
// (those of [Collection.Selected]), one row more than the limit, so that the
// caller knows whether another page follows.
func (q *Query) SQL(d Dialect) (c *Collection, stmt string, args []any, err error) {
	b := &builder{dialect: d, c: q.kind}
	c = b.from(q)
	if q.Where != nil {
		b.and(b.filter(q.Where))
	}
	if err := b.after(q); err != nil {
		return nil, "", nil, err
	}
	var s strings.Builder
	s.WriteString(b.selectFrom(strings.Join(c.Selected(d), ", ")))
	s.WriteString(" ORDER BY ")
	for i, t := range q.terms() {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(b.term(t))
		if t.desc {
			s.WriteString(" DESC")
		}
	}
	s.WriteString(" LIMIT " + strconv.Itoa(q.Limit+1))
	return c, s.String(), b.args, nil
}

// CountSQL builds the statement that counts what a checked query asks for, on all
// its pages.
func (q *Query) CountSQL(d Dialect) (stmt string, args []any) {
	b := &builder{dialect: d, c: q.kind}
	b.from(q)
	if q.Where != nil {
		b.and(b.filter(q.Where))
	}
	return b.selectFrom("count(*)"), b.args
}

// TextsSQL builds the statement for the different texts that a field has in what a checked
// query asks for, on all its pages.
func (q *Query) TextsSQL(d Dialect, field string) (stmt string, args []any) {
	b := &builder{dialect: d, c: q.kind}
	b.from(q)
	if q.Where != nil {
		b.and(b.filter(q.Where))
	}
	text, isText := b.column(field)
	if !isText {
		text = b.read(d.Text, field)
	}
	b.and("(" + text + ") IS NOT NULL")
	return b.selectFrom("DISTINCT " + text), b.args
}

// SeqsSQL builds the statement that asks for the Seq of documents: one row with a
// column for each. Every step of an agent asks, and always of the same tables, so the
// text is made once for these.
func SeqsSQL(in *Catalogue, d Dialect, paths []nestor.Path) (stmt string, args []any, err error) {
	of := seqsOf{dialect: d}
	for _, p := range paths {
		if _, err := nestor.ParsePath(string(p)); err != nil {
			return "", nil, err
		}
		c := in.Of(p)
		of.tables += c.Name + " "
		args = append(append(args, p.ID()), c.Identity(p)[:c.keyCount()]...)
	}
	if text, ok := in.seqs.Load(of); ok {
		return text.(string), args, nil
	}
	b := &builder{dialect: d}
	var each []string
	for _, p := range paths {
		c := in.Of(p)
		text := "SELECT seq FROM " + c.Name + " WHERE id = " + b.arg(nil)
		for _, column := range c.KeyColumns() {
			text += " AND " + column + " = " + b.arg(nil)
		}
		each = append(each, "COALESCE(("+text+"), 0)")
	}
	text := "SELECT " + strings.Join(each, ", ")
	in.seqs.Store(of, text)
	return text, args, nil
}

// seqsOf says what a statement of [SeqsSQL] depends on.
type seqsOf struct {
	dialect Dialect
	tables  string
}

// SeqsRow makes room for what [SeqsSQL] asks for, and for scanning it.
func SeqsRow(n int) (seqs []int64, into []any) {
	seqs, into = make([]int64, n), make([]any, n)
	for i := range seqs {
		into[i] = &seqs[i]
	}
	return seqs, into
}

// Columns are those that every row of the collection's table is read by.
func (c *Collection) Columns() []string {
	return append(c.KeyColumns(), "id", "version", "seq", "created_seq", "created_at", "updated_at", "body")
}

func (c *Collection) keyCount() int {
	if c == UserDocuments {
		return 1
	}
	return len(c.Keys)
}

// KeyColumns are the columns that, with id, identify a row.
func (c *Collection) KeyColumns() []string {
	if c == UserDocuments {
		return []string{"collection"}
	}
	cols := make([]string, len(c.Keys))
	for i, k := range c.Keys {
		cols[i] = k.Column
	}
	return cols
}

type builder struct {
	dialect Dialect
	c       *Collection
	where   []string
	args    []any
}

func (b *builder) arg(v any) string {
	b.args = append(b.args, v)
	return b.dialect.Placeholder(len(b.args))
}

func (b *builder) and(cond string) { b.where = append(b.where, cond) }

// selectFrom is the statement up to its order.
func (b *builder) selectFrom(what string) string {
	text := "SELECT " + what + " FROM " + b.c.Name
	if len(b.where) > 0 {
		text += " WHERE " + strings.Join(b.where, " AND ")
	}
	return text
}

func (b *builder) from(q *Query) *Collection {
	if q.Flat != "" {
		return b.c
	}
	if b.c == UserDocuments {
		b.and("collection = " + b.arg(q.Collection))
		return b.c
	}
	ids := pathIDs(q.Collection)
	for i, k := range b.c.Keys {
		b.and(k.Column + " = " + b.arg(ids[i]))
	}
	return b.c
}

func (b *builder) filter(f *Filter) string {
	switch {
	case f.And != nil:
		return b.join(f.And, " AND ", "1 = 1")
	case f.Or != nil:
		return b.join(f.Or, " OR ", "1 = 0")
	case f.Op == In:
		var alternatives []Filter
		for _, v := range f.Value.([]any) {
			alternatives = append(alternatives, Filter{Field: f.Field, Op: Eq, Value: v})
		}
		return b.join(alternatives, " OR ", "1 = 0")
	case f.Op == Ne:
		return "NOT COALESCE(" + b.compare(f.Field, Eq, f.Value) + ", 1 = 0)"
	}
	return b.compare(f.Field, f.Op, f.Value)
}

func (b *builder) join(fs []Filter, op, none string) string {
	if len(fs) == 0 {
		return none
	}
	parts := make([]string, len(fs))
	for i := range fs {
		parts[i] = b.filter(&fs[i])
	}
	return "(" + strings.Join(parts, op) + ")"
}

func (b *builder) compare(field string, op Op, v any) string {
	column, isText := b.column(field)
	switch v := v.(type) {
	case nil:
		if column != "" {
			return column + " IS NULL"
		}
		return "(" + b.read(b.dialect.Rank, field) + ") = 0"
	case bool:
		if column != "" {
			return "1 = 0"
		}
		n := 0
		if v {
			n = 1
		}
		return "(" + b.read(b.dialect.Bool, field) + ") = " + strconv.Itoa(n)
	case string:
		if column == "" {
			column = "(" + b.read(b.dialect.Text, field) + ")"
		} else if !isText {
			return "1 = 0"
		}
		return column + " " + string(op) + " " + b.arg(v)
	default:
		if column == "" {
			column = "(" + b.read(b.dialect.Number, field) + ")"
		} else if isText {
			return "1 = 0"
		}
		return column + " " + string(op) + " " + b.number(v)
	}
}

// read is a field as the dialect reads it. One that may be borrowed is read of the whole
// body.
func (b *builder) read(as func(field string) string, field string) string {
	text := as(field)
	for _, borrowing := range b.c.Borrows {
		if name, _, _ := strings.Cut(field, "."); name == borrowing.Field {
			return insteadOfBody(text, "("+borrowing.wholeSQL(b.c, b.dialect)+")")
		}
	}
	return text
}

// insteadOfBody puts other JSON in the place of the column. Names of fields, which may be
// the same word, stand in quotes.
func insteadOfBody(text, other string) string {
	parts := strings.Split(text, "'")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "body", other)
	}
	return strings.Join(parts, "'")
}

func (b *builder) number(v any) string {
	return b.dialect.NumberArg(b.arg(b.dialect.NumberValue(v)))
}

// column finds the real column of a field, if it has one.
func (b *builder) column(field string) (name string, isText bool) {
	switch field {
	case "id":
		return "id", true
	case "version", "seq":
		return field, false
	case "createdSeq", "createdAt", "updatedAt":
		return snake(field), false
	}
	for _, k := range b.c.Keys {
		if k.Field == field {
			return k.Column, true
		}
	}
	for _, f := range b.c.Fields {
		if f.Name == field {
			return f.Column, true
		}
	}
	return "", false
}

func (b *builder) term(t term) string {
	switch t.part {
	case whole:
		name, _ := b.column(t.field)
		return name
	case rank:
		return "(" + b.read(b.dialect.Rank, t.field) + ")"
	case number:
		return "COALESCE((" + b.read(b.dialect.Number, t.field) + "), (" + b.read(b.dialect.Bool, t.field) + "), 0)"
	default:
		return "COALESCE((" + b.read(b.dialect.Text, t.field) + "), '')"
	}
}

// after limits the result to what follows the cursor.
func (b *builder) after(q *Query) error {
	values, err := q.cursor()
	if err != nil || values == nil {
		return err
	}
	terms := q.terms()
	args := make([]string, len(terms))
	exprs := make([]string, len(terms))
	columns := true
	for i, t := range terms {
		exprs[i] = b.term(t)
		columns = columns && t.part == whole && t.desc == terms[0].desc
		if t.part == number {
			args[i] = b.number(values[i])
		} else {
			args[i] = b.arg(values[i])
		}
	}
	if columns { // a row comparison can use the index
		b.and("(" + strings.Join(exprs, ", ") + ")" + direction(terms[0]) + "(" + strings.Join(args, ", ") + ")")
		return nil
	}
	cond := exprs[len(exprs)-1] + direction(terms[len(terms)-1]) + args[len(args)-1]
	for i := len(terms) - 2; i >= 0; i-- {
		cond = "(" + exprs[i] + direction(terms[i]) + args[i] + " OR " + exprs[i] + " = " + args[i] + " AND " + cond + ")"
	}
	b.and(cond)
	return nil
}

func direction(t term) string {
	if t.desc {
		return " < "
	}
	return " > "
}
