package engines_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// naive answers a query without a database, straight from what the comments of
// store.Filter and store.Order say: it looks at every document and sorts what
// is left. It knows nothing of limits and cursors.
func naive(t rapid.TB, docs []*nestor.Document, q store.Query) []*nestor.Document {
	t.Helper()
	var rows []row
	for _, d := range docs {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		r := row{d, decode(t, text)}
		if q.Where == nil || r.passes(t, *q.Where) {
			rows = append(rows, r)
		}
	}
	orders := q.OrderBy
	if len(orders) == 0 {
		orders = []store.Order{{Field: "createdAt"}}
	}
	orders = append(slices.Clone(orders), store.Order{Field: "seq", Desc: orders[len(orders)-1].Desc})
	slices.SortFunc(rows, func(a, b row) int {
		for _, o := range orders {
			c := a.field(o.Field).compare(b.field(o.Field))
			if o.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	var found []*nestor.Document
	for _, r := range rows {
		found = append(found, r.doc)
	}
	return found
}

// row is a document and its flat form, in which reserved fields and the ids on
// the path are fields like any other.
type row struct {
	doc  *nestor.Document
	flat any
}

func decode(t rapid.TB, text []byte) (v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// field finds a value through objects only.
func (r row) field(name string) value {
	v := r.flat
	for part := range strings.SplitSeq(name, ".") {
		m, _ := v.(map[string]any)
		v = m[part]
	}
	return valueOf(v)
}

func (r row) passes(t rapid.TB, f store.Filter) bool {
	t.Helper()
	switch {
	case f.And != nil:
		return !slices.ContainsFunc(f.And, func(f store.Filter) bool { return !r.passes(t, f) })
	case f.Or != nil:
		return slices.ContainsFunc(f.Or, func(f store.Filter) bool { return r.passes(t, f) })
	}
	text, err := json.Marshal(f.Value)
	if err != nil {
		t.Fatal(err)
	}
	given := decode(t, text)
	got, want := r.field(f.Field), valueOf(given)
	alike := got.rank == want.rank && (got.rank == ofNumber || got.rank == ofText)
	switch f.Op {
	case store.Eq:
		return got.equal(want)
	case store.Ne:
		return !got.equal(want)
	case store.Lt:
		return alike && got.compare(want) < 0
	case store.Le:
		return alike && got.compare(want) <= 0
	case store.Gt:
		return alike && got.compare(want) > 0
	case store.Ge:
		return alike && got.compare(want) >= 0
	case store.In:
		return slices.ContainsFunc(given.([]any), func(v any) bool { return got.equal(valueOf(v)) })
	}
	t.Fatalf("operator %q", f.Op)
	return false
}

// The types of values, in the order in which they sort.
const (
	ofNothing = iota // absent or null
	ofBool
	ofNumber
	ofText
	ofOther
)

// value is a JSON value that can be compared. false and true are 0 and 1.
type value struct {
	rank   int
	number big.Rat
	text   string
}

func valueOf(v any) value {
	var out value
	switch v := v.(type) {
	case nil:
	case bool:
		out.rank = ofBool
		if v {
			out.number.SetInt64(1)
		}
	case json.Number:
		out.rank = ofNumber
		out.number = exact(v)
	case string:
		out.rank, out.text = ofText, v
	default:
		out.rank = ofOther
	}
	return out
}

// exact is the value that a number in JSON has: integers as written, others as
// the nearest float64.
func exact(n json.Number) (r big.Rat) {
	if i, err := n.Int64(); err == nil {
		r.SetInt64(i)
		return r
	}
	f, _ := n.Float64() // what is out of range never gets here
	r.SetFloat64(f)
	return r
}

func (v value) compare(w value) int {
	return cmp.Or(cmp.Compare(v.rank, w.rank), v.number.Cmp(&w.number), cmp.Compare(v.text, w.text))
}

// equal holds between values that are not lists or objects.
func (v value) equal(w value) bool { return w.rank != ofOther && v.compare(w) == 0 }
