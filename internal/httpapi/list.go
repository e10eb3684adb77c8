package httpapi

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// listBelow lists a collection below the chat, or the agent, in the URL.
func listBelow(collection string) handler {
	return func(s *server, r *http.Request) (response, error) {
		var below []string
		if agent := r.PathValue("agent"); agent != "" {
			below = []string{"sub-agents", agent}
		}
		p, err := inChat(r, below...)
		if err != nil {
			return response{}, err
		}
		return s.list(r, store.Query{Collection: string(p) + "/" + collection}, p)
	}
}

// list answers with a page of a query. The document that the collection lies
// below must exist, if it is named.
func (s *server) list(r *http.Request, q store.Query, below nestor.Path) (response, error) {
	values := r.URL.Query()
	limit, err := limitOf(values.Get("limit"))
	if err != nil {
		return response{}, err
	}
	q.Limit, q.Cursor = limit, values.Get("cursor")
	var page store.Page
	err = s.view(r, func(tx store.Reader) (err error) {
		if below != "" {
			if _, err := tx.Get(below); err != nil {
				return err
			}
		}
		page, err = tx.Query(q)
		return err
	})
	return response{body: page}, err
}

// isList reports whether a route answers with a page of something.
func (r *route) isList() bool {
	return r.ID == "query" || slices.ContainsFunc(r.Query, func(p Parameter) bool { return p.Name == LimitParameter.Name })
}

// reading has a handler read a list when it is the caller's turn, and keeps of the list no
// more than the text.
func reading(h handler) handler {
	return func(s *server, r *http.Request) (response, error) {
		done, err := s.answers.Read(r.Context(), web.UserOf(r, s.Gate))
		if err != nil {
			return response{}, err
		}
		defer done()
		res, err := h(s, r)
		if err == nil && res.body != nil {
			res.text, res.body = web.Encode(res.body), nil
		}
		return res, err
	}
}

// limitOf reads how many items a client wants at most; 0 leaves it open.
func limitOf(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > store.MaxLimit {
		return 0, nestor.Errorf(nestor.CodeInvalid, "limit is a number from 1 to %d", store.MaxLimit)
	}
	return n, nil
}
