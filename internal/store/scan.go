package store

import (
	"strings"

	"github.com/nestorhq/nestor"
)

// Scan asks for documents that hold words, newest first. It looks at so many rows and
// no more: nothing is kept for searches that writes would have to pay for.
type Scan struct {
	// Collection or Flat, and Where, are those of a [Query]: they say which rows are looked
	// at. Where is asked about all older ones, too, so it is about ids. About fields of
	// what is found is Also.
	Collection, Flat string
	Where, Also      *Filter
	// Words, from the function [Words], must all occur in the texts Fields, each in any
	// of them.
	Words, Fields []string
	// Rows is how many are looked at, and Limit how many are returned at most.
	Rows, Limit int
	// Before is where to go on: at what is older than this. Defaults to the newest.
	Before *Age
}

// Age is when a document was created. No two have the same, of whatever kind.
type Age struct{ CreatedAt, CreatedSeq int64 }

// AgeOf is that of a document.
func AgeOf(d *nestor.Document) Age { return Age{d.CreatedAt, d.CreatedSeq} }

// Older reports whether p is older than q.
func (p Age) Older(q Age) bool {
	return p.CreatedAt < q.CreatedAt || p.CreatedAt == q.CreatedAt && p.CreatedSeq < q.CreatedSeq
}

// Scanned is what a scan found.
type Scanned struct {
	Items []*nestor.Document
	// Reached is how far back it looked: to this row, and at it. Nil if there are no
	// older ones.
	Reached *Age
}

// Scanner is a [Reader] that looks for words.
type Scanner interface {
	Scan(s Scan) (Scanned, error)
}

// checked returns the scan as a query.
func (s *Scan) checked(c *Catalogue) (*Query, error) {
	q := &Query{Collection: s.Collection, Flat: s.Flat, Where: s.Where, OrderBy: []Order{{Field: "createdAt", Desc: true}}, Limit: s.Limit}
	if len(s.Words) == 0 || len(s.Fields) == 0 || s.Rows < 1 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a scan has words, fields and a number of rows")
	}
	for _, f := range s.Fields {
		if err := checkField(f); err != nil {
			return nil, err
		}
	}
	if err := q.Check(c); err != nil || s.Also == nil {
		return q, err
	}
	also, n := *s.Also, 0
	s.Also = &also
	return q, also.check(&n, 0)
}

// Statements are what an engine runs for a scan, in one snapshot. Edge finds the last of
// the rows to look at, if there are so many: its created_at and created_seq. Found builds
// the query for what is found down to there.
func (s *Scan) Statements(in *Catalogue, d Dialect) (edge Statement, found func(edge *Age) (*Collection, Statement), err error) {
	q, err := s.checked(in)
	if err != nil {
		return Statement{}, nil, err
	}
	narrowed := func() *builder {
		b := &builder{dialect: d, c: q.kind}
		b.from(q)
		if q.Where != nil {
			b.and(b.filter(q.Where))
		}
		if s.Before != nil {
			b.and("(created_at, created_seq) < " + b.age(*s.Before))
		}
		return b
	}
	const newest = " ORDER BY created_at DESC, created_seq DESC LIMIT "
	b := narrowed()
	edge = Statement{b.selectFrom("created_at, created_seq") + newest + "1 OFFSET " + b.arg(s.Rows-1), b.args}
	return edge, func(edge *Age) (*Collection, Statement) {
		b := narrowed()
		if edge != nil {
			b.and("(created_at, created_seq) >= " + b.age(*edge))
		}
		if len(b.where) > 0 {
			b.where = []string{d.Within(b.c.Name, strings.Join(b.where, " AND "))}
		}
		if s.Also != nil {
			b.and(b.filter(s.Also))
		}
		for _, w := range s.Words {
			var any []string
			for _, f := range s.Fields {
				any = append(any, d.Contains("("+b.read(d.Text, f)+")", w, b.arg))
			}
			b.and("(" + strings.Join(any, " OR ") + ")")
		}
		return q.kind, Statement{b.selectFrom(strings.Join(q.kind.Selected(d), ", ")) + newest + b.arg(q.Limit), b.args}
	}, nil
}

// Statement is SQL with its arguments.
type Statement struct {
	Text string
	Args []any
}

func (b *builder) age(p Age) string {
	return "(" + b.arg(p.CreatedAt) + ", " + b.arg(p.CreatedSeq) + ")"
}

// Result is what a scan found, given its edge.
func (s *Scan) Result(items []*nestor.Document, edge *Age) Scanned {
	if len(items) > 0 && len(items) == s.Limit {
		last := AgeOf(items[len(items)-1])
		edge = &last
	}
	return Scanned{items, edge}
}
