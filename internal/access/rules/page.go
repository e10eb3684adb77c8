package rules

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// batch is how many documents are asked for at a time at least, once some were
	// found that the caller may not see.
	batch = 100
	// maxScanned is how many documents one call looks at, of [store.MaxPageBytes] at
	// most. A page may be short, or even empty, and still have a next one.
	maxScanned = 2000
	// sealContext and sealPrefix mark cursors that are sealed, because they hold
	// values of a document that the caller may not see.
	sealContext = "query cursor"
	sealPrefix  = "sealed:"
)

// Query implements [store.Reader]. A page holds nothing that Get would refuse,
// and the pages together hold everything that it would not.
func (g *guard) Query(q store.Query) (store.Page, error) {
	if err := g.judge.narrow(&q); err != nil {
		return store.Page{}, err
	}
	if err := g.judge.openCursor(&q); err != nil {
		return store.Page{}, err
	}
	if err := q.Check(g.judge.engine.opts.Catalogue); err != nil {
		return store.Page{}, err
	}
	out := store.Page{Items: []*nestor.Document{}}
	ask := q
	room := store.MaxPageBytes
	if q.MaxBytes > 0 {
		room = min(room, q.MaxBytes)
	}
	for scanned := 0; scanned < maxScanned && room > 0; {
		ask.MaxBytes = room
		ask.Limit = q.Limit - len(out.Items)
		if scanned > 0 {
			ask.Limit = min(max(ask.Limit, batch), store.MaxLimit)
		}
		page, err := g.reader.Query(ask)
		if err != nil {
			return store.Page{}, err
		}
		scanned += len(page.Items)
		hidden := false
		for i, d := range page.Items {
			room -= len(d.Data)
			err := g.judge.May(Read, d.Path, d, nil)
			hidden = isNotFound(err)
			if err != nil && !hidden {
				return store.Page{}, err
			}
			if hidden {
				continue
			}
			out.Items = append(out.Items, d)
			if len(out.Items) == q.Limit && (i < len(page.Items)-1 || page.Next != "") {
				out.Next, err = q.NextCursor(d)
				return out, err
			}
		}
		if out.Next = page.Next; page.Next == "" {
			return out, nil
		}
		if ask.Cursor = page.Next; hidden {
			out.Next = g.judge.engine.SealCursor(page.Next)
		}
	}
	return out, nil
}

// SealCursor makes a cursor that tells nothing to who has it.
func (e *Engine) SealCursor(cursor string) string { return e.opts.Key.Seal(sealContext, cursor) }

// OpenCursor is the cursor that was sealed. It refuses any other.
func (e *Engine) OpenCursor(sealed string) (string, error) {
	cursor, err := e.opts.Key.Open(sealContext, sealed)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the cursor does not belong to this query: pass on the next of its last page")
	}
	return cursor, nil
}

func (j *Judge) openCursor(q *store.Query) (err error) {
	if strings.HasPrefix(q.Cursor, sealPrefix) {
		q.Cursor, err = j.engine.OpenCursor(q.Cursor)
	}
	return err
}
