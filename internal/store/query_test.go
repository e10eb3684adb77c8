package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

// many makes n equal parts of a filter.
func many(n int) []Filter {
	return slices.Repeat([]Filter{{Field: "a", Op: Eq, Value: 1}}, n)
}

// deep puts a comparison below so many levels of and.
func deep(levels int) *Filter {
	f := Where("a", Eq, 1)
	for range levels {
		f = &Filter{And: []Filter{*f}}
	}
	return f
}

func TestAQueryIsCheckedBeforeItRuns(t *testing.T) {
	orders := func(n int) []Order { return slices.Repeat([]Order{{Field: "a"}}, n) }
	for _, tt := range []struct {
		name  string
		query Query
		error string // part of it; "" when the query is fine
	}{
		{"a flat collection", Query{Flat: "tasks"}, ""},
		{"a collection path", Query{Collection: "users/u1/notes"}, ""},
		{"the path of a flat collection", Query{Collection: "users/u1/orch-chats"}, ""},
		{"no collection", Query{}, "either"},
		{"two collections", Query{Flat: "tasks", Collection: "users/u1/notes"}, "either"},
		{"an unknown flat collection", Query{Flat: "documents"}, `no flat collection "documents"`},
		{"a document path", Query{Collection: "users/u1"}, "names a document"},

		{"the largest page", Query{Flat: "tasks", Limit: 1000}, ""},
		{"a page too large", Query{Flat: "tasks", Limit: 1001}, "limit 1001"},
		{"a negative limit", Query{Flat: "tasks", Limit: -1}, "limit -1"},
		{"four orders", Query{Flat: "tasks", OrderBy: orders(4)}, ""},
		{"five orders", Query{Flat: "tasks", OrderBy: orders(5)}, "at most 4"},
		{"an order by nothing", Query{Flat: "tasks", OrderBy: []Order{{}}}, "field name"},

		{"a field of a field", Query{Flat: "tasks", Where: Where("a-b.c_d.0", Eq, 1)}, ""},
		{"a field of 200 characters", Query{Flat: "tasks", Where: Where(strings.Repeat("x", 200), Eq, 1)}, ""},
		{"a field of 201 characters", Query{Flat: "tasks", Where: Where(strings.Repeat("x", 201), Eq, 1)}, "1 to 200"},
		{"an empty field of a field", Query{Flat: "tasks", Where: Where("a..b", Eq, 1)}, "joined by dots"},
		{"a field with a quote", Query{Flat: "tasks", Where: Where("a'b", Eq, 1)}, "joined by dots"},
		{"a field with a double quote", Query{Flat: "tasks", OrderBy: []Order{{Field: `a"b`}}}, "joined by dots"},
		{"a field beyond ASCII", Query{Flat: "tasks", Where: Where("šum", Eq, 1)}, "joined by dots"}, // its first letter ends in the byte of an a

		{"three hundred parts", Query{Flat: "tasks", Where: &Filter{Or: many(299)}}, ""},
		{"more than three hundred parts", Query{Flat: "tasks", Where: &Filter{Or: many(300)}}, "at most 300 comparisons"},
		{"ten levels", Query{Flat: "tasks", Where: deep(10)}, ""},
		{"eleven levels", Query{Flat: "tasks", Where: deep(11)}, "10 levels"},
		{"an empty filter", Query{Flat: "tasks", Where: &Filter{}}, "one of"},
		{"a comparison and a list", Query{Flat: "tasks", Where: &Filter{Field: "a", Op: Eq, Or: many(1)}}, "one of"},
		{"two lists", Query{Flat: "tasks", Where: &Filter{And: many(1), Or: many(1)}}, "one of"},
		{"a bad part of a list", Query{Flat: "tasks", Where: &Filter{And: []Filter{{Field: "a"}}}}, "operator"},
		{"an operator without a field", Query{Flat: "tasks", Where: &Filter{Op: Eq, Value: 1}}, "field name"},
		{"an unknown operator", Query{Flat: "tasks", Where: Where("a", "LIKE", "x")}, `operator "LIKE"`},

		{"a list to be equal to", Query{Flat: "tasks", Where: Where("a", Eq, []any{1})}, "compares with"},
		{"an object to differ from", Query{Flat: "tasks", Where: Where("a", Ne, map[string]any{})}, "compares with"},
		{"less than null", Query{Flat: "tasks", Where: Where("a", Lt, nil)}, "number or text"},
		{"at least true", Query{Flat: "tasks", Where: Where("a", Ge, true)}, "number or text"},
		{"text with a NUL", Query{Flat: "tasks", Where: Where("a", Eq, "x\x00")}, "U+0000"},
		{"an integer too large", Query{Flat: "tasks", Where: Where("a", Eq, json.Number("9223372036854775808"))}, "64 bits"},
		{"in with no list", Query{Flat: "tasks", Where: Where("a", In, "x")}, "in takes a list"},
		{"in with nothing", Query{Flat: "tasks", Where: Where("a", In, nil)}, "in takes a list"},
		{"in a list of lists", Query{Flat: "tasks", Where: Where("a", In, [][]int{{1}})}, "compares with"},
		{"in with 200 values", Query{Flat: "tasks", Where: Where("a", In, make([]int, 200))}, ""},
		{"in with 201 values", Query{Flat: "tasks", Where: Where("a", In, make([]int, 201))}, "at most 200"},
		{"in with what is no JSON", Query{Flat: "tasks", Where: Where("a", In, []any{func() {}})}, "in takes a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.query.Check(DefaultCatalogue)
			if tt.error == "" {
				wantCode(t, err, "")
				return
			}
			wantCode(t, err, nestor.CodeInvalid)
			if !strings.Contains(err.Error(), tt.error) {
				t.Errorf("the error is %q, want one with %q", err, tt.error)
			}
		})
	}
}

