package engines_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestQueriesFindAndSortWhatALookAtEveryDocumentWould(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		run := 0
		rapid.Check(t, func(r *rapid.T) {
			run++ // every run has a collection of its own
			collection := fmt.Sprintf("users/u%d/things", run)
			values := rapid.SampledFrom(kinds).Draw(r, "kind")
			var writes []write
			for i := range rapid.IntRange(0, 10).Draw(r, "documents") {
				p := nestor.Path(fmt.Sprintf("%s/%s%d", collection, rapid.SampledFrom([]string{"a", "B", "c."}).Draw(r, "id"), i))
				writes = append(writes, write{p, body(values, 2).Draw(r, "body")})
			}
			docs := save(t, r, s, writes)
			for range 4 {
				q := store.Query{Collection: collection, OrderBy: orders(fields).Draw(r, "order")}
				q.Where = filter(fields, values, 2).Draw(r, "where")
				compare(t, r, s, docs, q)
			}
		})
	})
}

func TestFlatQueriesFindAndSortWhatALookAtEveryDocumentWould(t *testing.T) {
	keys := []string{"userId", "chatId"}
	own := []string{
		"id", "version", "seq", "createdAt", "role", "type", "content", "taskId", "isLlmMessage", "metadata.model", "metadata.usage.inputTokens",
		"metadata.v", "metadata", "toolCalls",
	}
	values := rapid.SampledFrom([]any{
		nil, true, false, 0, 1, 2, 1.5, "", "a", "b", "B", "é", "a0", "a1", "user", "tool", "assistant", "text", "error", "A0",
	})
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{})
		run := 0
		rapid.Check(t, func(r *rapid.T) {
			run++ // every run has users of its own
			users := []string{fmt.Sprintf("u%d", run), fmt.Sprintf("U%d", run)}
			var writes []write
			for _, u := range users {
				for _, chat := range []string{"a", "b"} {
					p := nestor.Path("users/" + u + "/orch-chats/" + chat)
					writes = append(writes, write{p, nestor.Chat{}})
					for i := range rapid.IntRange(0, 3).Draw(r, "messages") {
						writes = append(writes, write{p.Child("messages", fmt.Sprintf("a%d", i)), message().Draw(r, "message")})
					}
				}
			}
			docs := slices.DeleteFunc(save(t, r, s, writes), func(d *nestor.Document) bool {
				return store.DefaultCatalogue.Of(d.Path) != store.Messages
			})
			for range 2 {
				f := filter(append(keys, own...), values, 2).Draw(r, "where")
				q := store.Query{Flat: "messages", OrderBy: orders(append(keys, own...)).Draw(r, "order")}
				q.Where = &store.Filter{And: []store.Filter{*store.Where("userId", store.In, users), *f}}
				compare(t, r, s, docs, q)
			}
		})
	})
}

type write struct {
	path nestor.Path
	body any
}

