package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// model is the store as a plain map: what every document must be, by path.
type model map[nestor.Path]modelDoc

type modelDoc struct {
	fields  map[string]any
	version int64
	gone    bool
}

var modelTests = []test{
	{name: "the store behaves like a map, whatever the writes", run: func(e *env) {
		run := 0
		rapid.Check(e.T, func(r *rapid.T) {
			run++ // every run has a user of its own
			m := model{}
			start := e.lastSeq()
			for range rapid.IntRange(1, 8).Draw(r, "transactions") {
				m = e.step(r, m, fmt.Sprintf("u%d", run))
			}
			e.compare(r, m, start)
		})
	}},
}

// step runs one transaction of random writes, some of which it abandons, and
// returns the model of what must be there afterwards.
func (e *env) step(r *rapid.T, m model, user string) model {
	var ops []func(store.Tx, model) error
	for range rapid.IntRange(1, 5).Draw(r, "writes") {
		p := nestor.Path("users/" + user + "/things/" + rapid.SampledFrom([]string{"a", "b", "A", "a.b"}).Draw(r, "id"))
		if rapid.Bool().Draw(r, "below") {
			p = p.Child("parts", rapid.SampledFrom([]string{"x", "y"}).Draw(r, "part"))
		}
		field := rapid.SampledFrom([]string{"f", "g"}).Draw(r, "field")
		value := rapid.SampledFrom([]any{int64(1), "text", true, nil, 1.5}).Draw(r, "value")
		kind := rapid.SampledFrom([]string{"create", "put", "patch", "delete"}).Draw(r, "kind")
		ops = append(ops, func(tx store.Tx, m model) error { return apply(tx, m, kind, p, field, value) })
	}
	abandon := rapid.Bool().Draw(r, "abandon")
	var next model
	err := e.s.Update(e.ctx(), func(tx store.Tx) error {
		next = maps.Clone(m)
		for _, op := range ops {
			if err := op(tx, next); err != nil {
				return err
			}
		}
		if abandon {
			return nestor.ErrCancelled
		}
		return nil
	})
	switch {
	case err == nil:
		return next
	case abandon && nestor.CodeOf(err) == nestor.CodeCancelled, nestor.CodeOf(err) == nestor.CodeNotFound, nestor.CodeOf(err) == nestor.CodeExists:
		return m
	}
	r.Fatalf("the transaction failed: %v", err)
	return nil
}

func apply(tx store.Tx, m model, kind string, p nestor.Path, field string, value any) error {
	old := m[p]
	live := old.version > 0 && !old.gone
	body := map[string]any{field: value}
	var err error
	switch kind {
	case "create":
		_, err = tx.Create(p, body)
		m[p] = modelDoc{body, old.version + 1, false}
		if err == nil && live && !old.gone {
			return nil // Update will report it
		}
	case "put":
		_, err = tx.Put(p, body, store.AnyVersion)
		m[p] = modelDoc{body, old.version + 1, false}
	case "patch":
		_, err = tx.Patch(p, body, store.AnyVersion)
		fields := maps.Clone(old.fields)
		if fields == nil {
			fields = map[string]any{}
		}
		fields[field] = value
		if value == nil {
			delete(fields, field)
		}
		m[p] = modelDoc{fields, old.version + 1, false}
	case "delete":
		err = tx.Delete(p, store.AnyVersion)
		for q, d := range m {
			if p.Contains(q) && !d.gone {
				m[q] = modelDoc{nil, d.version + 1, true}
			}
		}
	}
	return err
}

// compare reads everything back: by path, by query and from the log.
func (e *env) compare(r *rapid.T, m model, start int64) {
	fromLog := map[nestor.Path]*nestor.Document{}
	for _, c := range e.changes(start) {
		fromLog[c.Path] = c.After
	}
	collections := map[string][]string{}
	for _, p := range slices.Sorted(maps.Keys(m)) {
		want := m[p]
		d := e.get(p)
		if want.gone {
			if d != nil || fromLog[p] != nil {
				r.Fatalf("%s is there: %v", p, d)
			}
			continue
		}
		if d == nil || d.Version != want.version || !sameJSON(d.Data, want.fields) {
			r.Fatalf("%s is %+v, want %+v", p, d, want)
		}
		if l := fromLog[p]; l == nil || l.Version != d.Version || string(l.Data) != string(d.Data) {
			r.Fatalf("the log ends %s with %+v, stored is %+v", p, l, d)
		}
		collections[p.Collection()] = append(collections[p.Collection()], p.ID())
	}
	for c, want := range collections {
		got := ids(e.query(store.Query{Collection: c}))
		slices.Sort(got)
		slices.Sort(want)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			r.Fatalf("collection %s has %v, want %v", c, got, want)
		}
	}
}

func sameJSON(data json.RawMessage, want map[string]any) bool {
	w, _ := json.Marshal(want)
	return string(data) == string(w)
}
