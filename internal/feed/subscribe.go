package feed

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
)

// own is how many bytes a subscriber may hold that others do not share. What is
// larger stays on the shelf, or in the log, until it has been passed on.
const own = 32 << 10

// subscriber is one who follows. While it is attached all but ready is guarded
// by Feed.mu.
type subscriber struct {
	globs  []nestor.Glob
	drafts bool // wants deltas, too
	beat   time.Duration
	ready  chan struct{}

	at    Position // of the last event taken
	queue []*held  // not taken yet
	bytes int      // of these
	last  int64    // newest ever queued: several globs may match one change
	cut   bool     // it is too far behind to be told live
	holds []*held  // what it is passing on

	// stirred are the drafts that have something to tell; true for one that
	// has ended and is kept for the subscriber's sake.
	stirred map[*Writer]bool
	ended   int  // how many of these have
	stale   bool // it may hold drafts that are void
}

func (s *subscriber) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *subscriber) wants(path nestor.Path) bool {
	return slices.ContainsFunc(s.globs, func(g nestor.Glob) bool { return g.Match(string(path)) })
}

// push never blocks: a subscriber that is too far behind goes on with the log.
func (f *Feed) push(s *subscriber, h *held) {
	switch {
	case s.cut || h.seq <= s.last:
	case len(s.queue) >= f.opts.Buffer, len(s.queue) > 0 && s.bytes+h.size > f.opts.BufferBytes:
		f.cutOff(s)
	default:
		h.refs++
		s.queue, s.last, s.bytes = append(s.queue, h), h.seq, s.bytes+h.size
		s.wake()
	}
}

// cutOff ends the live part of a subscription: it goes on with the log, and with
// drafts like one that comes back.
func (f *Feed) cutOff(s *subscriber) {
	for _, h := range s.queue {
		f.shelf.release(h)
	}
	for w, ended := range s.stirred {
		if ended && w.held != nil {
			f.shelf.release(w.held)
		}
	}
	s.cut, s.queue, s.bytes, s.stirred, s.ended = true, nil, 0, nil, 0
	s.wake()
}

// letGo releases what was passed on.
func (f *Feed) letGo(s *subscriber) {
	for _, h := range s.holds {
		f.shelf.release(h)
	}
	s.holds = nil
}

// attach makes s live if it has reached the tail. One that is ahead of the tail,
// because it knows of a write that has not been passed on yet, just waits; its
// position must have been checked against the log.
func (f *Feed) attach(s *subscriber, checked bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.at.Seq == Live {
		s.at.Seq = f.position
	}
	if s.at.Seq < f.position || s.at.Seq > f.position && !checked {
		return false
	}
	s.last, s.cut = s.at.Seq, false
	if s.drafts {
		f.join(s)
	}
	for _, g := range s.globs {
		f.subs.Add(g, s)
	}
	if s.drafts {
		f.relay.watch(s.globs)
	}
	f.all[s] = true
	return true
}

func (f *Feed) detach(s *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo(s)
	if !f.all[s] {
		return
	}
	for _, g := range s.globs {
		f.subs.Remove(g, s)
	}
	if s.drafts {
		f.relay.unwatch(s.globs)
	}
	delete(f.all, s)
	f.cutOff(s)
}

// join finds the drafts that a new subscriber is to be told of.
func (f *Feed) join(s *subscriber) {
	s.stirred = map[*Writer]bool{}
	// A client that comes from another process of the server, or that has heard
	// of no delta here, may still show drafts that this process knows nothing of.
	s.stale = s.at.epoch != "" && (!f.knows(s.at) || s.at.delta == 0)
	if !f.knows(s.at) {
		s.at = Position{Seq: s.at.Seq, epoch: f.epoch}
	} else {
		known := cmp.Or(s.at.delta, s.at.upto)
		for _, w := range f.dropped {
			if w.ended > known && s.wants(w.draft.Path) {
				s.stirred[w] = true
			}
		}
	}
	for _, w := range f.open {
		if !w.early && s.wants(w.draft.Path) {
			s.stirred[w] = false
		}
	}
}

// take returns what there is for s now, no more than it may hold, and whether s
// has to go on with the log. Deltas and changes come in the order in which they happened, so
// the text of a draft comes after what it answers and before the change that commits it.
func (f *Feed) take(s *subscriber) (events []Event, behind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo(s)
	if s.cut {
		return nil, true
	}
	if len(s.queue) == 0 {
		s.at.Seq = max(s.at.Seq, f.position)
	}
	room, more := own, false
	for {
		if s.drafts {
			upto := f.counter
			if len(s.queue) > 0 {
				upto = s.queue[0].said
			}
			var said []Event
			said, more = f.tell(s, upto, &room)
			events = append(events, said...)
		}
		if more || room <= 0 || len(s.queue) == 0 {
			break
		}
		h := s.queue[0]
		if h.change == nil || len(events) > 0 && h.size > room {
			break
		}
		s.queue, s.bytes = s.queue[1:], s.bytes-h.size
		s.at.Seq = h.seq
		events = append(events, f.hand(s, h))
		room -= h.size
	}
	if s.cut || len(events) == 0 && len(s.queue) > 0 { // what comes next was pushed off the shelf
		f.cutOff(s)
		return events, true
	}
	for i := range events {
		events[i].More = i < len(events)-1 || more || len(s.queue) > 0
	}
	return events, false
}

// hand makes the event of a change that is on the shelf. What is small is now
// the subscriber's own.
func (f *Feed) hand(s *subscriber, h *held) Event {
	e := Event{Change: h.change, Position: s.at}
	if h.size > own {
		e.feed, e.held = f, h
		s.holds = append(s.holds, h)
	} else {
		f.shelf.release(h)
	}
	return e
}

// tell gives the deltas up to a number that s has not heard, batch by batch: in a batch all
// drafts are told one after the other up to the same number. When the room is
// used up it reports that there is more, and goes on there the next time.
func (f *Feed) tell(s *subscriber, last int64, room *int) (events []Event, more bool) {
	// A subscriber that was told nothing yet is told at least the epoch of the
	// drafts.
	for s.at.upto != 0 || s.at.delta == 0 || len(s.stirred) > 0 && s.at.delta < last {
		from, upto, seen := s.at.delta, s.at.upto, s.at.place
		if upto == 0 {
			upto, f.told = last, max(f.told, last)
		}
		before := len(events)
		add := func(place int64, d Delta) bool {
			if *room <= 0 {
				return false
			}
			*room -= len(d.Text) + overhead
			s.at.upto, s.at.place = upto, place
			events = append(events, Event{Delta: &d, Position: s.at})
			return true
		}
		for _, w := range slices.SortedFunc(maps.Keys(s.stirred), func(a, b *Writer) int { return int(a.id - b.id) }) {
			if w.forgotten {
				f.cutOff(s)
				return events, false
			}
			if !w.since(from, upto, s.stale, seen, add) {
				return events, true
			}
		}
		s.at = Position{Seq: s.at.Seq, epoch: s.at.epoch, delta: upto}
		if n := len(events); n > before {
			events[n-1].Position = s.at
		}
		s.stale = false
		f.heardOf(s, upto)
	}
	return events, false
}

// heardOf forgets the drafts of which s has heard everything.
func (f *Feed) heardOf(s *subscriber, upto int64) {
	for w, ended := range s.stirred {
		if w.latest > upto {
			continue
		}
		delete(s.stirred, w)
		if ended && w.held != nil {
			s.ended--
			f.shelf.release(w.held)
		}
	}
}
