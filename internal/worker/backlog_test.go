package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
)

func TestWorkIsRefusedWhileTooMuchWaits(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		backlog := worker.NewBacklog(worker.BacklogOptions{PerTenant: 3, All: 5, Pause: time.Second})
		s := open(t, store.Options{Rules: store.Rules{Planner: perDocument{}, Admit: backlog.Admit}})
		backlog.Watch(s)
		add := func(p nestor.Path) error {
			return s.Update(store.FromOutside(t.Context()), func(tx store.Tx) error {
				_, err := tx.Create(p, map[string]any{})
				return err
			})
		}
		want := func(err error, of string) {
			t.Helper()
			wait, _ := nestor.WaitOf(err)
			var e *nestor.Error
			if !errors.As(err, &e) || e.Code != nestor.CodeRateLimited || e.Details["of"] != of || wait <= 0 {
				t.Fatalf("got %v", err)
			}
		}
		for _, p := range []nestor.Path{"users/a/in/1", "users/a/in/2", "users/a/in/3", "users/b/in/1"} {
			if err := add(p); err != nil {
				t.Fatal(err)
			}
		}
		want(add("users/a/in/4"), "user")
		if err := s.View(t.Context(), func(r store.Reader) error { _, err := r.Get("users/a/in/4"); return err }); !errors.Is(err, nestor.ErrNotFound) {
			t.Errorf("what was refused is there: %v", err)
		}
		// A change of what is there, and what the runtime does itself.
		if err := s.Update(store.FromOutside(t.Context()), func(tx store.Tx) error {
			_, err := tx.Patch("users/a/in/1", map[string]any{"stop": true}, store.AnyVersion)
			return err
		}); err != nil {
			t.Error(err)
		}
		queue(t, s, "a", 1)
		if err := backlog.Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(add("users/b/in/2"), "server")
		if got := backlog.Refused(); got != (worker.Refused{Tenant: 1, All: 1}) {
			t.Errorf("refused %+v", got)
		}
		// Another process knows what waits, too, once it has counted.
		other := worker.NewBacklog(worker.BacklogOptions{PerTenant: 3})
		other.Watch(s)
		if err := other.Admit("users/a"); err != nil {
			t.Error(err)
		}
		if err := other.Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(other.Admit("users/a"), "user")

		if err := s.Join(t.Context(), store.Lease{Node: nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return false }}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Claim(t.Context(), 100)
		if err != nil || len(got.Jobs) == 0 {
			t.Fatalf("claimed %d, %v", len(got.Jobs), err)
		}
		if err := backlog.Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := add("users/a/in/4"); err != nil {
			t.Errorf("there is room again: %v", err)
		}
	})
}

// A job that is committed while the jobs are counted counts once, whether the count has
// seen it or not, and whether its node hears of the commit before the count ends or after.
func TestNoJobThatWaitsIsCountedTwice(t *testing.T) {
	for _, late := range []bool{false, true} {
		engines.Each(t, func(t *testing.T, open engines.Database) {
			const bound = 10
			backlog := worker.NewBacklog(worker.BacklogOptions{PerTenant: bound, All: bound})
			s := &countedBetween{Store: open(t, store.Options{Rules: store.Rules{Planner: perDocument{}}}), late: late}
			backlog.Watch(s)
			made := 0
			add := func() {
				made++
				if err := s.Update(t.Context(), func(tx store.Tx) error {
					_, err := tx.Create(nestor.Path(fmt.Sprintf("users/a/in/%d", made)), map[string]any{})
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			count := func() {
				t.Helper()
				if err := backlog.Count(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.tell()
			}
			count() // of nobody
			if err := backlog.Admit("users/a"); err != nil {
				t.Fatal(err)
			}
			add()
			s.before, s.after = add, add
			count()
			for made < bound {
				if err := backlog.Admit("users/a"); err != nil {
					t.Fatalf("refused though %d wait, late: %v: %v", made, late, err)
				}
				add()
				s.tell()
			}
			if err := backlog.Admit("users/a"); err == nil {
				t.Errorf("let in though %d wait, late: %v", made, late)
			}
		})
	}
}

// countedBetween is a store in which something happens before and after the jobs are
// counted. If it is late, nobody hears of it before the count has ended.
type countedBetween struct {
	store.Store
	before, after func()
	late          bool
	told          func(store.Commit)
	untold        []store.Commit
}

func (s *countedBetween) Observe(turn store.Turn, told func(store.Commit)) {
	s.told = told
	s.Store.Observe(turn, func(c store.Commit) {
		s.untold = append(s.untold, c)
		if !s.late {
			s.tell()
		}
	})
}

func (s *countedBetween) CountWaiting(ctx context.Context, tenant string, most int) (int, int64, error) {
	if s.before != nil {
		s.before()
	}
	jobs, seq, err := s.Store.CountWaiting(ctx, tenant, most)
	if s.after != nil {
		s.after()
	}
	return jobs, seq, err
}

func (s *countedBetween) tell() {
	for _, c := range s.untold {
		s.told(c)
	}
	s.untold = nil
}
