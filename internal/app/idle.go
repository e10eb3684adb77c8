package app

import (
	"context"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// Wait returns when no job is left to run: whatever was written before has had
// its effects. It does not wait for agents that wait for a person: they have no
// job.
func (s *Server) Wait(ctx context.Context) error {
	for {
		ended := s.ends.next()
		counts, err := s.store.CountJobs(ctx)
		if err != nil {
			return err
		}
		if counts[nestor.JobReady]+counts[nestor.JobRunning]+counts[nestor.JobBlocked] == 0 {
			return nil
		}
		select {
		case <-ended:
		case <-time.After(time.Second): // a job of another node may have ended
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ends tells that a job has ended.
type ends struct {
	mu   sync.Mutex
	wait chan struct{}
}

// next is closed when the next job ends.
func (e *ends) next() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.wait == nil {
		e.wait = make(chan struct{})
	}
	return e.wait
}

func (e *ends) tell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.wait != nil {
		close(e.wait)
		e.wait = nil
	}
}
