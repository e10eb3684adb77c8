package main

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
)

// watched is what was seen of the limit of users.
type watched struct {
	looks, atLimit int
	exceeded       []string
}

// watchLimit looks again and again how many jobs of each person run, on all nodes together.
// A look is one statement, so it sees one moment. A node that does not answer is no
// reason to worry here.
func (s *soak) watchLimit(ctx context.Context) {
	owner := &api{nodes: s.nodes, token: ownerToken}
	for ctx.Err() == nil {
		jobs, err := list[nestor.Job](ctx, owner, "/jobs")
		if err == nil {
			s.watched.looks++
			running := map[string]int{}
			for _, j := range jobs {
				if j.State == nestor.JobRunning {
					running[j.Change.Path.Tenant()]++
				}
			}
			for who, n := range running {
				switch {
				case n == s.Limit:
					s.watched.atLimit++
				case n > s.Limit:
					s.watched.exceeded = append(s.watched.exceeded, time.Now().UTC().Format(time.RFC3339Nano)+" "+who)
				}
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// checkLimit reports what was seen.
func (s *soak) checkLimit(r *report) {
	for _, e := range s.watched.exceeded {
		r.violated("limits", "more than %d jobs of a user ran at once: %s", s.Limit, e)
	}
}