func TestCheckBringsValuesToTheTypesThatAreCompared(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in, want any
	}{
		{"null", nil, nil},
		{"a boolean", true, true},
		{"an int", 5, int64(5)},
		{"an int64", int64(5), int64(5)},
		{"a whole float", 5.0, int64(5)},
		{"a float", 5.5, 5.5},
		{"a number as read", json.Number("5"), int64(5)},
		{"a large number as read", json.Number("9007199254740993"), int64(1<<53 + 1)},
		{"a whole number with an exponent", json.Number("5e1"), int64(50)},
		{"text", "x", "x"},
		{"text of a named type", nestor.TaskRunning, "running"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := Query{Flat: "tasks", Where: Where("a", Eq, tt.in)}
			wantCode(t, q.Check(DefaultCatalogue), "")
			if q.Where.Value != tt.want {
				t.Errorf("equal to %T %v", q.Where.Value, q.Where.Value)
			}
			q = Query{Flat: "tasks", Where: Where("a", In, []any{tt.in, "y"})}
			wantCode(t, q.Check(DefaultCatalogue), "")
			if want := []any{tt.want, "y"}; !reflect.DeepEqual(q.Where.Value, want) {
				t.Errorf("in %v", q.Where.Value)
			}
		})
	}
}

func TestCheckFillsDefaultsAndLeavesTheCallersFilterAlone(t *testing.T) {
	inner := []Filter{{Field: "a", Op: In, Value: []int{1}}, {Field: "b", Op: Eq, Value: 5.0}}
	where := &Filter{And: inner}
	q := Query{Flat: "tasks", Where: where}
	wantCode(t, q.Check(DefaultCatalogue), "")
	if q.Limit != 100 {
		t.Errorf("the limit is %d", q.Limit)
	}
	if !reflect.DeepEqual(where, &Filter{And: []Filter{{Field: "a", Op: In, Value: []int{1}}, {Field: "b", Op: Eq, Value: 5.0}}}) {
		t.Errorf("the filter became %+v", where)
	}
	if q.Where.And[1].Value != int64(5) {
		t.Errorf("the query compares with %v", q.Where.And[1].Value)
	}
	checked := q
	wantCode(t, q.Check(DefaultCatalogue), "")
	if !reflect.DeepEqual(q, checked) {
		t.Errorf("checked once more it became %+v", q)
	}
}

// order draws what to sort by.
func order() *rapid.Generator[[]Order] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Order {
		return Order{
			Field: rapid.SampledFrom([]string{"a", "b.c", "id", "seq", "version", "createdAt", "updatedAt"}).Draw(t, "field"),
			Desc:  rapid.Bool().Draw(t, "desc"),
		}
	}), 0, maxOrder)
}

func TestACursorHoldsThePlaceOfADocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := document().Draw(t, "document")
		q := Query{Flat: "tasks", OrderBy: order().Draw(t, "order")}
		if err := q.Check(DefaultCatalogue); err != nil {
			t.Fatal(err)
		}
		next, err := q.NextCursor(d)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor = next
		if err := q.Check(DefaultCatalogue); err != nil {
			t.Fatalf("the cursor %s is refused: %v", next, err)
		}
		values, err := q.cursor()
		if err != nil {
			t.Fatal(err)
		}
		body := read(t, string(d.Data))
		for i, term := range q.terms() {
			if want := term.value(d, body); values[i] != want {
				t.Fatalf("term %+v is %T %v, want %T %v", term, values[i], values[i], want, want)
			}
		}
	})
}

func TestCursorsOfNobody(t *testing.T) {
	encoded := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	byText := []Order{{Field: "a"}} // rank, number, text, seq
	for _, tt := range []struct {
		name   string
		order  []Order
		cursor string
	}{
		{"no base64", nil, "!"},
		{"base64 of another alphabet", nil, "+/+/"},
		{"padding", nil, encoded(`{"v":[1,2]}`) + "="},
		{"no JSON", nil, encoded(`x`)},
		{"no object", nil, encoded(`[1,2]`)},
		{"no values", nil, encoded(`{}`)},
		{"values that are no list", nil, encoded(`{"v":{"0":1,"1":2}}`)},
		{"too few values", nil, encoded(`{"v":[1]}`)},
		{"too many values", nil, encoded(`{"v":[1,2,3]}`)},
		{"text for a time", nil, encoded(`{"v":["1",2]}`)},
		{"a fraction for a time", nil, encoded(`{"v":[1.5,2]}`)},
		{"null for a position", nil, encoded(`{"v":[1,null]}`)},
		{"a number for an id", []Order{{Field: "id"}}, encoded(`{"v":[1,2]}`)},
		{"text for a rank", byText, encoded(`{"v":["3",0,"",1]}`)},
		{"text for a number", byText, encoded(`{"v":[3,"0","",1]}`)},
		{"a number for text", byText, encoded(`{"v":[3,0,0,1]}`)},
		{"a list for text", byText, encoded(`{"v":[3,0,[],1]}`)},
		{"text with a NUL", byText, encoded(`{"v":[3,0,"\u0000",1]}`)},
		{"broken UTF-8", byText, encoded("{\"v\":[3,0,\"\xff\",1]}")},
		{"a number too large", byText, encoded(`{"v":[2,9223372036854775808,"",1]}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := Query{Flat: "tasks", OrderBy: tt.order, Cursor: tt.cursor}
			wantCode(t, q.Check(DefaultCatalogue), nestor.CodeInvalid)
		})
	}
	for name, q := range map[string]Query{
		"the default order": {Flat: "tasks", Cursor: encoded(`{"v":[1,2]}`)},
		"an order by field": {Flat: "tasks", OrderBy: byText, Cursor: encoded(`{"v":[3,0,"x",1]}`)},
	} {
		if err := q.Check(DefaultCatalogue); err != nil { // else the cases above prove nothing
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATamperedCursorNeverReachesTheDatabaseWithOtherTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Flat: "tasks", OrderBy: order().Draw(t, "order")}
		if err := q.Check(DefaultCatalogue); err != nil {
			t.Fatal(err)
		}
		next, err := q.NextCursor(document().Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		cursor, err := base64.RawURLEncoding.DecodeString(next)
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(cursor)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			cursor = cursor[:at]
		case 1:
			cursor[at] = rapid.Byte().Draw(t, "byte")
		case 2:
			cursor = slices.Insert(cursor, at, rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(t, "bytes")...)
		case 3:
			i := bytes.IndexByte(cursor, ',')
			cursor = append(cursor[:i:i], `]}`...)
		}
		if q.Cursor = base64.RawURLEncoding.EncodeToString(cursor); q.Cursor == "" {
			return
		}
		if err := q.Check(DefaultCatalogue); err != nil {
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Fatalf("%s: %v", cursor, err)
			}
			return
		}
		values, _ := q.cursor()
		for i, term := range q.terms() {
			var fits bool
			switch values[i].(type) {
			case string:
				fits = term.part == text || term.part == whole && term.field == "id"
			case int64:
				fits = term.part == rank || term.part == number || term.part == whole && term.field != "id"
			case float64:
				fits = term.part == number
			}
			if !fits {
				t.Fatalf("%s: value %d is %T %v", cursor, i, values[i], values[i])
			}
		}
	})
}
