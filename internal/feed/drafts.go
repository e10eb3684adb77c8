package feed

import (
	"crypto/rand"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// Deltas are numbered so that a subscriber can say where it stands. A number
// stands for everything that happens until a subscriber has been told of it:
// while nobody listens, or everybody is slow, numbers stand still and a draft
// keeps its texts and nothing else.

// maxDropped is how many dropped drafts are remembered for subscribers that
// are reconnecting. No change would tell them.
const maxDropped = 256

// drafts are the messages being written in this process. Guarded by Feed.mu.
type drafts struct {
	epoch   string // names the numbers of this process
	counter int64  // the latest number
	told    int64  // the highest number that a subscriber may know
	begun   int64
	open    map[nestor.Path]*Writer
	dropped []*Writer // oldest first
	// forgotten is the number of the newest drop that is not remembered.
	forgotten int64
}

func newDrafts() drafts {
	// 0 stands for having been told nothing.
	return drafts{epoch: strings.ToLower(rand.Text()[:8]), counter: 1, open: map[nestor.Path]*Writer{}}
}

// tick is the number of what happens now.
func (d *drafts) tick() int64 {
	if d.counter == d.told {
		d.counter++
	}
	return d.counter
}

// knows reports whether a position is among the numbers of this process.
func (d *drafts) knows(p Position) bool {
	return p.epoch == d.epoch && max(p.delta, p.upto) <= d.told
}

// stir makes those who follow the draft look at it.
func (f *Feed) stir(w *Writer) {
	f.subs.Match(string(w.draft.Path), func(s *subscriber) { s.stir(w, f.opts.Buffer) })
}

// finish ends a draft, if it is open.
func (f *Feed) finish(w *Writer, end Kind) {
	if w.ended != 0 {
		return
	}
	w.ended, w.end = f.tick(), end
	delete(f.open, w.draft.Path)
	f.stir(w)
	if end == KindDrop {
		f.remember(&Writer{draft: w.draft, id: w.id, ended: w.ended, end: end})
	}
}

func (f *Feed) remember(dropped *Writer) {
	if len(f.dropped) == maxDropped {
		f.forgotten = f.dropped[0].ended
		f.dropped = slices.Delete(f.dropped, 0, 1)
	}
	f.dropped = append(f.dropped, dropped)
}
