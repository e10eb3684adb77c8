package feed

import (
	"container/list"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// shelf keeps what subscribers are yet to be told, each thing once for all of
// them, up to a number of bytes. What is pushed off is not lost: a change is in
// the log, and what a draft said is in its document. Guarded by Feed.mu.
type shelf struct {
	limit, bytes int
	order        list.List       // of *held, the oldest first
	bySeq        map[int64]*held // the changes that somebody needs, pushed off or not
}

// held is a change, or the texts of a draft that has ended.
type held struct {
	seq    int64          // 0 for a draft
	said   int64          // number of the last delta before the change
	change *nestor.Change // nil when it was pushed off
	draft  *Writer        // nil for a change
	size   int
	refs   int           // how many subscribers need it
	place  *list.Element // nil when it was pushed off
}

// overhead is about what a document takes beside its body.
const overhead = 512

func sizeOf(c *nestor.Change) int { return store.Size(c) + overhead }

// change finds what is held of a change, or begins to hold it. The caller counts
// who needs it, and puts it on the shelf if anybody does.
func (s *shelf) change(c *nestor.Change) *held {
	if h := s.bySeq[c.Seq]; h != nil {
		return h
	}
	return &held{seq: c.Seq, size: sizeOf(c)}
}

// put places h, and pushes off what is oldest to make room. The newest has room
// whatever its size.
func (s *shelf) put(h *held, c *nestor.Change) {
	if h.seq != 0 {
		s.bySeq[h.seq] = h
	}
	if h.place != nil {
		return
	}
	if c != nil { // a copy of its own: it was one of many in an array
		own := *c
		h.change = &own
	}
	h.place = s.order.PushBack(h)
	s.bytes += h.size
	for s.bytes > s.limit && s.order.Len() > 1 {
		s.remove(s.order.Front().Value.(*held))
	}
}

func (s *shelf) remove(h *held) {
	if h.place == nil {
		return
	}
	s.order.Remove(h.place)
	s.bytes -= h.size
	h.place, h.change = nil, nil
	if h.draft != nil {
		h.draft.forget()
	}
}

// release tells that one subscriber no longer needs h.
func (s *shelf) release(h *held) {
	if h.refs--; h.refs > 0 {
		return
	}
	s.remove(h)
	delete(s.bySeq, h.seq)
}

// Held is how many bytes are kept for subscribers that have not taken them yet.
func (f *Feed) Held() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shelf.bytes
}
