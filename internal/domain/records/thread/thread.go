// Package thread stores immutable threads of messages so that whoever adds to one
// stores the addition only.
//
// A thread is a document with what it adds to its parent. Threads stand on lines: the
// first one that continues a thread stands on the same line, one deeper; every other
// one is a fork and begins a line of its own. A place is a line and a depth, in a form
// that sorts, so a stretch of a line is a range of an index: one query reads
// [Shape.Block] threads. The first thread of a line knows which parts of other
// lines it goes on from, up to [Shape.Above] of them, so forks of forks are read
// together, too.
//
// A thread with n additions and f forks on its way takes about n/Block + f/Above
// queries. Nothing that is there already is ever written again, so two who add to
// the same thread at once both succeed: one of them has made a fork.
package thread

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Shape says how threads are read.
type Shape struct {
	// Block is how many threads a query reads at most, and Above how many parts of
	// other lines the first thread of a line knows.
	Block, Above int
	// Bytes is how much one reading holds at most.
	Bytes int
}

// Standard is the shape of threads.
var Standard = Shape{Block: store.MaxLimit, Above: 16, Bytes: 64 << 20}

// Begin writes a new thread at p.
func Begin(tx store.Tx, p nestor.Path, turns []record.MessageTurn) (*nestor.Document, error) {
	t := record.MessageThread{UserID: p.UserID(), Place: place(p.ID(), 0), Added: turns}
	if t.Added == nil {
		t.Added = []record.MessageTurn{}
	}
	t.TurnCount = int64(len(turns))
	if n := len(turns); n > 0 {
		t.LastSenderID = turns[n-1].SenderID
	}
	return tx.Create(p, t)
}

// Add writes, at p, the thread that is its parent with one more piece: a part of the
// last turn if that is of the same sender. It fails with [nestor.CodeExists] if
// somebody took its place since it looked; then the next try makes a fork.
func (s Shape) Add(tx store.Tx, parent, p nestor.Path, senderID string, piece record.MessagePartial) (*nestor.Document, error) {
	above, err := read(tx, parent)
	if err != nil {
		return nil, err
	}
	t := record.MessageThread{
		UserID: p.UserID(), ParentID: new(parent.ID()), TurnCount: above.TurnCount, LastSenderID: senderID,
		Added: []record.MessageTurn{{SenderID: senderID, Partials: []record.MessagePartial{piece}}},
	}
	if above.TurnCount == 0 || above.LastSenderID != senderID {
		t.TurnCount++
	}
	line, depth, err := placeOf(above)
	if err != nil {
		return nil, err
	}
	t.Place = place(line, depth+1)
	taken, err := tx.Query(store.Query{Collection: p.Collection(), Where: store.Where("place", store.Eq, t.Place), Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(taken.Items) > 0 {
		if err := s.fork(tx, &t, parent, p.ID()); err != nil {
			return nil, err
		}
	}
	return tx.Create(p, t)
}

// Fork writes, at p, a thread that is the same as its parent, and begins a line.
func (s Shape) Fork(tx store.Tx, parent, p nestor.Path) (*nestor.Document, error) {
	above, err := read(tx, parent)
	if err != nil {
		return nil, err
	}
	t := record.MessageThread{
		UserID: p.UserID(), ParentID: new(parent.ID()), TurnCount: above.TurnCount, LastSenderID: above.LastSenderID, Added: []record.MessageTurn{},
	}
	if err := s.fork(tx, &t, parent, p.ID()); err != nil {
		return nil, err
	}
	return tx.Create(p, t)
}

// fork begins a line with t, which goes on from its parent.
func (s Shape) fork(r store.Reader, t *record.MessageThread, parent nestor.Path, id string) error {
	above, err := read(r, parent)
	if err != nil {
		return err
	}
	line, depth, err := placeOf(above)
	if err != nil {
		return err
	}
	first, err := read(r, nestor.Path(parent.Collection()+"/"+line))
	if err != nil {
		return err
	}
	_, from, err := placeOf(first)
	if err != nil {
		return err
	}
	t.Place = place(id, depth+1)
	t.Above = append([]record.LinePart{{Line: line, From: from, To: depth}}, first.Above...)
	t.Above = t.Above[:min(len(t.Above), s.Above)]
	return nil
}

func read(r store.Reader, p nestor.Path) (*record.MessageThread, error) {
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	t, err := nestor.As[record.MessageThread](d)
	return &t, err
}

// deepest is the greatest depth that sorts as a number does.
const deepest = 999_999_999

// place is a line, named by its first thread, and a depth.
func place(line string, depth int64) string { return fmt.Sprintf("%s/%09d", line, depth) }

func placeOf(t *record.MessageThread) (line string, depth int64, err error) {
	line, number, _ := strings.Cut(t.Place, "/")
	if depth, err = strconv.ParseInt(number, 10, 64); err != nil {
		return "", 0, nestor.Errorf(nestor.CodeInternal, "the thread %s has the place %q", t.ID, t.Place)
	}
	return line, depth, nil
}
