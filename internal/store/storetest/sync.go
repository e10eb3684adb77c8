package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// since reads a page of a scope.
func (e *env) since(pattern string, after store.Position, limit int) store.Delta {
	e.Helper()
	scope, err := store.DefaultCatalogue.Scope(pattern)
	e.must(err)
	d, err := e.s.Since(e.ctx(), scope, after, limit)
	e.must(err)
	return d
}

// brief names the documents of a page, the deleted ones with a minus.
func brief(d store.Delta) string {
	var names []string
	for _, l := range d.Items {
		name := l.Path.ID()
		if l.Document == nil {
			name = "-" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// copied is a client's copy of a scope.
type copied struct {
	at   store.Position
	docs map[nestor.Path]*nestor.Document
}

// refresh reads on until there is no more.
func (c *copied) refresh(e *env, s store.Store, scope store.Scope, limit int) {
	e.Helper()
	if c.docs == nil {
		c.docs = map[nestor.Path]*nestor.Document{}
	}
	for more := true; more; {
		d, err := s.Since(e.ctx(), scope, c.at, limit)
		e.must(err)
		for _, l := range d.Items {
			if !scope.Documents().Match(string(l.Path)) {
				e.Fatalf("%s is not of %s", l.Path, scope)
			}
			if c.docs[l.Path] = l.Document; l.Document == nil {
				delete(c.docs, l.Path)
			}
		}
		c.at, more = d.Next, d.More
	}
}

var syncTests = []test{
	{name: "a scope lists its documents as they are, by their latest writes, deleted ones included", run: func(e *env) {
		notes := "users/u1/notes"
		for _, id := range []string{"a", "b", "c", "d"} {
			e.create(nestor.Path(notes+"/"+id), raw(`{"v":1}`))
		}
		e.put("users/u1/notes/b", raw(`{"v":2}`))
		e.delete("users/u1/notes/a")
		e.delete("users/u1/notes/d")
		e.create("users/u1/notes/d", raw(`{"v":3}`))
		d := e.since(notes, store.Position{}, 10)
		if got := brief(d); got != "c b -a d" || d.More {
			e.Errorf("the scope is %q, more %v", got, d.More)
		}
		for _, l := range d.Items {
			if l.Document == nil {
				if l.Version != 2 || l.At == 0 {
					e.Errorf("the tombstone is %+v", l)
				}
				continue
			}
			if got := e.get(l.Path); string(got.Data) != string(l.Document.Data) || got.Version != l.Version || got.Seq != l.Seq || got.UpdatedAt != l.At {
				e.Errorf("%s is %+v, stored is %+v", l.Path, l, got)
			}
		}
	}},
	{name: "every kind of scope holds what lies in it and nothing else", run: func(e *env) {
		for _, user := range []string{"u1", "u10"} {
			for _, id := range []string{"c1", "c10", "gone"} {
				chat := e.chat(user, id)
				e.create(chat.Child("messages", "m-"+id), nestor.Message{Role: "user", Content: "x"})
				e.create(chat.Child("tasks", "t-"+id), nestor.Task{Type: "agent", Name: "agent:general", Status: "pending"})
				for _, a := range []string{"a1", "a10"} {
					agent := chat.Child("sub-agents", a)
					e.create(agent, nestor.SubAgent{TaskID: a, Role: "general", Status: "active"})
					e.create(agent.Child("messages", "am-"+a), nestor.SubAgentMessage{Role: "user", Content: "x"})
					e.create(agent.Child("tool-calls", "k-"+a), nestor.ToolCall{ToolName: "calculator", Status: "pending"})
				}
				e.create(chat.Child("notes", "n-"+id), raw(`{}`))
			}
			e.delete(nestor.Path("users/" + user + "/orch-chats/gone"))
		}
		for pattern, want := range map[string]string{
			"users/u1/orch-chats":                                "c1 c10 -gone",
			"users/u1/orch-chats/c1/messages":                    "m-c1",
			"users/u1/orch-chats/c1/tasks":                       "t-c1",
			"users/u1/orch-chats/*/tasks":                        "t-c1 t-c10 -t-gone",
			"users/u1/orch-chats/gone/tasks":                     "-t-gone",
			"users/u1/orch-chats/c1/sub-agents":                  "a1 a10",
			"users/u1/orch-chats/c1/sub-agents/a1/messages":      "am-a1",
			"users/u1/orch-chats/c1/sub-agents/a1/tool-calls":    "k-a1",
			"users/u1/orch-chats/gone/sub-agents/a10/tool-calls": "-k-a10",
			"users/u1/orch-chats/c1/notes":                       "n-c1",
			"users/u1/orch-chats/gone/notes":                     "-n-gone",
			"users/u2/orch-chats":                                "",
		} {
			if got := brief(e.since(pattern, store.Position{}, 100)); got != want {
				e.Errorf("%s is %q, want %q", pattern, got, want)
			}
		}
	}},
	{name: "pages follow each other, and only a page that is not full is the last", run: func(e *env) {
		for i := range 5 {
			e.create(nestor.Path(fmt.Sprintf("users/u1/notes/n%d", i)), raw(`{}`))
		}
		e.delete("users/u1/notes/n1")
		e.lastSeq()
		var at store.Position
		var pages []string
		for {
			d := e.since("users/u1/notes", at, 2)
			if pages, at = append(pages, brief(d)), d.Next; !d.More {
				break
			}
		}
		if want := []string{"n0 n2", "n3 n4", "-n1"}; !slices.Equal(pages, want) {
			e.Errorf("the pages are %q, want %q", pages, want)
		}
		if at != store.At(e.lastSeq()) {
			e.Errorf("the position is %+v at the end, the log ends at %d", at, e.lastSeq())
		}
		if d := e.since("users/u1/notes", at, 2); brief(d) != "" || d.Next != at || d.More {
			e.Errorf("afterwards came %+v", d)
		}
		e.put("users/u1/notes/n3", raw(`{"v":2}`))
		e.create("users/u1/others/x", raw(`{}`))
		if d := e.since("users/u1/notes", at, 2); brief(d) != "n3" {
			e.Errorf("after a write came %q", brief(d))
		}
	}},
	{
		name: "a copy from before deletes that are forgotten begins anew",
		opts: store.Options{Retention: store.Retention{Tombstones: over}},
		run: func(e *env) {
			for _, id := range []string{"a", "b", "c"} {
				e.create(nestor.Path("users/u1/notes/"+id), raw(`{}`))
			}
			old := store.At(e.lastSeq())
			e.delete("users/u1/notes/a")
			recent := store.At(e.lastSeq())
			if n := e.sweepAll(e.s); n != 1 {
				e.Fatalf("%d rows were swept, want the tombstone", n)
			}
			scope, err := store.DefaultCatalogue.Scope("users/u1/notes")
			e.must(err)
			_, err = e.s.Since(e.ctx(), scope, old, 10)
			e.code(nestor.CodeTooOld, err)
			if d := e.since("users/u1/notes", recent, 10); brief(d) != "" {
				e.Errorf("a copy that had seen the delete got %q", brief(d))
			}
			// A new copy reads what is older than the delete, in pages.
			first := e.since("users/u1/notes", store.Position{}, 1)
			if second := e.since("users/u1/notes", first.Next, 1); brief(first) != "b" || brief(second) != "c" {
				e.Errorf("a new copy got %q, then %q", brief(first), brief(second))
			}
		},
	},
	{name: "a position that the log has not come to is of another database", run: func(e *env) {
		e.create("users/u1/notes/a", raw(`{}`))
		scope, err := store.DefaultCatalogue.Scope("users/u1/notes")
		e.must(err)
		_, err = e.s.Since(e.ctx(), scope, store.At(e.lastSeq()+1000), 10)
		e.code(nestor.CodeTooOld, err)
	}},
	{name: "a transaction knows what was deleted", run: func(e *env) {
		for _, id := range []string{"there", "gone", "back"} {
			e.create(nestor.Path("users/u1/notes/"+id), raw(`{}`))
		}
		e.delete("users/u1/notes/gone")
		e.delete("users/u1/notes/back")
		e.create("users/u1/notes/back", raw(`{}`))
		e.update(func(tx store.Tx) error {
			if err := tx.Delete("users/u1/notes/there", store.AnyVersion); err != nil {
				return err
			}
			for id, want := range map[string]bool{"there": true, "gone": true, "back": false, "never": false} {
				if got, err := tx.Deleted(nestor.Path("users/u1/notes/" + id)); got != want || err != nil {
					e.Errorf("%s was deleted: %v, %v", id, got, err)
				}
			}
			_, err := tx.Deleted("users/u1/notes")
			e.code(nestor.CodeInvalid, err)
			return nil
		})
	}},
	{name: "copies that many write to are complete in the end, whichever process answers", run: func(e *env) {
		const writers, each, documents = 8, 40, 25
		other := e.again()
		defer other.Close()
		chat := e.chat("u1", "c1")
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					rnd := rand.New(rand.NewPCG(uint64(w), uint64(i)))
					e.update(func(tx store.Tx) error {
						for range 1 + rnd.IntN(4) { // transactions of different lengths overtake each other
							p := chat.Child("messages", fmt.Sprintf("m%d", rnd.IntN(documents)))
							if _, err := tx.Put(p, nestor.Message{Role: "user", Content: fmt.Sprint(w, i)}, store.AnyVersion); err != nil {
								return err
							}
							if rnd.IntN(3) == 0 {
								if err := tx.Delete(p, store.AnyVersion); err != nil {
									return err
								}
							}
						}
						return nil
					})
				}
			})
		}
		writing := make(chan struct{})
		go func() { wg.Wait(); close(writing) }()
		scope, err := store.DefaultCatalogue.Scope(string(chat) + "/messages")
		e.must(err)
		var c copied
		for i, done := 0, false; ; i++ {
			// What was committed before a reading begins is in it.
			c.refresh(e, []store.Store{e.s, other}[i%2], scope, 1+i%7)
			if done {
				break
			}
			select {
			case <-writing:
				done = true
			default:
			}
		}
		page := e.query(store.Query{Collection: scope.String()})
		if len(page.Items) != len(c.docs) {
			e.Errorf("the copy has %d documents, there are %d", len(c.docs), len(page.Items))
		}
		for _, d := range page.Items {
			if got := c.docs[d.Path]; got == nil || got.Version != d.Version || string(got.Data) != string(d.Data) {
				e.Errorf("%s is %+v in the copy, stored is %+v", d.Path, got, d)
			}
		}
	}},
}