// save writes documents, some of them twice, and returns them as they are then.
func save(t *testing.T, r *rapid.T, s store.Store, writes []write) (docs []*nestor.Document) {
	twice := rapid.SliceOfN(rapid.Bool(), len(writes), len(writes)).Draw(r, "twice")
	err := s.Update(t.Context(), func(tx store.Tx) error {
		docs = nil // it may run again
		for i, w := range writes {
			d, err := tx.Put(w.path, w.body, store.AnyVersion)
			if err == nil && twice[i] {
				d, err = tx.Put(w.path, w.body, store.AnyVersion)
			}
			if err != nil {
				return err
			}
			docs = append(docs, d)
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	return docs
}

// compare asks the store for all pages, which are often too small for all.
func compare(t *testing.T, r *rapid.T, s store.Documents, docs []*nestor.Document, q store.Query) {
	want := naive(r, docs, q)
	q.Limit = rapid.SampledFrom([]int{1, 3, 5, 100}).Draw(r, "limit")
	var got []*nestor.Document
	for more := true; more; more = q.Cursor != "" {
		page, err := ask(t, s, q)
		if err != nil {
			r.Fatalf("%s: %v", asJSON(q), err)
		}
		got = append(got, page.Items...)
		if page.Next != "" && len(page.Items) != q.Limit || len(got) > len(docs) {
			r.Fatalf("%s: a page of %d, %d documents so far of %d", asJSON(q), len(page.Items), len(got), len(docs))
		}
		q.Cursor = page.Next
	}
	if show(got) != show(want) {
		r.Fatalf("%s found\n%swant\n%sof\n%s", asJSON(q), show(got), show(want), show(docs))
	}
	err := s.View(t.Context(), func(from store.Reader) error {
		n, err := from.(store.Counter).Count(q)
		if n != len(want) {
			r.Fatalf("%s counts %d, want\n%s", asJSON(q), n, show(want))
		}
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
}

func ask(t *testing.T, s store.Documents, q store.Query) (page store.Page, err error) {
	err = s.View(t.Context(), func(r store.Reader) (err error) {
		page, err = r.Query(q)
		return err
	})
	return page, err
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// show prints documents one per line.
func show(docs []*nestor.Document) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "\t%s %s\n", d.Path, asJSON(d))
	}
	return b.String()
}

// fields to ask for: of the body, deeper in it, in no body, and the server's.
var fields = append(slices.Repeat([]string{"v", "w", "v.x"}, 5),
	"w.x.v", "0", "V", "none", "v.0", "deleted", "id", "version", "seq", "createdAt", "updatedAt")

// Every run has a kind of values for its documents and filters, so that they
// are often equal, nearly equal, or equal but for their type.
var kinds = []*rapid.Generator[any]{
	rapid.SampledFrom([]any{nil, true, false, 0, 1, -0.5, 0.5, 1.5, "", "0", "1", "true", "null"}),
	rapid.SampledFrom([]any{
		int64(1<<53 - 1), int64(1 << 53), int64(1<<53 + 1), int64(math.MaxInt64), int64(math.MaxInt64 - 1), int64(math.MinInt64), 1e21, -1e300,
		json.Number("1e20"), json.Number("9.3e18"), json.Number("1.152921504606847232e18"), json.Number("1152921504606847232"), json.Number("1152921504606847200"), json.Number("-9.223372036854775808e18"), json.Number("9223372036854776000"),
	}),
	rapid.OneOf(
		rapid.SampledFrom([]any{0.1, 0.3, 0.30000000000000004, 1e-7, 5e-324, 4503599627370495.5, 0, nil, true}),
		rapid.Int64().AsAny(),
		rapid.Float64().Filter(staysAFloat).AsAny(),
	),
	rapid.SampledFrom([]any{
		"", "a", "A", "b", "aa", "10", "9", "é", "e\u0301", "z", "ß", "\uffff", "\U0001F680", "'", `"`, `\`, "%", "a\nb", nil, 9, 10,
	}),
}

// staysAFloat leaves out the floats that JSON writes with the digits of an integer.
func staysAFloat(f float64) bool { return math.Abs(f) < 1<<53 || math.Abs(f) >= 1e21 }

// body draws the body of a document; its names meet those of fields.
func body(values *rapid.Generator[any], depth int) *rapid.Generator[map[string]any] {
	v := values
	if depth > 0 {
		v = rapid.OneOf(values, values, body(values, depth-1).AsAny(), rapid.SliceOfN(values, 0, 2).AsAny())
	}
	return rapid.MapOfN(rapid.SampledFrom([]string{"v", "v", "v", "w", "w", "x", "0", "V", "v.x", `v"`, "v'"}), v, 0, 4)
}

func message() *rapid.Generator[nestor.Message] {
	return rapid.Custom(func(t *rapid.T) nestor.Message {
		m := nestor.Message{
			Role:         rapid.SampledFrom([]nestor.Role{nestor.RoleUser, nestor.RoleAssistant, nestor.RoleTool}).Draw(t, "role"),
			Type:         rapid.SampledFrom([]nestor.MessageType{"", nestor.MessageText, nestor.MessageError}).Draw(t, "type"),
			Content:      rapid.SampledFrom([]string{"", "a", "B", "user", "é"}).Draw(t, "content"),
			TaskID:       rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "task"),
			IsLLMMessage: new(rapid.Bool().Draw(t, "llm")),
		}
		if rapid.Bool().Draw(t, "metadata") {
			m.Metadata = &nestor.MessageMetadata{Model: "a", Usage: &nestor.Usage{InputTokens: rapid.Int64Range(0, 2).Draw(t, "tokens")}}
		}
		return m
	})
}

func orders(fields []string) *rapid.Generator[[]store.Order] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) store.Order {
		return store.Order{Field: rapid.SampledFrom(fields).Draw(t, "field"), Desc: rapid.Bool().Draw(t, "desc")}
	}), 0, 3)
}

