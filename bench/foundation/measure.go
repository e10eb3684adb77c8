package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// engine is a kind of database: how to open an empty one, and its floor.
type engine struct {
	name  string
	open  func(store.Planner) (store.Store, error)
	floor func(callers, total int) (float64, error)
}

func engines(dir string) []engine {
	url := os.Getenv("NESTOR_TEST_POSTGRES")
	n := 0
	return []engine{
		{"sqlite", func(p store.Planner) (store.Store, error) {
			n++
			return sqlite.Open(context.Background(), filepath.Join(dir, fmt.Sprintf("nestor%d.db", n)), options(p))
		}, func(callers, total int) (float64, error) { return sqliteFloor(dir, callers, total) }},
		{"postgres", func(p store.Planner) (store.Store, error) {
			if err := emptySchema(url); err != nil {
				return nil, err
			}
			return postgres.Open(context.Background(), url+"&search_path=nestor_bench", options(p))
		}, func(callers, total int) (float64, error) { return postgresFloor(url, callers, total) }},
	}
}

func options(p store.Planner) store.Options { return store.Options{Rules: store.Rules{Planner: p}} }

// rig is a store with triggers and a worker on it.
type rig struct {
	store store.Store
	jobs  sync.WaitGroup
	mu    sync.Mutex
	hops  []time.Duration
	close func()
}

