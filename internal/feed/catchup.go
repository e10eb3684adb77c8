package feed

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
)

const (
	// maxReads is how many subscribers read the log at the same time.
	maxReads = 4
	// pageOfOne is how many changes one of them reads at a time.
	pageOfOne = 100
	// logPause is how long to wait for a log that is behind the tail: the tail
	// knows what this process wrote, and a transaction of another one still runs.
	logPause = 10 * time.Millisecond
)

// catchUp yields what the log holds after the position of s until s is live. It
// reports whether that came about.
func (f *Feed) catchUp(ctx context.Context, s *subscriber, yield func(Event, error) bool) bool {
	for checked := false; ; checked = true {
		if f.attach(s, checked) {
			return true
		}
		changes, err := f.read(ctx, s.at.Seq, pageOfOne, s.wants)
		if err == nil && len(changes) == 0 && checked {
			err = pause(ctx, logPause)
		}
		if err == nil {
			err = f.replay(ctx, s, changes, yield)
		}
		switch {
		case err == errStopped:
			return false
		case err != nil:
			if ctx.Err() == nil {
				yield(Event{}, err)
			}
			return false
		}
	}
}

// errStopped: the reader wants no more.
var errStopped = nestor.Errorf(nestor.CodeCancelled, "the reader has stopped")

// replay yields those of the changes that s wants. Of the others nothing is
// kept, and what is large goes to the shelf.
func (f *Feed) replay(ctx context.Context, s *subscriber, changes []nestor.Change, yield func(Event, error) bool) error {
	if len(changes) == 0 {
		return nil
	}
	end := changes[len(changes)-1].Seq
	events := f.wanted(s, changes)
	for i := range events {
		e := events[i]
		events[i] = Event{}
		if e.held != nil {
			var err error
			if e.Change, err = f.load(ctx, e.held); err != nil {
				return err
			}
		}
		s.at.Seq = e.Position.Seq
		if !yield(e, nil) {
			return errStopped
		}
	}
	s.at.Seq = end
	f.mu.Lock()
	f.letGo(s)
	f.mu.Unlock()
	return nil
}

// wanted makes events of the changes that s wants.
func (f *Feed) wanted(s *subscriber, changes []nestor.Change) (events []Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := s.at
	for i := range changes {
		at.Seq = changes[i].Seq
		if f.kinds.Of(changes[i].Path).Unfollowed || !s.wants(changes[i].Path) {
			continue
		}
		c := changes[i]
		e := Event{Position: at, More: true}
		if sizeOf(&c) <= own {
			e.Change = &c
		} else {
			h := f.shelf.change(&c)
			h.refs++
			f.shelf.put(h, &c)
			s.holds = append(s.holds, h)
			e.feed, e.held = f, h
		}
		events = append(events, e)
	}
	if n := len(events); n > 0 {
		events[n-1].More = false
	}
	return events
}

// read reads the log as one of a few.
func (f *Feed) read(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	select {
	case f.reads <- struct{}{}:
		defer func() { <-f.reads }()
		return f.log.Changes(ctx, after, limit, wanted)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load is a change that is held. If it was pushed off the shelf it is read again.
func (f *Feed) load(ctx context.Context, h *held) (*nestor.Change, error) {
	for {
		f.mu.Lock()
		c := h.change
		f.mu.Unlock()
		if c != nil {
			return c, nil
		}
		changes, err := f.read(ctx, h.seq-1, 1, nil)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 || changes[0].Seq != h.seq {
			if err := pause(ctx, logPause); err != nil {
				return nil, err
			}
			continue
		}
		f.mu.Lock()
		f.shelf.put(h, &changes[0])
		c = h.change
		f.mu.Unlock()
		return c, nil
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
