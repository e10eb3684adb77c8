package store

import (
	"strings"

	"github.com/nestorhq/nestor"
)

// A query sorts by terms. A field of the body becomes three, so that values of
// different types have one order on both engines: the rank of its type, its
// number, its text. The position of its creation in the log comes last and makes the
// order total. It never changes, so no update moves a document among its equals.
type term struct {
	field string
	part  part
	desc  bool
}

type part int

const (
	whole  part = iota // a column that is never null
	rank               // 0 none, 1 boolean, 2 number, 3 text, 4 other
	number             // the number, or 0 and 1 for booleans
	text
)

func (q *Query) terms() []term {
	orders := q.OrderBy
	if len(orders) == 0 {
		orders = []Order{{Field: "createdAt"}}
	}
	var ts []term
	for _, o := range orders {
		if isColumn(o.Field) || q.kind.hasKey(o.Field) {
			ts = append(ts, term{o.Field, whole, o.Desc})
			continue
		}
		ts = append(ts, term{o.Field, rank, o.Desc}, term{o.Field, number, o.Desc}, term{o.Field, text, o.Desc})
	}
	return append(ts, term{"createdSeq", whole, orders[len(orders)-1].Desc})
}

// isColumn reports whether every table has a non-null column for the field.
func isColumn(field string) bool {
	switch field {
	case "id", "version", "seq", "createdSeq", "createdAt", "updatedAt":
		return true
	}
	return false
}

// isNumber reports whether a whole term is a number; else it is text.
func (t term) isNumber() bool { return t.field != "id" && isColumn(t.field) }

func (t term) accepts(v any) bool {
	switch v := v.(type) {
	case string:
		return t.part == text || t.part == whole && !t.isNumber()
	case int64:
		return t.part == rank && v >= 0 && v <= 4 || t.part == number || t.part == whole && t.isNumber()
	case float64:
		return t.part == number
	}
	return false
}

// value computes the term for a document, as the SQL would.
func (t term) value(d *nestor.Document, body map[string]any) any {
	switch t.field {
	case "id":
		return d.Path.ID()
	case "version":
		return d.Version
	case "seq":
		return d.Seq
	case "createdSeq":
		return d.CreatedSeq
	case "createdAt":
		return d.CreatedAt
	case "updatedAt":
		return d.UpdatedAt
	}
	v := lookup(body, t.field)
	if t.part == whole { // an id on the path
		return v
	}
	r, n, s := int64(4), any(int64(0)), ""
	switch v := v.(type) {
	case nil:
		r = 0
	case bool:
		r = 1
		if v {
			n = int64(1)
		}
	case int64, float64:
		r, n = 2, v
	case string:
		r, s = 3, v
	}
	switch t.part {
	case rank:
		return r
	case number:
		return n
	default:
		return s
	}
}

func lookup(body map[string]any, field string) any {
	var v any = body
	for name := range strings.SplitSeq(field, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}
