package store

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// MaxLimit is the largest page.
const MaxLimit = 1000

// MaxPageBytes is where pages end that are read for somebody else or for the next one of
// many: after the document with which they have so many bytes.
const MaxPageBytes = 2 << 20

// Query asks for documents of one collection.
type Query struct {
	// Collection is a collection path such as users/u1/notes. Either it or
	// Flat is given.
	Collection string `json:"collection,omitempty"`
	// Flat is the name of a flat collection: all documents of that kind.
	Flat string `json:"flat,omitempty"`
	// Where narrows the result. Nil takes everything.
	Where *Filter `json:"where,omitempty"`
	// OrderBy defaults to createdAt, ties broken by the order of writing.
	OrderBy []Order `json:"orderBy,omitempty"`
	// Limit defaults to 100 and is at most MaxLimit.
	Limit int `json:"limit,omitempty"`
	// Cursor continues after the page that returned it.
	Cursor string `json:"cursor,omitempty"`
	// MaxBytes ends the page after the document with which its documents have so many
	// bytes. Defaults to no bound.
	MaxBytes int `json:"-"`

	kind *Collection // set by Check
}

// Page is a part of a query's result.
type Page struct {
	Items []*nestor.Document `json:"items"`
	// Next continues the query; "" at the end.
	Next string `json:"next,omitempty"`
}

// PageBuilder makes the page of a checked query from the documents that it finds, in
// order.
type PageBuilder struct {
	Query Query
	page  Page
	bytes int
	more  bool
}

// Add takes the next document. It reports whether the page has room for more than that.
func (b *PageBuilder) Add(d *nestor.Document) bool {
	if b.Full() {
		b.more = true
		return false
	}
	b.page.Items = append(b.page.Items, d)
	b.bytes += len(d.Data)
	return true
}

// Full reports whether the next document belongs to the next page.
func (b *PageBuilder) Full() bool {
	return len(b.page.Items) >= b.Query.Limit || b.Query.MaxBytes > 0 && b.bytes >= b.Query.MaxBytes
}

// Page is what was added. There is a next one if a document had no room.
func (b *PageBuilder) Page() (page Page, err error) {
	if page = b.page; page.Items == nil {
		page.Items = []*nestor.Document{}
	}
	if b.more {
		page.Next, err = b.Query.NextCursor(page.Items[len(page.Items)-1])
	}
	return page, err
}

// Order sorts by a field. Values sort by type first: none (absent or null),
// booleans, numbers, text by code point, everything else.
type Order struct {
	Field string `json:"field"`
	Desc  bool   `json:"desc,omitempty"`
}

// Filter is one comparison, or a combination of filters.
//
// A comparison is strict about types: "5" is neither equal to, less than nor
// greater than 5. != is the negation of =. Null stands for no value: = null
// finds fields that are null or absent.
type Filter struct {
	Field string   `json:"field,omitempty"`
	Op    Op       `json:"op,omitempty"`
	Value any      `json:"value,omitempty"`
	And   []Filter `json:"and,omitempty"`
	Or    []Filter `json:"or,omitempty"`
}

// Op compares a field with a value.
type Op string

// The operators.
const (
	Eq Op = "="
	Ne Op = "!="
	Lt Op = "<"
	Le Op = "<="
	Gt Op = ">"
	Ge Op = ">="
	In Op = "in"
)

// Where makes a comparison.
func Where(field string, op Op, value any) *Filter {
	return &Filter{Field: field, Op: op, Value: value}
}

// Limits on the shape of a query, so that no request builds unbounded SQL.
const (
	maxFilters = 300 // comparisons, the values of in included
	maxIn      = 200
	maxOrder   = 4
	maxField   = 200
)

// Check validates q, fills its defaults and brings its values to the types the
// engines compare: nil, bool, int64, float64 and string.
func (q *Query) Check(c *Catalogue) error {
	switch {
	case (q.Collection == "") == (q.Flat == ""):
		return nestor.Errorf(nestor.CodeInvalid, "a query names either a collection path or a flat collection")
	case q.Collection != "":
		if _, err := nestor.ParseCollectionPath(q.Collection); err != nil {
			return err
		}
	default:
		if _, ok := c.Flat(q.Flat); !ok {
			return nestor.Errorf(nestor.CodeInvalid, "there is no flat collection %q", q.Flat)
		}
	}
	q.kind = c.ofQuery(q)
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return nestor.Errorf(nestor.CodeInvalid, "limit %d is not between 1 and %d", q.Limit, MaxLimit)
	}
	if len(q.OrderBy) > maxOrder {
		return nestor.Errorf(nestor.CodeInvalid, "a query sorts by at most %d fields", maxOrder)
	}
	for _, o := range q.OrderBy {
		if err := checkField(o.Field); err != nil {
			return err
		}
	}
	if q.Where != nil {
		where, n := *q.Where, 0
		if err := where.check(&n, 0); err != nil {
			return err
		}
		q.Where = &where
	}
	_, err := q.cursor()
	return err
}

