package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// memoryTests are about those who remember what they read.
var memoryTests = []test{
	{name: "a digest follows the changes of its documents and of no others", run: func(e *env) {
		chat := e.chat("u1", "c1")
		message := chat.Child("messages", "m1")
		digest := func() store.Digest {
			d, err := e.s.Digest(e.ctx(), message, chat, "users/u1/notes/n1")
			e.must(err)
			return d
		}
		want := digest()
		if want.Count != 1 {
			e.Fatalf("of the chat alone it is %+v", want)
		}
		since := e.lastSeq()
		write := func(counts bool, fn func()) {
			e.Helper()
			before := want
			fn()
			for _, c := range e.changes(since) {
				if since = c.Seq; counts {
					want.Apply(&c)
				}
			}
			if got := digest(); got != want || counts == (got == before) {
				e.Errorf("it is %+v, not %+v, and was %+v", got, want, before)
			}
		}
		write(true, func() { e.create(message, nestor.Message{Role: "user", Content: "a"}) })
		write(true, func() { e.put(message, nestor.Message{Role: "user", Content: "b"}) })
		write(true, func() { e.create("users/u1/notes/n1", nestor.Chat{}) })
		write(false, func() { e.create("users/u1/notes/n2", nestor.Chat{}) })
		write(false, func() { e.create(chat.Child("messages", "m2"), nestor.Message{Role: "user"}) })
		write(false, func() { e.create(e.chat("u1", "c2").Child("messages", "m1"), nestor.Message{Role: "user"}) })
		write(true, func() { e.delete(message) })
		_, err := e.s.Digest(e.ctx(), chat, "users")
		e.code(nestor.CodeInvalid, err)
	}},
	{name: "observers learn that they missed some", run: func(e *env) {
		elsewhere := e.again(e.opts)
		var commits []store.Commit
		e.s.Observe(store.First, func(c store.Commit) { commits = append(commits, c) })
		e.chat("u1", "c1")
		e.create("users/u1/notes/n1", nestor.Chat{})
		for i, c := range commits {
			if i > 0 && c.Missed {
				e.Errorf("the commit %+v is said to follow another's", c.Changes)
			}
		}
		for _, writes := range []bool{true, false} {
			if writes {
				e.must(elsewhere.Update(e.ctx(), func(tx store.Tx) error {
					_, err := tx.Create("users/u1/notes/n2", nestor.Chat{})
					return err
				}))
			}
			e.put("users/u1/notes/n3", nestor.Chat{})
			if missed := commits[len(commits)-1].Missed; missed != (writes && e.s.Follows()) {
				e.Errorf("others wrote: %v, observers are told so: %v", writes, missed)
			}
		}
	}},
	{name: "what is assumed is not read, and counts if it is right", run: func(e *env) {
		note := e.create("users/u1/notes/n1", map[string]int{"n": 1})
		pretended := *note
		pretended.Data = []byte(`{"n":5}`)
		runs := 0
		e.update(func(tx store.Tx) error {
			runs++
			tx.Assume(&pretended)
			d, err := tx.Get(note.Path)
			e.must(err)
			_, err = tx.Put(note.Path, d.Data, d.Version)
			return err
		})
		if got := e.get(note.Path); runs != 1 || string(got.Data) != `{"n":5}` || got.Version != 2 {
			e.Errorf("after %d runs it is %s in version %d", runs, got.Data, got.Version)
		}
	}},
	{name: "what is assumed wrongly is read when the function runs again", run: func(e *env) {
		stale := e.create("users/u1/notes/n1", map[string]int{"n": 1})
		gone := e.create("users/u1/notes/n2", map[string]int{"n": 1})
		e.put(stale.Path, map[string]int{"n": 2})
		e.delete(gone.Path)
		for name, fn := range map[string]func(tx store.Tx, seen *nestor.Document) error{
			"writes it": func(tx store.Tx, seen *nestor.Document) error {
				_, err := tx.Put(seen.Path, seen.Data, seen.Version)
				return err
			},
			"writes another": func(tx store.Tx, _ *nestor.Document) error {
				_, err := tx.Put("users/u1/notes/n3", map[string]int{}, 0)
				return err
			},
			"writes nothing":      func(store.Tx, *nestor.Document) error { return nil },
			"fails because of it": func(_ store.Tx, seen *nestor.Document) error { return failIf(seen.Version == stale.Version) },
		} {
			var seen []string
			e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
				tx.Assume(stale)
				d, err := tx.Get(stale.Path)
				e.must(err)
				seen = append(seen, string(d.Data))
				if _, err := tx.Put(nestor.Path("users/u1/notes/seen"+fmt.Sprint(d.Version)), map[string]int{}, store.AnyVersion); err != nil {
					return err
				}
				return fn(tx, d)
			}))
			if !slices.Equal(seen, []string{`{"n":1}`, `{"n":2}`}) {
				e.Errorf("a function that %s sees %v", name, seen)
			}
			if e.get("users/u1/notes/seen1") != nil || e.get("users/u1/notes/seen2") == nil {
				e.Errorf("what a function that %s wrote before it ran again is there", name)
			}
		}
		e.update(func(tx store.Tx) error {
			tx.Assume(gone)
			if _, err := tx.Get(gone.Path); !errors.Is(err, nestor.ErrNotFound) {
				_, err := tx.Put(gone.Path, map[string]int{"n": 3}, store.AnyVersion)
				return err
			}
			return nil
		})
		if d := e.get(gone.Path); d != nil {
			e.Errorf("a deleted document is back: %s", d.Data)
		}
	}},
	{name: "a failure that has nothing to do with what was assumed is reported", run: func(e *env) {
		note := e.create("users/u1/notes/n1", map[string]int{"n": 1})
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			tx.Assume(note)
			return failIf(true)
		})
		e.code(nestor.CodeForbidden, err)
	}},
}

func failIf(wrong bool) error {
	if wrong {
		return nestor.Errorf(nestor.CodeForbidden, "this must not be")
	}
	return nil
}
