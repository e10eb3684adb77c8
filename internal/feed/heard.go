package feed

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nestorhq/nestor"
)

// heard is what this process committed and has not passed on yet. What there is
// no room for is read from the log.
type heard struct {
	newest atomic.Int64 // of all that it committed

	mu      sync.Mutex
	changes []nestor.Change
	bytes   int
}

// A transaction of another process that takes long keeps the tail from passing
// on what followed it. These bound what gathers meanwhile.
const (
	maxHeard      = 8192
	maxHeardBytes = 16 << 20
)

func (h *heard) add(changes []nestor.Change) {
	size := 0
	for i := range changes {
		size += sizeOf(&changes[i])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.changes)+len(changes) <= maxHeard && h.bytes+size <= maxHeardBytes {
		h.changes = append(h.changes, changes...)
		h.bytes += size
	}
	h.newest.Store(max(h.newest.Load(), changes[len(changes)-1].Seq))
}

// following takes what follows a position without a gap. A gap may be somebody
// else's change or none at all; the log knows.
func (h *heard) following(position int64) []nestor.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	slices.SortFunc(h.changes, func(a, b nestor.Change) int { return int(a.Seq - b.Seq) })
	known := 0
	for known < len(h.changes) && h.changes[known].Seq <= position {
		known++
	}
	h.drop(known)
	n := 0
	for n < len(h.changes) && h.changes[n].Seq == position+int64(n)+1 {
		n++
	}
	next := slices.Clone(h.changes[:n])
	h.drop(n)
	return next
}

// missing is how many changes to read from the log after a position: as many as may lie
// before what was heard, or a page.
func (h *heard) missing(position int64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.changes) == 0 {
		return page
	}
	return int(max(1, min(h.changes[0].Seq-position-1, page)))
}

// drop removes the first n changes and lets go of their documents.
func (h *heard) drop(n int) {
	for i := range h.changes[:n] {
		h.bytes -= sizeOf(&h.changes[i])
	}
	clear(h.changes[:n])
	if h.changes = h.changes[n:]; len(h.changes) == 0 {
		h.changes = nil
	}
}
