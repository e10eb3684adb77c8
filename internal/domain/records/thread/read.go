package thread

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Turn is a turn of a thread that was read: with its id, which is the same in all
// threads that share it, and when it began and was last added to.
type Turn struct {
	ID        string                  `json:"id"`
	CreatedAt int64                   `json:"createdAt"`
	UpdatedAt int64                   `json:"updatedAt"`
	SenderID  string                  `json:"senderId"`
	Partials  []record.MessagePartial `json:"partials"`
}

// Read returns the last turns of the thread at p, all if last is 0.
func (s Shape) Read(r store.Reader, p nestor.Path, last int64) ([]Turn, error) {
	tip, err := read(r, p)
	if err != nil {
		return nil, err
	}
	w := walk{shape: s, reader: r, collection: p.Collection(), tip: tip, met: map[string]bool{}}
	if last > 0 {
		// The turn before must be there, too: pieces of the oldest turn that is wanted
		// may be anywhere after it.
		w.enough = tip.TurnCount - last
	}
	if err := w.all(); err != nil {
		return nil, err
	}
	turns := w.turns()
	if n := int64(len(turns)); last > 0 && n > last {
		turns = turns[n-last:]
	}
	return turns, nil
}

// walk reads a thread from its end.
type walk struct {
	shape      Shape
	reader     store.Reader
	collection string
	tip        *record.MessageThread
	enough     int64 // stop at a thread that has no more turns
	found      []*record.MessageThread
	met        map[string]bool // what was found, by id
	bytes      int
}

// all reads the line of the tip, and the lines that it goes on from.
func (w *walk) all() error {
	line, depth, err := placeOf(w.tip)
	if err != nil {
		return err
	}
	first, err := read(w.reader, nestor.Path(w.collection+"/"+line))
	if errors.Is(err, nestor.ErrNotFound) {
		return w.broken(line)
	}
	if err != nil {
		return err
	}
	_, from, err := placeOf(first)
	if err != nil {
		return err
	}
	parts := append([]record.LinePart{{Line: line, From: from, To: depth}}, first.Above...)
	for len(parts) > 0 {
		met := len(w.found)
		for block := range w.blocks(parts) {
			if err := w.block(block); err != nil || w.done() {
				return err
			}
		}
		if len(w.found) == met { // none of the parts has a depth
			return w.broken(parts[0].Line)
		}
		parts = w.oldest().Above
	}
	if before := w.oldest().ParentID; before != nil {
		return w.broken(*before)
	}
	return nil
}

// blocks cuts parts into what is read together, nearest first. It makes a block when that is
// asked for: a part that says it is long takes no memory, and the first block of it that is
// not there ends the walk.
func (w *walk) blocks(parts []record.LinePart) iter.Seq[[]record.LinePart] {
	return func(yield func([]record.LinePart) bool) {
		var block []record.LinePart
		room := int64(w.shape.Block)
		for _, p := range parts {
			for to, first := min(p.To, deepest), max(p.From, 0); to >= first; {
				from := max(first, to-room+1)
				block = append(block, record.LinePart{Line: p.Line, From: from, To: to})
				room -= to - from + 1
				if to = from - 1; room == 0 {
					if !yield(block) {
						return
					}
					block, room = nil, int64(w.shape.Block)
				}
			}
		}
		if len(block) > 0 {
			yield(block)
		}
	}
}

// block reads the threads of some parts with one query.
func (w *walk) block(parts []record.LinePart) error {
	var any []store.Filter
	nearest := map[string]int{}
	for i, p := range parts {
		nearest[p.Line] = i
		any = append(any, store.Filter{And: []store.Filter{
			*store.Where("place", store.Ge, place(p.Line, p.From)), *store.Where("place", store.Le, place(p.Line, p.To)),
		}})
	}
	page, err := w.reader.Query(store.Query{Collection: w.collection, Where: &store.Filter{Or: any}, Limit: w.shape.Block})
	if err != nil {
		return err
	}
	read := make([]*record.MessageThread, len(page.Items))
	for i, d := range page.Items {
		if w.bytes += len(d.Data); w.bytes > w.shape.Bytes {
			return nestor.Errorf(nestor.CodeTooLarge, "the thread has more than %d bytes: ask for its last turns", w.shape.Bytes)
		}
		t, err := nestor.As[record.MessageThread](d)
		if err != nil {
			return err
		}
		read[i] = &t
	}
	slices.SortFunc(read, func(a, b *record.MessageThread) int {
		lineA, depthA, _ := placeOf(a)
		lineB, depthB, _ := placeOf(b)
		return cmp.Or(cmp.Compare(nearest[lineA], nearest[lineB]), cmp.Compare(depthB, depthA))
	})
	if len(read) == 0 {
		return w.broken(parts[0].Line)
	}
	for _, t := range read {
		if n := len(w.found); n > 0 && (w.found[n-1].ParentID == nil || *w.found[n-1].ParentID != t.ID) || n == 0 && t.ID != w.tip.ID {
			return w.broken(t.ID)
		}
		if w.met[t.ID] { // it comes from itself
			return w.broken(t.ID)
		}
		w.met[t.ID], w.found = true, append(w.found, t)
	}
	return nil
}

func (w *walk) oldest() *record.MessageThread { return w.found[len(w.found)-1] }

// done reports whether all that is wanted was found.
func (w *walk) done() bool {
	return w.enough > 0 && len(w.found) > 0 && w.oldest().TurnCount <= w.enough
}

// broken is the error of a thread of which a part was deleted as any document.
func (w *walk) broken(near string) error {
	return nestor.Errorf(nestor.CodeNotFound, "a part of the thread %s was deleted, near %s", w.tip.ID, near)
}

// turns puts what was found together, oldest first.
func (w *walk) turns() []Turn {
	turns := []Turn{}
	for _, t := range slices.Backward(w.found) {
		for j, added := range t.Added {
			if n := len(turns); j == 0 && n > 0 && turns[n-1].SenderID == added.SenderID {
				turns[n-1].Partials = append(turns[n-1].Partials, added.Partials...)
				turns[n-1].UpdatedAt = t.CreatedAt
				continue
			}
			turns = append(turns, Turn{
				ID: turnID(t.ID, j), CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt, SenderID: added.SenderID, Partials: slices.Clone(added.Partials),
			})
		}
	}
	return turns
}

// turnID is the id of the turn that the thread began as its i-th.
func turnID(threadID string, i int) string {
	if i == 0 {
		return threadID
	}
	return threadID + "-" + strconv.Itoa(i)
}