func filter(fields []string, values *rapid.Generator[any], depth int) *rapid.Generator[*store.Filter] {
	return rapid.Custom(func(t *rapid.T) *store.Filter {
		if depth > 0 && rapid.IntRange(0, 2).Draw(t, "combined") == 0 {
			parts := []store.Filter{}
			for range rapid.IntRange(0, 3).Draw(t, "parts") {
				parts = append(parts, *filter(fields, values, depth-1).Draw(t, "part"))
			}
			if rapid.Bool().Draw(t, "and") {
				return &store.Filter{And: parts}
			}
			return &store.Filter{Or: parts}
		}
		field := rapid.SampledFrom(fields).Draw(t, "field")
		op := rapid.SampledFrom([]store.Op{store.Eq, store.Ne, store.Lt, store.Le, store.Gt, store.Ge, store.In}).Draw(t, "op")
		switch op {
		case store.In:
			return store.Where(field, op, rapid.SliceOfN(values, 0, 3).Draw(t, "values"))
		case store.Eq, store.Ne:
			return store.Where(field, op, values.Draw(t, "value"))
		}
		ordered := values.Filter(func(v any) bool { _, isBool := v.(bool); return v != nil && !isBool })
		return store.Where(field, op, ordered.Draw(t, "value"))
	})
}

