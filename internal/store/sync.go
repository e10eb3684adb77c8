package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/nestorhq/nestor"
)

// Sync is how a client that keeps a copy of a [Scope] brings it up to date.
type Sync interface {
	// Catalogue tells the kinds of documents.
	Catalogue() *Catalogue
	// Since returns up to limit documents of the scope that were written or
	// deleted after a position, as they are now, in the order of their latest
	// writes.
	//
	// A client that begins at the zero position and goes on from Next until there
	// is no more has every document as it was when the last call began, or newer.
	// One may come twice; none is left out, however transactions interleave and
	// whichever node answers. Its cost does not depend on what lies outside the
	// scope.
	//
	// An error of [nestor.CodeTooOld] means that deletes since the position
	// have been forgotten, or that it is of another database: begin anew, with
	// an empty copy.
	Since(ctx context.Context, scope Scope, after Position, limit int) (Delta, error)
}

// Position is how far a copy of a scope has come. The zero value is the
// beginning.
type Position struct {
	// Seq: the copy is complete up to here, at the latest when the reading
	// that is under way has come to its end.
	Seq int64
	// Read is how far that reading has come. At rest it equals Seq. It may be
	// smaller, as in the first reading of a large scope, or larger: entries
	// that can still be preceded by others are read but not relied on.
	Read int64
}

// At is the position of a copy that is complete up to seq.
func At(seq int64) Position { return Position{seq, seq} }

// Delta is a page of [Sync.Since].
type Delta struct {
	Items []Latest
	// Next is the position after these.
	Next Position
	// More is false when the copy is complete now.
	More bool
}

// Latest is what became of a document.
type Latest struct {
	Path nestor.Path
	// Version and Seq are those of the latest write, At its time in Unix
	// milliseconds.
	Version, Seq, At int64
	// Document is nil when it was deleted.
	Document *nestor.Document
}

// MaxDeltaBytes is where a page of [Sync.Since] ends: after the document with which its
// documents have so many bytes.
const MaxDeltaBytes = 512 << 10

// Written are documents that an engine reads in the order of seq.
type Written struct {
	Docs  []*nestor.Document
	bytes int
	// Cut: there was no room for all.
	Cut bool
}

// Add takes the next document. It reports whether there is room for more than that.
func (w *Written) Add(d *nestor.Document) bool {
	if w.Cut = w.bytes >= MaxDeltaBytes; w.Cut {
		return false
	}
	w.Docs = append(w.Docs, d)
	w.bytes += len(d.Data)
	return true
}

// NewDelta makes the page after a position from what an engine read in one
// snapshot: documents and tombstones in the order of seq, at most limit of each.
// upTo is a position that the log was complete up to before that.
func NewDelta(after Position, docs *Written, gone []Latest, limit int, upTo int64) Delta {
	items := make([]Latest, 0, len(docs.Docs)+len(gone))
	for _, d := range docs.Docs {
		items = append(items, Latest{Path: d.Path, Version: d.Version, Seq: d.Seq, At: d.UpdatedAt, Document: d})
	}
	items = append(items, gone...)
	slices.SortFunc(items, func(a, b Latest) int { return cmp.Compare(a.Seq, b.Seq) })

	complete := after.Seq
	if after.Read == after.Seq { // the reading begins here
		complete = max(after.Seq, upTo)
	}
	if docs.Cut { // tombstones after the last document that had room belong to the next page
		last := docs.Docs[len(docs.Docs)-1].Seq
		end := slices.IndexFunc(items, func(l Latest) bool { return l.Seq == last }) + 1
		limit = min(limit, end)
	}
	if len(items) < limit {
		return Delta{Items: items, Next: At(complete)}
	}
	items = items[:limit]
	return Delta{Items: items, Next: Position{complete, items[limit-1].Seq}, More: true}
}

// Check reports whether reading can go on from p when tombstones up to swept
// are gone and the log has come to last.
func (p Position) Check(swept, last int64) error {
	if p.Seq != 0 && p.Seq < swept || max(p.Seq, p.Read) > last {
		return nestor.Errorf(nestor.CodeTooOld, "deletes are known from %d up to %d, not from %d: begin anew", swept, last, p.Seq)
	}
	return nil
}
