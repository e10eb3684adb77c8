package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// bounded are options of a store whose transactions do little.
func bounded(b store.TxBounds) store.Options { return store.Options{Rules: store.Rules{Bounds: b}} }

var boundTests = []test{
	{name: "a transaction without an end is ended and leaves nothing", opts: bounded(store.TxBounds{Time: time.Hour, Documents: 1000}), run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{}`))
		for name, step := range map[string]func(tx store.Tx, i int) error{
			"get":     func(tx store.Tx, _ int) error { _, err := tx.Get("users/u1/notes/a"); return err },
			"deleted": func(tx store.Tx, _ int) error { _, err := tx.Deleted("users/u1/notes/none"); return err },
			"query": func(tx store.Tx, _ int) error {
				_, err := tx.Query(store.Query{Collection: "users/u1/none"})
				return err
			},
			"below": func(tx store.Tx, _ int) error { _, err := tx.Below("users/u1/notes/a"); return err },
			"put": func(tx store.Tx, i int) error {
				_, err := tx.Put("users/u1/notes/a", map[string]any{"n": i}, 0)
				return err
			},
			"create": func(tx store.Tx, i int) error {
				_, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), map[string]any{})
				return err
			},
			"create and read": func(tx store.Tx, i int) error {
				if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), map[string]any{}); err != nil {
					return err
				}
				_, err := tx.Query(store.Query{Collection: "users/u1/none"})
				return err
			},
		} {
			before := len(e.changes(0))
			err := e.s.Update(e.ctx(), func(tx store.Tx) error {
				for i := 0; ; i++ {
					if err := step(tx, i); err != nil {
						return err
					}
				}
			})
			if nestor.CodeOf(err) != nestor.CodeTooLarge || !strings.Contains(err.Error(), "more than 1000 documents") {
				e.Errorf("%s: %v", name, err)
			}
			if n := len(e.changes(0)); n != before {
				e.Errorf("%s left %d changes", name, n-before)
			}
		}
		e.create("users/u1/notes/b", raw(`{}`))
	}},
	{name: "what is much goes in small transactions, and the rest with what it lies below", opts: bounded(store.TxBounds{Time: time.Hour, Documents: 2000}), run: func(e *env) {
		const many = 1200 // of each kind, in transactions of 2,000 documents
		e.create(inChat, raw(`{}`))
		agent := inChat.Child("sub-agents", "a")
		e.create(inChat.Child("tasks", "t"), raw(`{"type":"agent","name":"agent:general","instruction":"x","status":"running"}`))
		e.create(agent, raw(`{"taskId":"t","role":"general","status":"active","iterationCount":0}`))
		for _, collection := range []nestor.Path{agent, inChat} {
			for from := 0; from < many; from += 400 {
				e.must(e.s.Update(e.ctx(), func(tx store.Tx) error {
					for i := range 400 {
						if _, err := tx.Create(collection.Child("messages", fmt.Sprintf("m%d", from+i)), raw(`{"role":"assistant","content":"x"}`)); err != nil {
							return err
						}
					}
					return nil
				}))
			}
		}
		whole := func(tx store.Tx) error { return tx.Delete(inChat, store.AnyVersion) }
		if err := e.s.Update(e.ctx(), whole); nestor.CodeOf(err) != nestor.CodeTooLarge {
			e.Fatalf("the whole is deleted at once: %v", err)
		}
		largest := 0
		e.s.Observe(store.First, func(c store.Commit) { largest = max(largest, len(c.Changes)) })
		e.must(store.Thin(e.ctx(), e.s, string(agent)+"/messages", 500))
		for collection, least := range map[nestor.Path]int{agent: 1, inChat: many} {
			n := len(e.query(store.Query{Collection: string(collection) + "/messages", Limit: store.MaxLimit}).Items)
			if n < min(least, store.MaxLimit) || collection == agent && n > 500 {
				e.Errorf("%d messages are left of %s", n, collection)
			}
		}
		if largest > 500 {
			e.Errorf("%d documents go at once", largest)
		}
		e.must(e.s.Update(e.ctx(), whole))
	}},
	{name: "a transaction that takes no notice of its end is not committed", opts: bounded(store.TxBounds{Documents: 100}), run: func(e *env) {
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			for i := range 200 {
				tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), raw(`{}`))
			}
			return nil
		})
		if nestor.CodeOf(err) != nestor.CodeTooLarge || len(e.changes(0)) != 0 {
			e.Errorf("%v, and %d changes", err, len(e.changes(0)))
		}
	}},
	{name: "a transaction is bounded in bytes", opts: bounded(store.TxBounds{Bytes: 1 << 20}), run: func(e *env) {
		large := map[string]any{"text": strings.Repeat("x", 100<<10)}
		create := func(n int) error {
			return e.s.Update(e.ctx(), func(tx store.Tx) error {
				for i := range n {
					if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), large); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := create(11); nestor.CodeOf(err) != nestor.CodeTooLarge || !strings.Contains(err.Error(), "more than 1048576 bytes") {
			e.Errorf("written: %v", err)
		}
		e.must(create(9))
		err := e.s.Update(e.ctx(), func(tx store.Tx) error {
			for range 2 {
				if _, err := tx.Query(store.Query{Collection: "users/u1/notes"}); err != nil {
					return err
				}
			}
			return nil
		})
		if nestor.CodeOf(err) != nestor.CodeTooLarge {
			e.Errorf("read: %v", err)
		}
	}},
	{name: "a transaction that keeps others waiting is ended", opts: bounded(store.TxBounds{Time: 20 * time.Millisecond, Documents: 1 << 50}), run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{}`))
		for name, waits := range map[string]bool{"it asks for ever": false, "it does something else": true} {
			began, served := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(served)
				<-began
				for range 3 {
					err := e.s.Update(e.ctx(), func(tx store.Tx) error {
						_, err := tx.Create(nestor.Path("users/u1/notes/"+nestor.NewID()), raw(`{}`))
						return err
					})
					if err != nil {
						e.Error(err)
					}
				}
			}()
			first := true
			err := e.s.Update(e.ctx(), func(tx store.Tx) error {
				if _, err := tx.Put("users/u2/notes/a", raw(`{}`), 0); err != nil {
					return err
				}
				if _, err := tx.Query(store.Query{Collection: "users/u2/notes"}); err != nil { // from here on others wait
					return err
				}
				if first {
					first = false
					close(began)
				}
				if waits {
					<-served
				}
				for {
					if _, err := tx.Get("users/u1/notes/a"); err != nil {
						return err
					}
				}
			})
			<-served
			if nestor.CodeOf(err) != nestor.CodeTimeout || !strings.Contains(err.Error(), "kept others waiting for more than 20ms") {
				e.Errorf("%s: %v", name, err)
			}
			if e.get("users/u2/notes/a") != nil {
				e.Errorf("%s: it left something", name)
			}
		}
	}},
}
