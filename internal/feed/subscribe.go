package feed

import (
	"context"
	"iter"
	"sync"

	"github.com/nestorhq/nestor"
)

// Live as a position means: from now on.
const Live int64 = -1

// subscriber is one who follows live.
type subscriber struct {
	after int64
	limit int
	ready chan struct{}

	mu    sync.Mutex
	queue []*nestor.Change
	last  int64 // newest in the queue: several globs may match one change
	cut   bool
}

// push never blocks: who is too far behind is cut off.
func (s *subscriber) push(c *nestor.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut || c.Seq <= s.after || c.Seq <= s.last {
		return
	}
	if len(s.queue) >= s.limit {
		s.cut, s.queue = true, nil
	} else {
		s.queue = append(s.queue, c)
		s.last = c.Seq
	}
	s.wake()
}

// cutOff ends the subscription with a request to resync.
func (s *subscriber) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut, s.queue = true, nil
	s.wake()
}

func (s *subscriber) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *subscriber) take() (queue []*nestor.Change, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue, s.queue = s.queue, nil
	return queue, s.cut
}

// Changes yields the changes after a position whose path matches one of the
// globs, first from the log, then live, until ctx ends, the caller stops or an
// error is yielded. [nestor.CodeTooOld] means: read everything anew.
func (f *Feed) Changes(ctx context.Context, after int64, globs ...nestor.Glob) iter.Seq2[*nestor.Change, error] {
	return func(yield func(*nestor.Change, error) bool) {
		select {
		case <-f.started:
		case <-ctx.Done():
			return
		}
		s := &subscriber{after: after, limit: f.opts.Buffer, ready: make(chan struct{}, 1)}
		for !f.attach(s, globs) {
			changes, err := f.log.Changes(ctx, s.after, page)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range changes {
				s.after = changes[i].Seq
				if matches(globs, string(changes[i].Path)) && !yield(&changes[i], nil) {
					return
				}
			}
		}
		defer f.detach(s, globs)
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.ready:
			}
			queue, cut := s.take()
			for _, c := range queue {
				if !yield(c, nil) {
					return
				}
			}
			if cut {
				yield(nil, nestor.Errorf(nestor.CodeTooOld, "the subscriber fell too far behind (more than %d changes): resync", f.opts.Buffer))
				return
			}
		}
	}
}

func matches(globs []nestor.Glob, path string) bool {
	for _, g := range globs {
		if g.Match(path) {
			return true
		}
	}
	return false
}

// attach makes s live if it has reached the tail. One that is ahead of it, for
// it knows of a write that has not been passed on yet, just waits.
func (f *Feed) attach(s *subscriber, globs []nestor.Glob) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.after == Live {
		s.after = f.position
	}
	if s.after < f.position {
		return false
	}
	for _, g := range globs {
		f.subs.Add(g, s)
	}
	f.all[s] = true
	return true
}

func (f *Feed) detach(s *subscriber, globs []nestor.Glob) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range globs {
		f.subs.Remove(g, s)
	}
	delete(f.all, s)
}
