package feed

import (
	"crypto/rand"
	"strings"

	"github.com/nestorhq/nestor"
)

// Deltas are numbered so that a subscriber can say where it stands. A number
// stands for everything that happens until a subscriber has been told of it:
// while nobody listens, or everybody is slow, numbers stand still and a draft
// keeps its texts and nothing else.

// maxDropped is how many dropped drafts are remembered for subscribers that come
// back. No change would tell them. When there are more, the numbers get a new
// name: a subscriber that knows the old one is told of drafts as if by another
// process.
const maxDropped = 1024

// drafts are the messages being written in this process. Guarded by Feed.mu.
type drafts struct {
	epoch   string // names the numbers
	counter int64  // the latest number
	told    int64  // the highest number that a subscriber may know
	begun   int64
	open    map[nestor.Path]*Writer
	early   map[*Writer]bool // nobody is told of them yet
	dropped []*Writer        // oldest first
}

func newDrafts() drafts {
	// 0 stands for having been told nothing.
	return drafts{epoch: newEpoch(), counter: 1, open: map[nestor.Path]*Writer{}, early: map[*Writer]bool{}}
}

func newEpoch() string { return strings.ToLower(rand.Text()[:8]) }

// tick is the number of what happens now.
func (d *drafts) tick() int64 {
	if d.counter == d.told {
		d.counter++
	}
	return d.counter
}

// knows reports whether all that a position may have missed is remembered.
func (d *drafts) knows(p Position) bool {
	return p.epoch == d.epoch && max(p.delta, p.upto) <= d.told
}

// tellEarly has subscribers told of drafts once they are told of all changes that were known
// when these began: an answer to something never comes before it.
func (f *Feed) tellEarly() {
	for w := range f.early {
		if w.after <= f.position {
			f.number(w)
		}
	}
}

// number numbers what an early draft has said so far as said now.
func (f *Feed) number(w *Writer) {
	delete(f.early, w)
	w.early, w.latest = false, f.tick()
	if w.restarted > 0 {
		w.restarted = w.latest
	}
	for i := range w.marks {
		w.marks[i].n = w.latest
	}
	for i := range w.tools {
		w.tools[i].n = w.latest
	}
	if w.ended == 0 {
		f.stir(w)
		return
	}
	w.ended = w.latest
	f.tellEnd(w)
}

// stir makes those who follow the draft look at it.
func (f *Feed) stir(w *Writer) {
	f.relay.changed(w)
	f.subs.Match(string(w.draft.Path), func(s *subscriber) {
		if s.drafts && !s.cut && !s.stirred[w] {
			s.stirred[w] = false
			s.wake()
		}
	})
}

// finish ends a draft, if it is open.
func (f *Feed) finish(w *Writer, end Kind) {
	if w.ended != 0 {
		return
	}
	w.ended, w.end = f.tick(), end
	delete(f.open, w.draft.Path)
	if w.early { // it is told with what it said
		f.relay.changed(w)
		return
	}
	f.tellEnd(w)
}

// tellEnd has subscribers told that a draft has ended.
func (f *Feed) tellEnd(w *Writer) {
	w.latest = w.ended
	f.retire(w, true)
	if w.end == KindDrop {
		f.remember(&Writer{draft: w.draft, id: w.id, ended: w.ended, latest: w.ended, end: w.end})
	}
}

// retire keeps a draft that has ended for those who are yet to be told: all who
// follow it, or only those who have not heard all that it said.
func (f *Feed) retire(w *Writer, all bool) {
	f.relay.changed(w)
	w.held = &held{draft: w, size: w.size()}
	f.subs.Match(string(w.draft.Path), func(s *subscriber) {
		counted, known := s.stirred[w]
		if !s.drafts || s.cut || counted || !all && !known {
			return
		}
		s.stirred[w] = true
		s.ended++
		w.held.refs++
		if s.ended > f.opts.Buffer {
			f.cutOff(s)
		}
		s.wake()
	})
	if w.held.refs > 0 {
		f.shelf.put(w.held, nil)
	}
}

func (f *Feed) remember(dropped *Writer) {
	if len(f.dropped) == maxDropped {
		f.epoch, f.dropped = newEpoch(), nil
	}
	f.dropped = append(f.dropped, dropped)
}