// FuzzFilter takes any JSON for a query: it is either refused as invalid, or
// SQLite answers it as naive does.
func FuzzFilter(f *testing.F) {
	s := engines.SQLite(f)(f, store.Options{})
	docs := fuzzed(f, s)
	for _, where := range []string{
		`{"field":"v","op":"=","value":5}`,
		`{"field":"v","op":"=","value":5.0}`,
		`{"field":"v","op":"=","value":"5"}`,
		`{"field":"v","op":"=","value":false}`,
		`{"field":"v","op":"!=","value":null}`,
		`{"field":"v","op":">","value":5}`,
		`{"field":"v","op":"<=","value":5.5}`,
		`{"field":"v","op":"=","value":9007199254740992}`,
		`{"field":"v","op":"<","value":"a"}`,
		`{"field":"v","op":"in","value":[5,"B",null]}`,
		`{"field":"v","op":"in","value":[]}`,
		`{"field":"v.x","op":"=","value":5}`,
		`{"field":"v.0","op":"=","value":5}`,
		`{"or":[{"field":"v","op":"=","value":5},{"field":"v","op":"=","value":"5"}]}`,
		`{"and":[{"field":"v","op":">","value":1},{"field":"v","op":"<","value":5.2}]}`,
		`{"and":[]}`,
		`{"or":[]}`,
		`{"field":"id","op":">","value":"c"}`,
		`{"field":"version","op":"=","value":1}`,
		`{"field":"a' OR 1=1 --","op":"=","value":1}`,
		`{"field":"a","op":"~","value":1}`,
		`{"field":"a","op":"<","value":true}`,
		`{"field":"a","op":"=","value":1e999}`,
		`{}`,
	} {
		f.Add([]byte(`{"collection":"users/u1/things","where":` + where + `}`))
		f.Add([]byte(`{"collection":"users/u1/things","orderBy":[{"field":"v","desc":true}],"limit":3,"where":` + where + `}`))
		f.Add([]byte(`{"flat":"messages","orderBy":[{"field":"metadata.usage.inputTokens"},{"field":"id"}],"where":` + where + `}`))
	}
	for _, q := range []string{
		`{"flat":"messages","where":{"field":"role","op":"in","value":["user","tool"]}}`,
		`{"flat":"messages","where":{"field":"chatId","op":"!=","value":"c1"}}`,
		`{"flat":"nothing"}`,
		`{"collection":"users/u1"}`,
		`{"collection":"users/u1/orch-chats/c1/messages","limit":1}`,
		`{"collection":"users/u1/things","limit":1001}`,
		`{"collection":"users/u1/things","orderBy":[{"field":"v"}],"cursor":"eyJ2IjpbMiw1LCIiLDFdfQ"}`, // {"v":[2,5,"",1]}
		`{"collection":"users/u1/things","cursor":"eyJ2IjpbMSwyXX0"}`,                                  // {"v":[1,2]}
		`{"collection":"users/u1/things","cursor":"xyz"}`,
	} {
		f.Add([]byte(q))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var q store.Query
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if dec.Decode(&q) != nil {
			return
		}
		checked := q
		refused := checked.Check(store.DefaultCatalogue)
		page, err := ask(t, s, q)
		if refused != nil {
			if nestor.CodeOf(refused) != nestor.CodeInvalid || nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Fatalf("%s is refused with %v and fails with %v", text, refused, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := naive(t, slices.DeleteFunc(slices.Clone(docs), func(d *nestor.Document) bool {
			return d.Path.Collection() != q.Collection && store.DefaultCatalogue.Of(d.Path).Name != q.Flat
		}), q)
		if q.Cursor != "" { // a place somewhere in the order
			at := len(want)
			if len(page.Items) > 0 {
				at = slices.IndexFunc(want, func(d *nestor.Document) bool { return d.Path == page.Items[0].Path })
			}
			want = want[max(at, 0):]
		}
		more := len(want) > checked.Limit
		want = want[:min(len(want), checked.Limit)]
		if show(page.Items) != show(want) || (page.Next != "") != more {
			t.Fatalf("%s found (more: %v)\n%swant (more: %v)\n%s", text, page.Next != "", show(page.Items), more, show(want))
		}
	})
}

// fuzzed writes the documents that FuzzFilter asks for.
func fuzzed(f *testing.F, s store.Store) (docs []*nestor.Document) {
	f.Helper()
	err := s.Update(f.Context(), func(tx store.Tx) error {
		docs = nil // it may run again
		put := func(p nestor.Path, body any) error {
			d, err := tx.Put(p, body, store.AnyVersion)
			docs = append(docs, d)
			return err
		}
		var errs []error
		for i, v := range []string{
			`5`, `5.5`, `"5"`, `"B"`, `"a"`, `true`, `null`, `[5]`, `{"x":5}`, `9007199254740993`, `1e300`, `"é"`, `"🚀"`, `""`,
		} {
			errs = append(errs, put(nestor.Path(fmt.Sprintf("users/u1/things/%c", 'n'-i)), json.RawMessage(`{"v":`+v+`}`)))
		}
		chat := nestor.Path("users/u1/orch-chats/c1")
		errs = append(errs, put("users/u1/things/absent", json.RawMessage(`{"w":{"v":1}}`)), put(chat, nestor.Chat{Title: "A chat"}))
		for i, role := range []nestor.Role{nestor.RoleUser, nestor.RoleAssistant, nestor.RoleTool} {
			m := nestor.Message{Role: role, Content: string(role), IsLLMMessage: new(i > 0)}
			if i > 0 {
				m.TaskID, m.Metadata = "t1", &nestor.MessageMetadata{Usage: &nestor.Usage{InputTokens: int64(i)}}
			}
			errs = append(errs, put(chat.Child("messages", fmt.Sprintf("m%d", i)), m))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		f.Fatal(err)
	}
	return docs
}
