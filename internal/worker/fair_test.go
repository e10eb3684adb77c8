package worker_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
)

// perDocument queues a job for every document in a collection named "in", each
// with a key of its own.
type perDocument struct{}

func (perDocument) Plan(e *store.Event) []nestor.Job {
	if e.Path.Parent().Parent() != "" {
		return nil
	}
	c := e.Change
	c.Before, c.After = nil, nil
	return []nestor.Job{{ID: nestor.JobID("t", &c), Trigger: "h", Key: string(c.Path), Change: c}}
}

// queue makes jobs of a user, some hundred in a transaction.
func queue(t testing.TB, s store.Store, user string, jobs int) {
	t.Helper()
	for from := 0; from < jobs; from += 500 {
		err := s.Update(t.Context(), func(tx store.Tx) error {
			for i := from; i < min(from+500, jobs); i++ {
				if _, err := tx.Create(nestor.Path(fmt.Sprintf("users/%s/in/%s-%06d", user, nestor.NewID(), i)), map[string]any{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// starts counts the jobs that began, and notes when those of each user did.
type starts struct {
	mu    sync.Mutex
	count int
	at    map[string][]int
	began chan string
}

func newStarts() *starts { return &starts{at: map[string][]int{}, began: make(chan string, 100_000)} }

func (s *starts) hook(j *nestor.Job, _ time.Duration) {
	s.mu.Lock()
	s.count++
	user := j.Change.Path.UserID()
	s.at[user] = append(s.at[user], s.count)
	s.mu.Unlock()
	s.began <- user
}

func (s *starts) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// first waits for a job of a user and tells how many began up to it.
func (s *starts) first(user string) int {
	for <-s.began != user {
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[user][0]
}

// busy is a handler whose every job causes another one of the same user, as the
// steps of agents do, as long as it is told to.
func busy(more *atomic.Bool) map[string]worker.Handler {
	return run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
		user := j.Change.Path.UserID()
		if user != "a" || !more.Load() {
			return nil, nil
		}
		id := j.DeriveID("next")
		return func(tx store.Tx) error {
			_, err := tx.Create(nestor.Path("users/a/in/"+id), map[string]any{})
			return err
		}, nil
	})
}

func TestAUserWithManyJobsDoesNotHoldUpAnother(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const concurrency = 8
		s := open(t, store.Options{Rules: store.Rules{Planner: perDocument{}}})
		queue(t, s, "a", 10_000)
		var more atomic.Bool
		more.Store(true)
		began := newStarts()
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 100_000), done: make(chan error, 1)}
		b.run(worker.Options{Concurrency: concurrency, Handlers: busy(&more), Hooks: worker.Hooks{Started: began.hook}})
		for began.now() < 10*concurrency {
			<-began.began
		}
		for range 5 {
			user := nestor.NewID()
			queue(t, s, user, 1)
			before := began.now()
			// What was being claimed when it came, and a turn of each.
			if after := began.first(user); after > before+3*concurrency {
				t.Errorf("%d jobs of another user began first", after-before)
			}
		}
		more.Store(false)
		b.halt()
	})
}

func TestUsersAreServedByTheirWeights(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, store.Options{Rules: store.Rules{Planner: perDocument{}}})
		queue(t, s, "a", 400)
		queue(t, s, "b", 400)
		began := newStarts()
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 1000), done: make(chan error, 1)}
		b.run(worker.Options{
			Concurrency: 4, Weights: map[string]int{"users/b": 3}, Hooks: worker.Hooks{Started: began.hook},
			Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) { return nil, nil }),
		})
		for range 400 {
			<-began.began
		}
		began.mu.Lock()
		defer began.mu.Unlock()
		of := map[string]int{}
		for user, at := range began.at {
			for _, n := range at {
				if n <= 400 {
					of[user]++
				}
			}
		}
		// 100 and 300, but for the turn under way.
		if of["a"] < 96 || of["a"] > 104 {
			t.Errorf("of the first 400 jobs a had %d and b %d", of["a"], of["b"])
		}
	})
}

func TestTheBoundOfAUserHoldsAndLeavesRoomForOthers(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const bound, jobs = 3, 40
		s := open(t, store.Options{Rules: store.Rules{Planner: perDocument{}}})
		queue(t, s, "a", jobs/2) // some wait, others come while the worker runs
		var mu sync.Mutex
		running, most := map[string]int{}, map[string]int{}
		entered, release := make(chan string, 2*jobs), make(chan struct{})
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 2*jobs), done: make(chan error, 1)}
		b.run(worker.Options{Concurrency: 100, Limits: store.Limits{Tenant: bound}, Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			user := j.Change.Path.UserID()
			mu.Lock()
			running[user]++
			most[user] = max(most[user], running[user])
			mu.Unlock()
			entered <- user
			<-release
			mu.Lock()
			running[user]--
			mu.Unlock()
			return nil, nil
		})})
		for range bound {
			<-entered
		}
		var writers sync.WaitGroup
		for range jobs / 2 { // commits that happen at once
			writers.Go(func() { queue(t, s, "a", 1) })
		}
		writers.Wait()
		queue(t, s, "b", 1)
		if user := <-entered; user != "b" {
			t.Errorf("a job of %s began", user)
		}
		close(release)
		for range jobs + 1 {
			b.want(worker.Done)
		}
		if most["a"] != bound {
			t.Errorf("%d jobs of one user ran at once, want %d", most["a"], bound)
		}
	})
}