// newRig has one trigger that matches the documents written and others that
// listen to the same collection but do not match.
func newRig(e engine, others int) (*rig, error) {
	list := []nestor.Trigger{{
		ID: "matches", Collection: "users/*/notes", Events: []nestor.ChangeType{nestor.Create},
		Condition: "event.document.role == 'user'", Action: "POST /webhook/none",
	}}
	for i := range others {
		list = append(list, nestor.Trigger{
			ID: fmt.Sprintf("other-%d", i), Collection: "users/*/notes",
			Condition: fmt.Sprintf("event.document.role == 'role-%d'", i), Action: "POST /webhook/none",
		})
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	set, err := trigger.New(list, trigger.Options{Logger: log})
	if err != nil {
		return nil, err
	}
	r := &rig{}
	if r.store, err = e.open(set); err != nil {
		return nil, err
	}
	w := worker.New(r.store, worker.Options{
		Logger: log,
		Handlers: map[string]worker.Handler{"none": {Run: func(context.Context, *nestor.Job) (worker.Effect, error) {
			return nil, nil
		}}},
		Plan: func(string) (worker.Plan, bool) { return worker.Plan{Handler: "none"}, true },
		Hooks: worker.Hooks{
			Started: func(_ *nestor.Job, hop time.Duration) {
				r.mu.Lock()
				r.hops = append(r.hops, hop)
				r.mu.Unlock()
			},
			Ended: func(*nestor.Job, worker.Outcome, time.Duration) { r.jobs.Done() },
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	<-w.Joined()
	r.close = func() { stop(); <-done; r.store.Close() }
	return r, nil
}

// create writes one document; the trigger's job runs behind it.
func (r *rig) create(caller, i int) error {
	r.jobs.Add(1)
	return r.store.Update(context.Background(), func(tx store.Tx) error {
		_, err := tx.Create(nestor.Path(fmt.Sprintf("users/u1/notes/c%03d-%08d", caller, i)), json.RawMessage(body))
		return err
	})
}

// throughput is documents with change, job and completion per second.
func (r *rig) throughput(callers, total int) (float64, error) {
	began := time.Now()
	if _, err := race(callers, total, r.create); err != nil {
		return 0, err
	}
	r.jobs.Wait()
	return float64(total/callers*callers) / time.Since(began).Seconds(), nil
}

// measure prints everything about one engine.
func measure(e engine, callers, total, large int) error {
	// Floor and program take turns, so that both meet the same machine.
	var floors, rates, busy []float64
	for range 3 {
		floor, err := e.floor(callers, total)
		if err != nil {
			return err
		}
		floors = append(floors, floor)
		for _, others := range []int{0, 10000} {
			r, err := newRig(e, others)
			if err != nil {
				return err
			}
			rate, err := r.throughput(callers, total)
			if err != nil {
				return err
			}
			if others == 0 {
				rates = append(rates, rate)
			} else {
				busy = append(busy, rate)
			}
			r.close()
		}
	}
	rate, floor := median(rates), median(floors)
	fmt.Printf("  document + change + job + completion   %8.0f/s   floor %8.0f/s   ratio %.2f (goal 0.60)\n", rate, floor, rate/floor)
	fmt.Printf("  with 10,000 triggers that do not match %8.0f/s   cost %.0f%% (goal under 10%%)\n", median(busy), 100*(1-median(busy)/rate))
	if err := hops(e); err != nil {
		return err
	}
	if err := idle(e); err != nil {
		return err
	}
	return size(e, large)
}

// hops measures how long after a commit its handler starts, one at a time.
func hops(e engine) error {
	r, err := newRig(e, 0)
	if err != nil {
		return err
	}
	defer r.close()
	for i := range 1000 {
		if err := r.create(0, i); err != nil {
			return err
		}
		r.jobs.Wait()
	}
	slices.Sort(r.hops)
	fmt.Printf("  commit → handler start                 p50 %v   p99 %v (goal p50 under 0.1 ms on SQLite, 1 ms on PostgreSQL)\n",
		r.hops[len(r.hops)/2], r.hops[len(r.hops)*99/100])
	return nil
}

// idle measures the processor time of a process with nothing to do.
func idle(e engine) error {
	r, err := newRig(e, 0)
	if err != nil {
		return err
	}
	defer r.close()
	const span = 5 * time.Second
	before := processorTime()
	time.Sleep(span)
	fmt.Printf("  idle                                   %.2f%% of a core (goal under 1%%)\n",
		100*float64(processorTime()-before)/float64(span))
	return nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// size compares point reads and writes in a small and a large store.
func size(e engine, large int) error {
	var reads, writes []time.Duration
	for _, n := range []int{1000, large} {
		s, err := e.open(nil)
		if err != nil {
			return err
		}
		if err := fill(s, n); err != nil {
			return err
		}
		read, write, err := points(s, n)
		if err != nil {
			return err
		}
		reads, writes = append(reads, read), append(writes, write)
		s.Close()
	}
	fmt.Printf("  point read with 1,000 documents %v, with %d %v   ratio %.2f (goal under 1.5)\n",
		reads[0], large, reads[1], float64(reads[1])/float64(reads[0]))
	fmt.Printf("  point write with 1,000 documents %v, with %d %v   ratio %.2f (goal under 1.5)\n",
		writes[0], large, writes[1], float64(writes[1])/float64(writes[0]))
	return nil
}

func path(i int) nestor.Path { return nestor.Path(fmt.Sprintf("users/u%d/notes/n%d", i%1000, i)) }

func fill(s store.Store, n int) error {
	const batch = 1000
	for from := 0; from < n; from += batch {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			for i := from; i < min(from+batch, n); i++ {
				if _, err := tx.Create(path(i), json.RawMessage(body)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// points is the median time of reading, and of writing, a document anywhere.
func points(s store.Store, n int) (read, write time.Duration, err error) {
	const rounds = 3000
	var reads, writes []time.Duration
	for i := range rounds {
		p := path((i * 7919) % n)
		began := time.Now()
		err := s.View(context.Background(), func(r store.Reader) error { _, err := r.Get(p); return err })
		if err != nil {
			return 0, 0, err
		}
		reads = append(reads, time.Since(began))
		began = time.Now()
		err = s.Update(context.Background(), func(tx store.Tx) error {
			_, err := tx.Put(p, json.RawMessage(body), store.AnyVersion)
			return err
		})
		if err != nil {
			return 0, 0, err
		}
		writes = append(writes, time.Since(began))
	}
	return median(reads), median(writes), nil
}

func median[T float64 | time.Duration](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}
