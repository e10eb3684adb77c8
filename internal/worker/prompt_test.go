package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/worker"
)

func always(*nestor.Job) bool { return true }

// counting starts a bench that has a node by now, since its first job was done. It
// notes with which commit each document was written.
func counting(t *testing.T, open engines.Database, handlers map[string]worker.Handler) (b *bench, with *sync.Map) {
	t.Helper()
	var commits atomic.Int64
	with = &sync.Map{}
	b = &bench{TB: t, ended: make(chan worker.Outcome, 10000), done: make(chan error, 1)}
	b.store = open(t, store.Options{Rules: store.Rules{Planner: planner{}}, Committed: func() { commits.Add(1) }})
	b.store.Observe(store.First, func(c store.Commit) {
		for i := range c.Changes {
			with.Store(c.Changes[i].Path, commits.Load())
		}
	})
	handlers["first"] = worker.Handler{Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return out(j), nil }}
	b.run(worker.Options{Poll: time.Hour, Handlers: handlers})
	b.in("first", "first", "first")
	b.want(worker.Done)
	return b, with
}

func TestAJobThatOnlyWritesIsDoneWithWhatCausedIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b, with := counting(t, open, map[string]worker.Handler{
			// passes on to h, which passes on to slow
			"passes": {Prompt: always, Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
				return func(tx store.Tx) error {
					_, err := tx.Create("box/b/in/passed", map[string]any{"key": j.Key, "trigger": "h"})
					return err
				}, nil
			}},
			"h": {Prompt: always, Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
				return func(tx store.Tx) error {
					_, err := tx.Create("box/b/in/last", map[string]any{"key": "other", "trigger": "slow"})
					return errors.Join(err, out(j)(tx))
				}, nil
			}},
			"slow": {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return out(j), nil }},
		})
		b.in("a", "k", "passes")
		b.want(worker.Done, worker.Done, worker.Done)
		if b.get("box/b/out/passed") == nil || b.get("box/b/out/last") == nil {
			t.Error("an effect is missing")
		}
		if jobs, err := b.store.Jobs(t.Context(), store.JobFilter{}); err != nil || len(jobs) != 0 {
			t.Errorf("left over: %v %v", jobs, err)
		}
		if _, ok := b.store.(*sqlite.Store); !ok {
			return // PostgreSQL has the worker do all of them
		}
		first, _ := with.Load(nestor.Path("box/b/in/a"))
		passed, _ := with.Load(nestor.Path("box/b/out/passed"))
		last, _ := with.Load(nestor.Path("box/b/out/last"))
		if first != passed || passed == last {
			t.Errorf("the document came with commit %v, what its jobs wrote with %v, want the same, and what the worker wrote with %v, want another", first, passed, last)
		}
	})
}

// Whatever goes wrong with a job that is done with its cause is nothing to the cause,
// nor to others who are committed with it. The worker tries the job, as any other.
func TestAJobThatFailsWithItsCauseIsLeftToTheWorker(t *testing.T) {
	for name, fail := range map[string]worker.Effect{
		"before it wrote": func(store.Tx) error { return errors.New("not yet") },
		"when it writes": func(tx store.Tx) error {
			_, err := tx.Create("box/b/in/first", map[string]any{}) // there is one
			return err
		},
		"after it wrote": func(tx store.Tx) error {
			if _, err := tx.Create("box/b/half/"+nestor.Path(nestor.NewID()), map[string]any{}); err != nil {
				return err
			}
			_, err := tx.Query(store.Query{Collection: "box/b/half", Limit: 1}) // writes, to find it
			return errors.Join(err, errors.New("not yet"))
		},
		"with a panic": func(store.Tx) error { panic("a defect") },
	} {
		t.Run(name, func(t *testing.T) {
			const jobs = 30
			var failed atomic.Int64
			b, _ := counting(t, engines.SQLite(t), map[string]worker.Handler{
				"h": {Prompt: always, Run: func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
					if _, byWorker := ctx.Deadline(); byWorker {
						return out(j), nil
					}
					failed.Add(1)
					return fail, nil
				}},
			})
			var all sync.WaitGroup
			for i := range jobs {
				all.Go(func() { b.in(fmt.Sprint(i), fmt.Sprint("k", i%3), "h") })
			}
			all.Wait()
			for range jobs {
				b.want(worker.Done)
			}
			if failed.Load() == 0 {
				t.Error("no job was tried with its cause")
			}
			for i := range jobs {
				if d := b.get(nestor.Path(fmt.Sprintf("box/b/out/%d", i))); d == nil || d.Version != 1 {
					t.Errorf("what job %d wrote is %v", i, d)
				}
			}
			err := b.store.View(t.Context(), func(r store.Reader) error {
				page, err := r.Query(store.Query{Collection: "box/b/half", Limit: 1})
				if err == nil && len(page.Items) > 0 {
					t.Error("what a failed attempt wrote is there")
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
