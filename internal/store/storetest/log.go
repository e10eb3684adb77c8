package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var logTests = []test{
	{name: "every version can be read from the log, before and after", run: func(e *env) {
		p := nestor.Path("users/u1/notes/n1")
		e.create(p, raw(`{"v":1}`))
		e.put(p, raw(`{"v":2}`))
		e.put(p, raw(`{"v":3}`))
		e.delete(p)
		e.create(p, raw(`{"v":5}`))
		type step struct {
			Type          nestor.ChangeType
			Version       int64
			Before, After string
		}
		data := func(d *nestor.Document) string {
			if d == nil {
				return ""
			}
			return string(d.Data)
		}
		var got []step
		var last int64
		for _, c := range e.changes(0) {
			if c.Seq <= last || c.Path != p || c.At == 0 {
				e.Errorf("change %+v after seq %d", c, last)
			}
			if c.After != nil && (c.After.Seq != c.Seq || c.After.Version != c.Version) {
				e.Errorf("the document after seq %d says seq %d version %d", c.Seq, c.After.Seq, c.After.Version)
			}
			last = c.Seq
			got = append(got, step{c.Type, c.Version, data(c.Before), data(c.After)})
		}
		want := []step{
			{nestor.Create, 1, "", `{"v":1}`},
			{nestor.Update, 2, `{"v":1}`, `{"v":2}`},
			{nestor.Update, 3, `{"v":2}`, `{"v":3}`},
			{nestor.Delete, 4, `{"v":3}`, ""},
			{nestor.Create, 5, "", `{"v":5}`},
		}
		if !reflect.DeepEqual(got, want) {
			e.Errorf("got  %v\nwant %v", got, want)
		}
	}},
	{
		name: "of documents that nobody follows the log has positions, and no content", opts: unfollowedOptions(),
		run: func(e *env) {
			p, other := nestor.Path("users/u1/tallies/t1"), nestor.Path("users/u1/notes/n1")
			e.create(p, raw(`{"n":1}`))
			e.put(p, raw(`{"n":2}`))
			e.create(other, raw(`{"v":1}`))
			e.put(p, raw(`{"n":3}`))
			e.delete(p)
			e.put(other, raw(`{"v":2}`))
			e.create(p, raw(`{"n":4}`))
			var got []string
			for _, c := range e.changes(0) {
				got = append(got, fmt.Sprint(c.Type, " ", c.Path.ID(), " ", c.Version))
				if has := c.Before != nil || c.After != nil; has != (c.Path == other) {
					e.Errorf("change %d of %s comes with a document: %t", c.Seq, c.Path, has)
				}
			}
			want := []string{"create t1 1", "update t1 2", "create n1 1", "update t1 3", "delete t1 4", "update n1 2", "create t1 5"}
			if !slices.Equal(got, want) {
				e.Errorf("got  %v\nwant %v", got, want)
			}
			if d := e.get(p); d.Version != 5 || !strings.Contains(string(d.Data), `"n":4`) {
				e.Errorf("the document is %d %s", d.Version, d.Data)
			}
		},
	},
	{name: "reading goes on from any position, page by page", run: func(e *env) {
		e.update(func(tx store.Tx) error {
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				if _, err := tx.Create(nestor.Path("users/u1/notes/"+id), raw(`{}`)); err != nil {
					return err
				}
			}
			return nil
		})
		e.lastSeq()
		var got []string
		after := int64(0)
		for {
			cs, err := e.s.Changes(e.ctx(), after, 2, nil)
			e.must(err)
			if len(cs) == 0 {
				break
			}
			for _, c := range cs {
				got = append(got, c.Path.ID())
				after = c.Seq
			}
		}
		if !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) || after != e.lastSeq() {
			e.Errorf("read %v up to %d, last is %d", got, after, e.lastSeq())
		}
	}},
	{name: "changes that are not wanted come without documents", run: func(e *env) {
		kept, other := nestor.Path("users/u1/notes/kept"), nestor.Path("users/u1/notes/other")
		for _, p := range []nestor.Path{kept, other} {
			e.create(p, raw(`{"n":1}`))
			e.put(p, raw(`{"n":2}`))
			e.delete(p)
			e.create(p, raw(`{"n":3}`))
		}
		e.lastSeq()
		cs, err := e.s.Changes(e.ctx(), 0, 100, func(p nestor.Path) bool { return p == kept })
		e.must(err)
		var got []string
		for _, c := range cs {
			before, after := "", ""
			if c.Before != nil {
				before = fmt.Sprint(c.Before.Version)
			}
			if c.After != nil {
				after = fmt.Sprint(c.After.Version)
			}
			got = append(got, fmt.Sprintf("%s %s %d: %s>%s", c.Type, c.Path.ID(), c.Version, before, after))
		}
		want := []string{
			"create kept 1: >1", "update kept 2: 1>2", "delete kept 3: 2>", "create kept 4: >4",
			"create other 1: >", "update other 2: >", "delete other 3: 2>", "create other 4: >",
		}
		if !slices.Equal(got, want) {
			e.Errorf("the log tells %q, want %q", got, want)
		}
	}},
	{name: "a page of the log ends with the change that fills it", run: func(e *env) {
		large, small := raw(`{"x":"`+strings.Repeat("x", store.PageBytes)+`"}`), raw(`{}`)
		e.create("users/u1/notes/a", small)
		e.create("users/u1/notes/b", large)
		e.create("users/u1/notes/c", small)
		e.put("users/u1/notes/c", large)
		e.put("users/u1/notes/c", small) // what it was before counts, too
		e.put("users/u1/notes/a", small)
		e.put("users/u1/notes/b", small)
		e.lastSeq()
		var got []string
		for after := int64(0); ; {
			cs, err := e.s.Changes(e.ctx(), after, 100, nil)
			e.must(err)
			if len(cs) == 0 {
				break
			}
			page := ""
			for _, c := range cs {
				page += c.Path.ID()
				after = c.Seq
				if c.After == nil || c.After.Seq != c.Seq {
					e.Errorf("change %d of %s is without its document", c.Seq, c.Path)
				}
			}
			got = append(got, page)
		}
		if want := []string{"ab", "cc", "c", "ab"}; !slices.Equal(got, want) {
			e.Errorf("the pages are %v, want %v", got, want)
		}
	}},
	{name: "a position the log never had asks for a resync", run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{}`))
		_, err := e.s.Changes(e.ctx(), e.lastSeq()+1000, 10, nil)
		e.code(nestor.CodeTooOld, err)
	}},
	{name: "observers hear of each commit with its changes", run: func(e *env) {
		var mu sync.Mutex
		var heard []string
		s := e.again()
		defer s.Close()
		s.Observe(store.First, func(c store.Commit) {
			mu.Lock()
			defer mu.Unlock()
			for _, ch := range c.Changes {
				heard = append(heard, string(ch.Type)+" "+ch.Path.ID())
			}
		})
		e.must(s.Update(e.ctx(), func(tx store.Tx) error {
			if _, err := tx.Create("users/u1/notes/a", raw(`{}`)); err != nil {
				return err
			}
			_, err := tx.Create("users/u1/notes/b", raw(`{}`))
			return err
		}))
		_ = s.Update(e.ctx(), func(tx store.Tx) error {
			_, err := tx.Create("users/u1/notes/a", raw(`{}`))
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(heard, []string{"create a", "create b"}) {
			e.Errorf("heard %v", heard)
		}
	}},
}

// unfollowedOptions are those of a store with tallies, which nobody follows.
func unfollowedOptions() store.Options {
	tallies := store.NewCollection[struct {
		nestor.Meta
		UserID string `json:"userId,omitempty"`
		N      int    `json:"n"`
	}]("tallies", nil, "users/{userId}/tallies/{id}")
	tallies.Unfollowed = true
	kinds, err := store.NewCatalogue(tallies)
	if err != nil {
		panic(err) // every start would meet it
	}
	return store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "tallies", Collections: kinds.All()}}}
}
