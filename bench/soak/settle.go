package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
)

// settle waits until no job is left but dead letters, and all tasks have ended.
// Whatever a job causes is queued in the transaction that ends it, so while agents
// work there is always one; those that wait for a person are in the stream.
func (s *soak) settle(ctx context.Context) error {
	owner := &api{nodes: s.nodes, token: ownerToken}
	for {
		jobs, err := list[nestor.Job](ctx, owner, "/jobs")
		if err != nil {
			return err
		}
		jobs = slices.DeleteFunc(jobs, func(j nestor.Job) bool { return j.State == nestor.JobDead })
		open := s.openTasks()
		if len(jobs) == 0 && len(open) == 0 {
			s.journal.note("all work is done")
			return nil
		}
		select {
		case <-ctx.Done():
			var left []string
			for _, j := range jobs[:min(len(jobs), 5)] {
				left = append(left, fmt.Sprintf("job %s %s of %s at attempt %d: %s", j.ID, j.State, j.Change.Path, j.Attempt, j.Error))
			}
			return fmt.Errorf("%d jobs and %d tasks are left: %q, %q", len(jobs), len(open), left, open[:min(len(open), 5)])
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *soak) openTasks() (all []string) {
	for _, p := range s.people {
		p.mu.Lock()
		for path := range p.open {
			all = append(all, path)
		}
		p.mu.Unlock()
	}
	return all
}

// tail writes a last document of a person, and waits until all followers have
// heard of it.
func (p *person) tail(ctx context.Context) (seq int64, err error) {
	var doc struct {
		Seq int64 `json:"seq"`
	}
	if err := p.call(ctx, http.MethodPut, "/docs/users/"+p.id+"/ends/end", map[string]bool{"end": true}, &doc); err != nil {
		return 0, err
	}
	for _, f := range p.followers {
		for f.reached() < doc.Seq {
			select {
			case <-ctx.Done():
				return doc.Seq, fmt.Errorf("%s: the follower at %s has heard of nothing after %d, and the end is %d", p.id, f.name, f.reached(), doc.Seq)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return doc.Seq, nil
}

func (f *follower) reached() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.seen) == 0 {
		return 0
	}
	return f.seen[len(f.seen)-1].seq
}