func (c *Catalogue) ofQuery(q *Query) *Collection {
	if flat, ok := c.Flat(q.Flat); ok {
		return flat
	}
	return c.ofCollection(q.Collection)
}

func (f *Filter) check(n *int, depth int) error {
	if *n++; *n > maxFilters || depth > 10 {
		return tooManyFilters()
	}
	parts := 0
	for _, list := range []*[]Filter{&f.And, &f.Or} {
		if *list == nil {
			continue
		}
		parts++
		checked := append([]Filter{}, *list...)
		for i := range checked {
			if err := checked[i].check(n, depth+1); err != nil {
				return err
			}
		}
		*list = checked
	}
	if f.Field != "" || f.Op != "" {
		parts++
	}
	if parts != 1 {
		return nestor.Errorf(nestor.CodeInvalid, "a filter is one of: field with op and value, and, or")
	}
	if f.Field == "" && f.Op == "" {
		return nil
	}
	if err := checkField(f.Field); err != nil {
		return err
	}
	if err := f.checkValue(); err != nil {
		return err
	}
	if in, ok := f.Value.([]any); ok {
		if *n += len(in); *n > maxFilters {
			return tooManyFilters()
		}
	}
	return nil
}

func tooManyFilters() error {
	return nestor.Errorf(nestor.CodeInvalid, "the filter is too large: at most %d comparisons, 10 levels", maxFilters)
}

func (f *Filter) checkValue() error {
	var err error
	switch f.Op {
	case Eq, Ne:
		f.Value, err = scalar(f.Value)
	case Lt, Le, Gt, Ge:
		if f.Value, err = scalar(f.Value); err == nil {
			switch f.Value.(type) {
			case int64, float64, string:
			default:
				err = nestor.Errorf(nestor.CodeInvalid, "%s %s compares with a number or text", f.Field, f.Op)
			}
		}
	case In:
		f.Value, err = list(f.Value)
	default:
		err = nestor.Errorf(nestor.CodeInvalid, "operator %q is not one of = != < <= > >= in", string(f.Op))
	}
	return err
}

func list(v any) ([]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "in takes a list of values")
	}
	m, err := decodeObject(append(append([]byte(`{"v":`), raw...), '}'))
	if err != nil {
		return nil, err
	}
	in, ok := m["v"].([]any)
	if !ok || len(in) > maxIn {
		return nil, nestor.Errorf(nestor.CodeInvalid, "in takes a list of at most %d values", maxIn)
	}
	for i := range in {
		if in[i], err = scalar(in[i]); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func scalar(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case string:
		return v, jsonvalue.CheckText(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%v is not a number to compare with", v)
		}
		return jsonvalue.Float(v), nil
	case int:
		return int64(v), nil
	case json.Number:
		return jsonvalue.Number(v)
	}
	raw, err := json.Marshal(v)
	if err == nil && len(raw) > 0 && raw[0] == '"' { // a named string type
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s, jsonvalue.CheckText(s)
		}
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "a filter compares with null, true, false, a number or text")
}

func checkField(name string) error {
	if name == "" || len(name) > maxField {
		return nestor.Errorf(nestor.CodeInvalid, "a field name has 1 to %d characters", maxField)
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsFunc(part, notFieldRune) {
			return nestor.Errorf(nestor.CodeInvalid, "field %q: names are made of A-Z a-z 0-9 _ -, joined by dots", name)
		}
	}
	return nil
}

func notFieldRune(r rune) bool {
	return r > 'z' || !idRune(byte(r))
}

func idRune(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// Cursors hold the sort values of the last document of a page.

func (q *Query) cursor() ([]any, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil {
		return nil, badCursor()
	}
	m, err := decodeObject(raw)
	if err != nil {
		return nil, badCursor()
	}
	values, ok := m["v"].([]any)
	if !ok || len(values) != len(q.terms()) {
		return nil, badCursor()
	}
	for i, t := range q.terms() {
		if !t.accepts(values[i]) {
			return nil, badCursor()
		}
	}
	return values, nil
}

func badCursor() error {
	return nestor.Errorf(nestor.CodeInvalid, "the cursor does not belong to this query: pass on the next of its last page")
}

// NextCursor is the cursor after d, the last document of a page of a checked query.
func (q *Query) NextCursor(d *nestor.Document) (string, error) {
	body, err := decodeObject(d.Data)
	if err != nil {
		return "", err
	}
	values := []any{}
	for _, t := range q.terms() {
		values = append(values, t.value(d, body))
	}
	raw, err := json.Marshal(map[string]any{"v": values})
	return base64.RawURLEncoding.EncodeToString(raw), err
}
