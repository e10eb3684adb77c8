package storetest

import (
	"context"
	"fmt"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var concurrencyTests = []test{
	{name: "a counter that many raise loses no step", run: func(e *env) {
		p := nestor.Path("users/u1/counters/c")
		e.create(p, raw(`{"n":0}`))
		type counter struct {
			N int `json:"n"`
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 25 {
					err := e.s.Update(e.ctx(), func(tx store.Tx) error {
						d, err := tx.Get(p)
						if err != nil {
							return err
						}
						c, err := nestor.As[counter](d)
						if err != nil {
							return err
						}
						c.N++
						_, err = tx.Put(p, c, store.AnyVersion)
						return err
					})
					if err != nil {
						e.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		c, err := nestor.As[counter](e.get(p))
		e.must(err)
		if d := e.get(p); c.N != 200 || d.Version != 201 {
			e.Errorf("n is %d at version %d, want 200 and 201", c.N, d.Version)
		}
	}},
	{name: "one of many who create the same document wins", run: func(e *env) {
		results := make(chan error, 16)
		for i := range 16 {
			go func() {
				results <- e.s.Update(e.ctx(), func(tx store.Tx) error {
					_, err := tx.Create("users/u1/notes/same", raw(fmt.Sprintf(`{"by":%d}`, i)))
					return err
				})
			}()
		}
		won := 0
		for range 16 {
			if err := <-results; err == nil {
				won++
			} else {
				e.code(nestor.CodeExists, err)
			}
		}
		if d := e.get("users/u1/notes/same"); won != 1 || d.Version != 1 {
			e.Errorf("%d won, version %d", won, d.Version)
		}
	}},
	{name: "many who put the same new document all succeed", run: func(e *env) {
		var wg sync.WaitGroup
		for i := range 20 {
			for range 4 {
				wg.Go(func() {
					err := e.s.Update(e.ctx(), func(tx store.Tx) error {
						_, err := tx.Put(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), raw(`{}`), store.AnyVersion)
						return err
					})
					if err != nil {
						e.Error(err)
					}
				})
			}
		}
		wg.Wait()
		for i := range 20 {
			if d := e.get(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i))); d == nil || d.Version != 4 {
				e.Errorf("document %d is %+v, want version 4", i, d)
			}
		}
	}},
	{name: "transactions that write the same documents in opposite order all succeed", run: func(e *env) {
		a, b := nestor.Path("users/u1/notes/a"), nestor.Path("users/u1/notes/b")
		e.create(a, raw(`{}`))
		e.create(b, raw(`{}`))
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				first, second := a, b
				if i%2 == 0 {
					first, second = b, a
				}
				err := e.s.Update(e.ctx(), func(tx store.Tx) error {
					if _, err := tx.Patch(first, raw(`{"x":1}`), store.AnyVersion); err != nil {
						return err
					}
					_, err := tx.Patch(second, raw(`{"x":1}`), store.AnyVersion)
					return err
				})
				if err != nil {
					e.Error(err)
				}
			})
		}
		wg.Wait()
		if e.get(a).Version != 21 || e.get(b).Version != 21 {
			e.Errorf("versions %d and %d, want 21", e.get(a).Version, e.get(b).Version)
		}
	}},
	{name: "what one of many transactions does wrong hurts none of the others", run: func(e *env) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				err := e.s.Update(e.ctx(), func(tx store.Tx) error {
					p := nestor.Path(fmt.Sprintf("users/u1/orch-chats/c%d", i))
					if i%4 == 0 { // there is no such chat
						_, err := tx.Create(p.Child("messages", "m"), raw(`{"role":"user","type":"text","content":"hi"}`))
						return err
					}
					if _, err := tx.Create(p, raw(`{}`)); err != nil {
						return err
					}
					_, err := tx.Create(p.Child("messages", "m"), raw(`{"role":"user","type":"text","content":"hi"}`))
					return err
				})
				if i%4 == 0 {
					e.code(nestor.CodeNotFound, err)
				} else if err != nil {
					e.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range 40 {
			p := nestor.Path(fmt.Sprintf("users/u1/orch-chats/c%d/messages/m", i))
			if there := e.get(p) != nil; there != (i%4 != 0) {
				e.Errorf("message %d is there: %v", i, there)
			}
		}
		if n := len(e.changes(0)); n != 60 {
			e.Errorf("%d changes are in the log, want 60", n)
		}
	}},
	{name: "callers that go away take nobody along", run: func(e *env) {
		ctx, leave := context.WithCancel(e.ctx())
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				at, p := e.ctx(), nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i))
				if i%2 == 0 {
					at = ctx
				}
				err := e.s.Update(at, func(tx store.Tx) error {
					_, err := tx.Create(p, raw(`{}`))
					return err
				})
				if i == 21 {
					leave()
				}
				if i%2 == 1 && err != nil {
					e.Error(err)
				}
				if there := e.get(p) != nil; there != (err == nil) {
					e.Errorf("document %d is there: %v, and its writer was told %v", i, there, err)
				}
			})
		}
		wg.Wait()
		leave()
	}},
	{name: "of many who hold a document without writing it, each sees what those before it wrote", run: func(e *env) {
		for gate := range 25 {
			at := e.create(nestor.Path(fmt.Sprintf("users/u1/gates/g%d", gate)), raw(`{}`)).Path
			guests := fmt.Sprintf("users/u1/gates/g%d/guests", gate)
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					err := e.s.Update(e.ctx(), func(tx store.Tx) error {
						if _, err := tx.(interface {
							GetToWrite(p nestor.Path) (*nestor.Document, error)
						}).GetToWrite(at); err != nil {
							return err
						}
						page, err := tx.Query(store.Query{Collection: guests})
						if err != nil || len(page.Items) > 0 {
							return err
						}
						_, err = tx.Create(nestor.Path(fmt.Sprintf("%s/g%d", guests, i)), raw(`{}`))
						return err
					})
					if err != nil {
						e.Error(err)
					}
				})
			}
			wg.Wait()
			if n := len(e.query(store.Query{Collection: guests}).Items); n != 1 {
				e.Errorf("%d were let in, want 1", n)
			}
		}
	}},
	{name: "a reader that follows the log misses no commit of many writers", run: func(e *env) {
		const writers, each = 8, 30
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					e.update(func(tx store.Tx) error {
						for k := range 1 + (w+i)%3 { // transactions of different lengths overtake each other
							p := nestor.Path(fmt.Sprintf("users/u%d/notes/n%d-%d", w, i, k))
							if _, err := tx.Create(p, raw(`{}`)); err != nil {
								return err
							}
						}
						return nil
					})
				}
			})
		}
		writing := make(chan struct{})
		go func() { wg.Wait(); close(writing) }()
		seen := map[nestor.Path]bool{}
		var after int64
		for done := false; ; {
			cs, err := e.s.Changes(e.ctx(), after, 50, nil)
			e.must(err)
			for _, c := range cs {
				if c.Seq <= after || seen[c.Path] {
					e.Fatalf("seq %d of %s came after %d", c.Seq, c.Path, after)
				}
				after = c.Seq
				seen[c.Path] = true
			}
			if done && after == e.newest.Load() {
				break
			}
			select {
			case <-writing:
				done = true
			default:
			}
		}
		total := 0
		for w := range writers {
			for i := range each {
				total += 1 + (w+i)%3
			}
		}
		if len(seen) != total {
			e.Errorf("the reader saw %d of %d documents", len(seen), total)
		}
	}},
}
