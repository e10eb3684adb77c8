package replication

import (
	"net/http"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	// defaultLimit is RxDB's own.
	defaultLimit = 100
	// firstChunk is how many documents are read at first, and chunk how many at a time at
	// most, once it is known how large they are. FlushAt is how many bytes of them are kept
	// before they are sent: pages need no more memory than that, however large they are.
	firstChunk = 16
	chunk      = 200
	flushAt    = 256 << 10
)

// pull answers with a page of documents after a checkpoint. Fewer than asked
// for means that there are no more.
func (s *server) pull(w http.ResponseWriter, r *http.Request, caller Caller) error {
	c, err := s.collection(r.PathValue("flat"))
	if err != nil {
		return err
	}
	params := r.URL.Query()
	scope, err := s.scopeOf(c, params, caller)
	if err != nil {
		return err
	}
	at, err := parseCheckpoint(params.Get("checkpoint"))
	if err != nil {
		return err
	}
	limit, err := pullLimit(params.Get("limit"))
	if err != nil {
		return err
	}

	// What the caller may not read does not count, so it may take several
	// readings to fill a page.
	page := append(make([]byte, 0, 4<<10), `{"documents":[`...)
	n, begun, some := 0, false, firstChunk
	for more := true; more && n < limit; {
		delta, err := s.Store.Since(r.Context(), scope.Scope, at, min(limit-n, some))
		if err != nil {
			return ended(begun, err)
		}
		for i := range delta.Items {
			l := &delta.Items[i]
			if !caller.MayRead(l.Path, l.Document) {
				continue
			}
			if n++; n > 1 {
				page = append(page, ',')
			}
			page = s.appendLatest(page, l)
		}
		at, more = delta.Next, delta.More
		if some = min(2*some, chunk); len(page) > flushAt {
			some = max(1, min(some, len(delta.Items)))
			delta = store.Delta{} // a client that does not read keeps a page, not the documents, too
			if writeJSON(w, page) != nil {
				return nil // the client is gone, or was told why it gets nothing
			}
			page, begun = page[:0], true
		}
	}
	page = append(page, `],"checkpoint":`...)
	page = append(appendCheckpoint(page, at), '}')
	_ = writeJSON(w, page)
	return nil
}

// ended is the error of a page that comes to no end. Half a page must not pass for a
// whole one.
func ended(begun bool, err error) error {
	if begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

func (s *server) appendLatest(b []byte, l *store.Latest) []byte {
	if l.Document == nil {
		return s.appendTombstone(b, l.Path, l.Version, l.Seq, l.At)
	}
	return appendDocument(b, s.kinds.Of(l.Path), l.Document)
}

func pullLimit(text string) (int, error) {
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > store.MaxLimit {
		// A smaller page than asked for would look like the last one.
		return 0, nestor.Errorf(nestor.CodeInvalid, "limit is a number from 1 to %d", store.MaxLimit)
	}
	return n, nil
}
