// Package storetest is the contract every storage engine must pass, as one
// suite of sub-tests: [Run].
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// Run runs the suite. Every sub-test has an empty database of its own.
func Run(t *testing.T, database func(testing.TB) engines.Database) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"documents", documentTests},
		{"borrowing", borrowTests},
		{"constraints", constraintTests},
		{"queries", queryTests},
		{"scans", scanTests},
		{"memory", memoryTests},
		{"log", logTests},
		{"sync", syncTests},
		{"queue", queueTests},
		{"runs", runTests},
		{"turns", turnTests},
		{"limits", limitTests},
		{"retention", retentionTests},
		{"bounds", boundTests},
		{"concurrency", concurrencyTests},
		{"model", modelTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, tt := range group.tests {
				t.Run(tt.name, func(t *testing.T) {
					t.Parallel()
					e := &env{T: t, open: database(t), planner: &planner{}}
					e.opts = tt.opts
					e.opts.Planner = e.planner
					e.s = e.again()
					e.s.Observe(store.First, e.written)
					tt.run(e)
				})
			}
		})
	}
}

type test struct {
	name string
	opts store.Options
	run  func(*env)
}

// env is one test's database with short ways to use it.
type env struct {
	*testing.T
	open    engines.Database
	opts    store.Options
	planner *planner
	s       store.Store
	newest  atomic.Int64 // the largest seq written
}

func (e *env) written(c store.Commit) {
	for _, ch := range c.Changes {
		for old := e.newest.Load(); ch.Seq > old && !e.newest.CompareAndSwap(old, ch.Seq); old = e.newest.Load() {
		}
	}
}

// again opens the database once more, as another process would.
func (e *env) again() store.Store {
	e.Helper()
	return e.open(e.T, e.opts)
}

// lastSeq waits until the log is complete up to the last write, which other
// transactions of the same server can delay, and returns the position.
func (e *env) lastSeq() int64 {
	e.Helper()
	for {
		seq, err := e.s.LastSeq(e.ctx())
		e.must(err)
		if seq >= e.newest.Load() {
			return seq
		}
	}
}

// planner queues a job for every change of the paths it was told of.
type planner struct {
	jobs func(e *store.Event) []nestor.Job
}

func (p *planner) Plan(e *store.Event) []nestor.Job {
	if p.jobs == nil {
		return nil
	}
	return p.jobs(e)
}

func (e *env) ctx() context.Context { return e.T.Context() }

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// code fails the test unless err has the code.
func (e *env) code(want nestor.Code, err error) {
	e.Helper()
	if got := nestor.CodeOf(err); got != want {
		e.Fatalf("the error is %v (code %q), want code %q", err, got, want)
	}
}

func (e *env) update(fn func(store.Tx) error) {
	e.Helper()
	e.must(e.s.Update(e.ctx(), fn))
}

func (e *env) create(p nestor.Path, body any) *nestor.Document {
	e.Helper()
	var d *nestor.Document
	e.update(func(tx store.Tx) (err error) {
		d, err = tx.Create(p, body)
		return err
	})
	return d
}

func (e *env) put(p nestor.Path, body any) *nestor.Document {
	e.Helper()
	var d *nestor.Document
	e.update(func(tx store.Tx) (err error) {
		d, err = tx.Put(p, body, store.AnyVersion)
		return err
	})
	return d
}

func (e *env) delete(p nestor.Path) {
	e.Helper()
	e.update(func(tx store.Tx) error { return tx.Delete(p, store.AnyVersion) })
}

// get returns the document, nil when there is none.
func (e *env) get(p nestor.Path) *nestor.Document {
	e.Helper()
	var d *nestor.Document
	err := e.s.View(e.ctx(), func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	if errors.Is(err, nestor.ErrNotFound) {
		return nil
	}
	e.must(err)
	return d
}

func (e *env) query(q store.Query) store.Page {
	e.Helper()
	var page store.Page
	e.must(e.s.View(e.ctx(), func(r store.Reader) (err error) {
		page, err = r.Query(q)
		return err
	}))
	return page
}

func (e *env) count(q store.Query) (n int) {
	e.Helper()
	e.must(e.s.View(e.ctx(), func(r store.Reader) (err error) {
		n, err = store.Count(r, q)
		return err
	}))
	return n
}

func (e *env) changes(after int64) []nestor.Change {
	e.Helper()
	e.lastSeq()
	cs, err := e.s.Changes(e.ctx(), after, 1000, nil)
	e.must(err)
	return cs
}

// raw is JSON text as a body.
func raw(text string) json.RawMessage { return json.RawMessage(text) }

func ids(page store.Page) []string {
	out := []string{}
	for _, d := range page.Items {
		out = append(out, d.Path.ID())
	}
	return out
}

// chat makes a chat to put things below.
func (e *env) chat(user, id string) nestor.Path {
	e.Helper()
	p := nestor.Path("users/" + user + "/orch-chats/" + id)
	e.create(p, nestor.Chat{Title: "A chat"})
	return p
}

// join makes s a node and returns its name, which is unique: the server keeps
// one list of locks for all tests.
func (e *env) join(s store.Store, name string) string {
	e.Helper()
	name += "-" + nestor.NewID()
	e.must(s.Join(e.ctx(), store.Lease{Node: name, TTL: time.Hour, Accept: func(string) bool { return true }}))
	return name
}