func TestTwoNodesShareTheBoundOfAUser(t *testing.T) {
	const bound, jobs = 3, 60
	open := engines.Postgres(t)
	opts := store.Options{Rules: store.Rules{Planner: perDocument{}}}
	first := open(t, opts)
	queue(t, first, "a", jobs)
	var mu sync.Mutex
	running, most := 0, 0
	entered, release, ended := make(chan struct{}, jobs), make(chan struct{}), make(chan worker.Outcome, jobs)
	for _, s := range []store.Store{first, open(t, opts)} {
		b := &bench{TB: t, store: s, ended: ended, done: make(chan error, 1)}
		b.run(worker.Options{Concurrency: 100, Limits: store.Limits{Tenant: bound}, Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			entered <- struct{}{}
			<-release
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		})})
	}
	for range bound {
		<-entered
	}
	close(release)
	for range jobs {
		if outcome := <-ended; outcome != worker.Done {
			t.Errorf("a job is %s", outcome)
		}
	}
	if most != bound {
		t.Errorf("%d jobs ran at once on two nodes, want %d", most, bound)
	}
}

func TestTwoNodesShareTheTurns(t *testing.T) {
	const concurrency = 4
	open := engines.Postgres(t)
	opts := store.Options{Rules: store.Rules{Planner: perDocument{}}}
	first := open(t, opts)
	queue(t, first, "a", 2_000)
	var more atomic.Bool
	more.Store(true)
	began := newStarts()
	nodes := []*bench{}
	for _, s := range []store.Store{first, open(t, opts)} {
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 100_000), done: make(chan error, 1)}
		b.run(worker.Options{Concurrency: concurrency, Handlers: busy(&more), Hooks: worker.Hooks{Started: began.hook}})
		nodes = append(nodes, b)
	}
	for began.now() < 10*concurrency {
		<-began.began
	}
	for i := range 6 {
		user := nestor.NewID()
		queue(t, nodes[i%2].store, user, 1)
		before := began.now()
		if after := began.first(user); after > before+6*concurrency {
			t.Errorf("%d jobs of another user began first", after-before)
		}
	}
	more.Store(false)
	for _, b := range nodes {
		b.halt()
	}
}

// gated is a store in which claims say that they are there and wait for leave.
type gated struct {
	store.Store
	there, leave chan struct{}
}

func (g *gated) Claim(ctx context.Context, limit int) (store.Claimed, error) {
	g.there <- struct{}{}
	select {
	case <-g.leave:
	case <-ctx.Done():
	}
	return g.Store.Claim(ctx, limit)
}

func newGated(t *testing.T, open engines.Database) *gated {
	t.Helper()
	return &gated{open(t, store.Options{Rules: store.Rules{Planner: perDocument{}}}), make(chan struct{}, 100), make(chan struct{}, 100)}
}

// What a claim may return has its room while the claim is under way: a commit does not take it.
func TestAClaimAndCommitsTogetherTakeNoMoreThanThereIsRoomFor(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := newGated(t, open)
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 10), done: make(chan error, 1)}
		b.run(worker.Options{Concurrency: 1, Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) { return nil, nil })})
		<-s.there
		queue(t, s, "a", 1)
		queue(t, s, "b", 1)
		jobs, err := s.Jobs(t.Context(), store.JobFilter{State: nestor.JobReady})
		if err != nil || len(jobs) != 2 {
			t.Errorf("%d of 2 jobs wait for the claim, %v", len(jobs), err)
		}
		close(s.leave)
		b.want(worker.Done, worker.Done)
	})
}

func TestRoomThatBecomesFreeIsForThoseWhoWait(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := newGated(t, open)
		queue(t, s, "z", 1)
		s.leave <- struct{}{} // to claim it
		began, release := newStarts(), make(chan struct{}, 3)
		b := &bench{TB: t, store: s, ended: make(chan worker.Outcome, 10), done: make(chan error, 1)}
		b.run(worker.Options{
			Concurrency: 1, Poll: time.Hour, Hooks: worker.Hooks{Started: began.hook},
			Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) { <-release; return nil, nil }),
		})
		began.first("z")
		queue(t, s, "b", 1) // there is no room
		release <- struct{}{}
		b.want(worker.Done)
		queue(t, s, "z", 1) // there is, and somebody waits for it
		close(release)
		close(s.leave)
		b.want(worker.Done, worker.Done)
		if at := began.at["b"]; len(at) != 1 || at[0] != 2 {
			t.Errorf("who waited began as %v, those of the other user as %v", at, began.at["z"])
		}
	})
}
