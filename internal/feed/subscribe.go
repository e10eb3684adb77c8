package feed

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
)

// subscriber is one who follows. Once it is attached all but ready is guarded
// by Feed.mu.
type subscriber struct {
	drafts bool // wants deltas, too
	ready  chan struct{}

	at    Position         // of the last event taken
	queue []*nestor.Change // not taken yet
	last  int64            // newest ever queued: several globs may match one change
	cut   bool

	// stirred are the drafts that have something to tell; true for one that
	// has ended and is kept for the subscriber's sake.
	stirred map[*Writer]bool
	ended   int  // how many of these have
	stale   bool // it may hold drafts that are void
}

// push never blocks: who is too far behind is cut off.
func (s *subscriber) push(c *nestor.Change, limit int) {
	switch {
	case s.cut || c.Seq <= s.last:
	case len(s.queue) >= limit:
		s.cutOff()
	default:
		s.queue, s.last = append(s.queue, c), c.Seq
		s.wake()
	}
}

// stir notes that a draft has something to tell. That costs memory only when
// the draft has ended.
func (s *subscriber) stir(w *Writer, limit int) {
	ended, known := s.stirred[w]
	if s.cut || !s.drafts || known && ended == (w.ended != 0) {
		return
	}
	if w.ended != 0 {
		s.ended++
	}
	if s.ended > limit {
		s.cutOff()
		return
	}
	s.stirred[w] = w.ended != 0
	s.wake()
}

// cutOff ends the subscription with a request to resync.
func (s *subscriber) cutOff() {
	s.cut, s.queue, s.stirred = true, nil, nil
	s.wake()
}

func (s *subscriber) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// attach makes s live if it has reached the tail. One that is ahead of it, for
// it knows of a write that has not been passed on yet, just waits; it must have
// been checked against the log.
func (f *Feed) attach(s *subscriber, globs []nestor.Glob, checked bool) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.at.Seq == Live {
		s.at.Seq = f.position
	}
	if s.at.Seq < f.position || s.at.Seq > f.position && !checked {
		return false, nil
	}
	s.last = s.at.Seq
	if s.drafts {
		if err := f.join(s, globs); err != nil {
			return false, err
		}
	}
	for _, g := range globs {
		f.subs.Add(g, s)
	}
	f.all[s] = true
	return true, nil
}

func (f *Feed) detach(s *subscriber, globs []nestor.Glob) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range globs {
		f.subs.Remove(g, s)
	}
	delete(f.all, s)
}

// join finds the drafts that a new subscriber is to be told of.
func (f *Feed) join(s *subscriber, globs []nestor.Glob) error {
	s.stirred = map[*Writer]bool{}
	// Who was told nothing of this process yet, or stands in its first batch,
	// may still hold drafts of another one.
	s.stale = s.at.epoch != "" && (!f.knows(s.at) || s.at.delta == 0)
	if !f.knows(s.at) {
		s.at = Position{Seq: s.at.Seq, epoch: f.epoch}
	} else {
		known := cmp.Or(s.at.delta, s.at.upto)
		if known < f.forgotten {
			return nestor.Errorf(nestor.CodeTooOld, "too many drafts were dropped since %s: resync", s.at)
		}
		for _, w := range f.dropped {
			if w.ended > known && matches(globs, string(w.draft.Path)) {
				s.stirred[w] = true
			}
		}
	}
	for _, w := range f.open {
		if matches(globs, string(w.draft.Path)) {
			s.stirred[w] = false
		}
	}
	return nil
}

// take returns what there is for s now. The texts of drafts come before the
// changes that commit them.
func (f *Feed) take(s *subscriber) ([]Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.cut {
		return nil, nestor.Errorf(nestor.CodeTooOld, "the subscriber fell too far behind (more than %d changes): resync", f.opts.Buffer)
	}
	if len(s.queue) == 0 {
		s.at.Seq = max(s.at.Seq, f.position)
	}
	var events []Event
	if s.drafts {
		if s.at.upto != 0 { // it went away in the middle of a batch
			events = f.batch(s, s.at.upto)
		}
		events = append(events, f.batch(s, f.counter)...)
		clear(s.stirred)
		s.ended, s.stale = 0, false
		f.told = f.counter
	}
	for _, c := range s.queue {
		s.at.Seq = c.Seq
		events = append(events, Event{Change: c, Position: s.at})
	}
	s.queue = nil
	return events, nil
}

// batch tells the drafts one after the other up to the same number.
func (f *Feed) batch(s *subscriber, upto int64) (events []Event) {
	from, seen := s.at.delta, s.at.place
	byAge := slices.SortedFunc(maps.Keys(s.stirred), func(a, b *Writer) int { return int(a.id - b.id) })
	for _, w := range byAge {
		w.since(from, upto, s.stale, func(step int, d Delta) {
			if place := w.id*steps + int64(step); place > seen {
				events = append(events, Event{Delta: &d, Position: Position{s.at.Seq, f.epoch, from, upto, place}})
			}
		})
	}
	s.at = Position{Seq: s.at.Seq, epoch: f.epoch, delta: upto}
	if n := len(events); n > 0 {
		events[n-1].Position = s.at
	}
	s.stale = false
	return events
}
