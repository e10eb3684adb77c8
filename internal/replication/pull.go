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
	// chunk is how many documents are read at a time, and flushAt how many
	// bytes of them are kept before they are sent: pages need no more memory
	// than that, however large they are.
	chunk   = 200
	flushAt = 256 << 10
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
	n, begun := 0, false
	for more := true; more && n < limit; {
		delta, err := s.Store.Since(r.Context(), scope.Scope, at, min(limit-n, chunk))
		if err != nil && begun {
			panic(http.ErrAbortHandler) // half a page must not pass for a whole one
		}
		if err != nil {
			return err
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
		if len(page) > flushAt {
			writeJSON(w, page)
			page, begun = page[:0], true
		}
	}
	page = append(page, `],"checkpoint":`...)
	page = append(appendCheckpoint(page, at), '}')
	writeJSON(w, page)
	return nil
}

func (s *server) appendLatest(b []byte, l *store.Latest) []byte {
	if l.Document == nil {
		return s.appendTombstone(b, l.Path, l.Version, l.Seq, l.At)
	}
	return appendDocument(b, l.Document)
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
