package crashtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

const (
	keys    = 50
	perKey  = 20 // jobs
	batches = 10 // in which they are queued
)

func keyPath(k int) nestor.Path { return nestor.Path(fmt.Sprintf("keys/k%02d", k)) }

// appendTriggers queue a job for every number put into a key's box.
var appendTriggers = []nestor.Trigger{{
	ID: "on-number", Collection: "keys/*/in", Events: []nestor.ChangeType{nestor.Create},
	Action: "POST /webhook/append", Key: "{parent}",
}}

type number struct {
	N int `json:"n"`
}

type numbers struct {
	List []int `json:"list"`
}

// runAppend is a worker whose jobs append their number to the list of their
// key, until standard input ends. It says "start" and "end" around the part of
// a job that is outside the transaction, and "empty" when no job is left.
func runAppend(ctx context.Context, c *child) error {
	s, set, err := c.life().openWith(ctx, appendTriggers)
	if err != nil {
		return err
	}
	defer s.Close()
	w := worker.New(s, worker.Options{
		LeaseTTL: neverExpires,
		Grace:    atOnce,
		Poll:     20 * time.Millisecond,
		// Not enough for all keys, so that both have work.
		Concurrency: keys * 3 / 5,
		Plan:        module.Plan(set),
		Handlers: map[string]worker.Handler{"append": {Run: func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
			c.say("start", j.Key, j.ID)
			defer c.say("end", j.Key, j.ID)
			return appendNumber(ctx, s, j)
		}}},
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			left, err := s.Jobs(context.WithoutCancel(ctx), store.JobFilter{Limit: 1})
			if err != nil {
				c.say("failed", err)
			} else if len(left) == 0 {
				c.say("empty")
			}
		}},
	})
	return w.Run(ctx)
}

func appendNumber(ctx context.Context, s store.Store, j *nestor.Job) (worker.Effect, error) {
	var in number
	err := s.View(ctx, func(r store.Reader) error { return read(r, j.Change.Path, &in) })
	if err != nil {
		return nil, err
	}
	key := j.Change.Path.Parent()
	return func(tx store.Tx) error {
		var all numbers
		if err := read(tx, key, &all); err != nil && !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		all.List = append(all.List, in.N)
		if _, err := tx.Put(key, all, store.AnyVersion); err != nil {
			return err
		}
		_, err := tx.Create(key.Child("out", j.DeriveID("out")), in)
		return err
	}, nil
}

// putNumbers queues a batch of jobs, of all keys at once.
func putNumbers(t *testing.T, s store.Store, batch int) {
	t.Helper()
	var g errgroup.Group
	g.SetLimit(8)
	for k := range keys {
		g.Go(func() error {
			return s.Update(t.Context(), func(tx store.Tx) error {
				for i := range perKey / batches {
					n := batch*perKey/batches + i + 1
					if _, err := tx.Create(keyPath(k).Child("in", strconv.Itoa(n)), number{n}); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// checkNumbers checks that every job took effect once and in order.
func checkNumbers(t *testing.T, s store.Store) {
	t.Helper()
	want := make([]int, perKey)
	for i := range want {
		want[i] = i + 1
	}
	err := s.View(t.Context(), func(r store.Reader) error {
		for k := range keys {
			var all numbers
			if err := read(r, keyPath(k), &all); err != nil {
				return err
			}
			if !slices.Equal(all.List, want) {
				t.Errorf("%s has %v", keyPath(k), all.List)
			}
			page, err := r.Query(store.Query{Collection: string(keyPath(k)) + "/out", OrderBy: []store.Order{{Field: "n"}}})
			if err != nil {
				return err
			}
			var made []int
			for _, d := range page.Items {
				n, err := nestor.As[number](d)
				if err != nil {
					return err
				}
				made = append(made, n.N)
			}
			if !slices.Equal(made, want) {
				t.Errorf("%s/out has %v", keyPath(k), made)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if counts, err := s.CountJobs(t.Context()); err != nil || len(counts) != 0 {
		t.Errorf("left over: %v, %v", counts, err)
	}
}
