package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// memoryTests are about those who remember what they read.
var memoryTests = []test{
	{name: "the seqs of documents are told without reading them, and rise with every write", run: func(e *env) {
		teller, ok := e.s.(interface {
			Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error)
		})
		if !ok {
			e.Fatalf("%T tells no seqs", e.s)
		}
		chat := e.chat("u1", "c1")
		paths := []nestor.Path{chat.Child("messages", "m1"), chat, "users/u1/notes/n1"}
		before, seen := []int64{0, 0, 0}, int64(0)
		write := func(fn func()) {
			e.Helper()
			fn()
			got, err := teller.Seqs(e.ctx(), paths...)
			e.must(err)
			want := make([]int64, len(paths))
			for i, p := range paths {
				if d := e.get(p); d != nil {
					want[i] = d.Seq
				}
				if want[i] != before[i] && want[i] != 0 && want[i] <= seen {
					e.Errorf("the seq of %s is %d although %d was there before", p, want[i], seen)
				}
			}
			if !slices.Equal(got, want) {
				e.Errorf("they are %v, not %v", got, want)
			}
			seen, before = e.lastSeq(), want
		}
		write(func() {})
		write(func() { e.create(paths[0], nestor.Message{Role: "user", Content: "a"}) })
		write(func() { e.put(paths[0], nestor.Message{Role: "user", Content: "b"}) })
		write(func() { e.create(paths[2], nestor.Chat{}) })
		write(func() { e.create("users/u1/notes/n2", nestor.Chat{}) })
		write(func() { e.create(e.chat("u1", "c2").Child("messages", "m1"), nestor.Message{Role: "user"}) })
		write(func() { e.delete(paths[0]) })
		write(func() { e.create(paths[0], nestor.Message{Role: "user", Content: "b"}) })
		_, err := teller.Seqs(e.ctx(), chat, "users")
		e.code(nestor.CodeInvalid, err)
	}},
	{name: "one document is read by itself as it is committed", run: func(e *env) {
		if _, ok := e.s.(store.Loader); !ok {
			e.Fatalf("%T does not load", e.s)
		}
		p := e.chat("u1", "c1").Child("messages", "m1")
		load := func(p nestor.Path) *nestor.Message {
			e.Helper()
			m, err := store.Load[nestor.Message](e.ctx(), e.s, p)
			e.must(err)
			return m
		}
		if m := load(p); m != nil {
			e.Errorf("there is %v before it was written", m)
		}
		d := e.create(p, nestor.Message{Role: "user", Content: "a"})
		e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
			if _, err := tx.Put(p, nestor.Message{Role: "user", Content: "b"}, store.AnyVersion); err != nil {
				return err
			}
			if m := load(p); m == nil || m.Content != "a" || m.Seq != d.Seq {
				e.Errorf("it is %v while another is being written", m)
			}
			return nil
		}))
		if m := load(p); m == nil || m.Content != "b" {
			e.Errorf("it is %v after another was written", m)
		}
		e.delete(p)
		if m := load(p); m != nil {
			e.Errorf("it is %v after it was deleted", m)
		}
		_, err := store.Load[nestor.Message](e.ctx(), e.s, "users")
		e.code(nestor.CodeInvalid, err)
	}},
	{name: "documents that are expected are those that are there", run: func(e *env) {
		chat := e.chat("u1", "c1")
		message, missing := chat.Child("messages", "m1"), chat.Child("messages", "m2")
		e.create(message, nestor.Message{Role: "user", Content: "a"})
		look := func(r store.Reader) error {
			if err := store.Expect(r, message, missing, chat); err != nil {
				return err
			}
			if m, err := store.Find[nestor.Message](r, message); err != nil || m == nil || m.Content != "a" {
				e.Errorf("the message is %v, %v", m, err)
			}
			if m, err := store.Find[nestor.Message](r, missing); err != nil || m != nil {
				e.Errorf("the one that is missing is %v, %v", m, err)
			}
			return store.Expect(r, chat, "users")
		}
		e.code(nestor.CodeInvalid, e.s.View(e.ctx(), look))
		e.code(nestor.CodeInvalid, e.s.Update(e.ctx(), func(tx store.Tx) error { return look(tx) }))
		e.must(e.s.View(e.ctx(), func(r store.Reader) error {
			e.must(store.Expect(r, chat, missing))
			if _, err := r.Get(chat); err != nil {
				return err
			}
			e.put(message, nestor.Message{Role: "user", Content: "b"})
			e.must(store.Expect(r, message, missing))
			if m, err := store.Find[nestor.Message](r, message); err != nil || m.Content != "a" {
				e.Errorf("a snapshot sees %v, %v, which was written later", m, err)
			}
			return nil
		}))
	}},
	{name: "queries that are expected find what they would have found", run: func(e *env) {
		chat := e.chat("u1", "c1")
		for i := range 3 {
			e.create(chat.Child("messages", fmt.Sprint("m", i)), nestor.Message{Role: "user", Content: fmt.Sprint(i)})
		}
		since := func(at int64) store.Query {
			return store.Query{Collection: string(chat) + "/messages", Where: store.Where("createdAt", store.Ge, at)}
		}
		paged := store.Query{Collection: string(chat) + "/messages", Limit: 2}
		look := func(r store.Reader) error {
			e.must(store.ExpectQueries(r, []nestor.Path{chat}, since(1<<30), since(1<<50), paged))
			for at, want := range map[int64]int{1 << 30: 3, 1 << 50: 0, 1 << 31: 3} { // the last was not expected
				n := 0
				e.must(store.Each(r, since(at), func(nestor.Path, *nestor.Message) { n++ }))
				if n != want {
					e.Errorf("there are %d documents since %d, want %d", n, at, want)
				}
			}
			var found []string
			e.must(store.Each(r, paged, func(p nestor.Path, _ *nestor.Message) { found = append(found, p.ID()) }))
			if !slices.Equal(found, []string{"m0", "m1", "m2"}) {
				e.Errorf("in pages it finds %q", found)
			}
			_, err := r.Get(chat)
			return err
		}
		e.must(e.s.View(e.ctx(), look))
		e.must(e.s.Update(e.ctx(), func(tx store.Tx) error { return look(tx) }))
		e.code(nestor.CodeInvalid, e.s.View(e.ctx(), func(r store.Reader) error { return store.ExpectQueries(r, []nestor.Path{"users"}) }))
	}},
	{name: "what was expected and has changed since is not overwritten", run: func(e *env) {
		p, q := nestor.Path("users/u1/notes/n1"), nestor.Path("users/u1/notes/n2")
		e.create(p, map[string]any{"n": 0})
		const writers = 20
		var group sync.WaitGroup
		for range writers {
			group.Go(func() {
				e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
					if err := store.Expect(tx, p, q); err != nil {
						return err
					}
					was, err := store.Find[struct {
						N int `json:"n"`
					}](tx, p)
					if err != nil {
						return err
					}
					_, err = tx.Put(p, map[string]any{"n": was.N + 1}, store.AnyVersion)
					return err
				}))
			})
		}
		group.Wait()
		if got := string(e.get(p).Data); !strings.Contains(got, fmt.Sprintf(`"n":%d`, writers)) {
			e.Errorf("%d have added one, and it is %s", writers, got)
		}
	}},
	{name: "whoever asks for seqs at once gets those that were asked for", run: func(e *env) {
		teller := e.s.(interface {
			Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error)
		})
		const askers = 30
		want := make([][]int64, askers)
		paths := make([][]nestor.Path, askers)
		for i := range askers {
			note, chat := nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), e.chat("u1", fmt.Sprintf("c%d", i))
			paths[i] = []nestor.Path{chat, note, note + "-absent", chat.Child("messages", "m")}
			want[i] = []int64{e.get(chat).Seq, e.create(note, nestor.Chat{}).Seq, 0, 0}
		}
		gone, cancel := context.WithCancel(e.ctx())
		cancel()
		var all sync.WaitGroup
		for i := range askers {
			all.Go(func() {
				got, err := teller.Seqs(e.ctx(), paths[i]...)
				if err != nil || !slices.Equal(got, want[i]) {
					e.Errorf("the seqs of %v are %v, %v, want %v", paths[i], got, err, want[i])
				}
			})
			all.Go(func() {
				if _, err := teller.Seqs(gone, paths[i]...); err == nil {
					return // it was quicker
				} else if !errors.Is(err, context.Canceled) {
					e.Errorf("who is gone is told %v", err)
				}
			})
		}
		all.Wait()
	}},
	{name: "what is assumed is not read, and counts if it is right", run: func(e *env) {
		note := e.create("users/u1/notes/n1", map[string]int{"n": 1})
		pretended := *note
		pretended.Data = []byte(`{"n":5}`)
		runs := 0
		e.update(func(tx store.Tx) error {
			runs++
			assume(tx, &pretended)
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
				assume(tx, stale)
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
			assume(tx, gone)
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
			assume(tx, note)
			return failIf(true)
		})
		e.code(nestor.CodeForbidden, err)
	}},
}

// assume tells a transaction what to take for granted.
func assume(tx store.Tx, d *nestor.Document) {
	tx.(interface{ Assume(d *nestor.Document) }).Assume(d)
}

func failIf(wrong bool) error {
	if wrong {
		return nestor.Errorf(nestor.CodeForbidden, "this must not be")
	}
	return nil
}
