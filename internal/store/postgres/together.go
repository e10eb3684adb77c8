package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
)

// together ends jobs that leave no effects, several in one transaction. A job
// that ends while others are being ended waits for the next round, so nothing
// waits longer than it would in a queue for connections, and one commit serves
// all of a round.
type together struct {
	mu      sync.Mutex
	waiting []*ending
	rounds  int // under way
}

type ending struct {
	job  *nestor.Job
	done chan error
}

const (
	maxRounds = 4
	maxRound  = 64
)

// end ends a job in the next round and returns when it is durable.
func (s *Store) end(ctx context.Context, job *nestor.Job) error {
	e := &ending{job: job, done: make(chan error, 1)}
	g := &s.together
	g.mu.Lock()
	g.waiting = append(g.waiting, e)
	lead := g.rounds < maxRounds
	if lead {
		g.rounds++
	}
	g.mu.Unlock()
	if lead {
		go s.endRounds(context.WithoutCancel(ctx))
	}
	return <-e.done
}

// endRounds ends whoever waits, round after round.
func (s *Store) endRounds(ctx context.Context) {
	g := &s.together
	for {
		g.mu.Lock()
		n := min(len(g.waiting), maxRound)
		round := slices.Clone(g.waiting[:n])
		g.waiting = slices.Delete(g.waiting, 0, n)
		if n == 0 {
			g.rounds--
		}
		g.mu.Unlock()
		if n == 0 {
			return
		}
		s.endRound(ctx, round)
	}
}

// endRound ends the jobs in one transaction. If that fails, perhaps because one
// of them is not ours any more, each is tried by itself.
func (s *Store) endRound(ctx context.Context, round []*ending) {
	if len(round) > 1 {
		// One order for all, since each statement locks its key.
		slices.SortFunc(round, func(a, b *ending) int { return strings.Compare(a.job.Key, b.job.Key) })
		err := s.transact(ctx, func(t *tx) error {
			for _, e := range round {
				t.finish(e.job, nil)
			}
			return nil
		})
		if err == nil {
			for _, e := range round {
				e.done <- nil
			}
			return
		}
	}
	for _, e := range round {
		e.done <- s.finish(ctx, e.job, nil, nil)
	}
}
