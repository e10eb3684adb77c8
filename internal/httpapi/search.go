package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/search"
	"github.com/nestorhq/nestor/internal/store"
)

const (
	defaultFinds = 20
	maxFinds     = 100
	maxSought    = 300 // characters of what is looked for
)

// findPage is what a search answers with.
type findPage struct {
	Items []search.Find `json:"items"`
	// Next goes on with what is older; "" if there is nothing. A page may have few items,
	// or none, and yet a next one.
	Next string `json:"next,omitempty"`
	// SearchedTo is how far back was searched, in Unix milliseconds, if there is a next
	// page.
	SearchedTo int64 `json:"searchedTo,omitempty"`
}

var searchParameters = []Parameter{
	{Name: "q", Description: "The words to look for, 1 to 10. All must occur, in any case and order.", Schema: openapi.Text(), Example: "sums", Required: true},
	{Name: "chatId", Description: "Only in this chat.", Schema: openapi.Text()},
}

// search looks for what was said in the chats that the caller may read.
func (s *server) search(r *http.Request) (response, error) {
	values := r.URL.Query()
	q := values.Get("q")
	if utf8.RuneCountInString(q) > maxSought {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "q has at most %d characters", maxSought).With("field", "q")
	}
	words, err := store.Words(q)
	if err != nil {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "q: %w", err).With("field", "q")
	}
	ask := search.Ask{Words: words, Me: callerOf(r).UserID}
	ask.Limit, err = limitOf(values.Get("limit"))
	if err != nil || ask.Limit > maxFinds {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "limit is a number from 1 to %d", maxFinds).With("field", "limit")
	}
	ask.Limit = cmp.Or(ask.Limit, defaultFinds)
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	if values.Has("user") {
		ask.In = user.ID()
	}
	if id := values.Get("chatId"); id != "" {
		if ask.Chat, err = nestor.ParsePath(user.Collection("orch-chats") + "/" + id); err != nil {
			return response{}, err
		}
	}
	if cursor := values.Get("cursor"); cursor != "" {
		opened, err := s.Rules.OpenCursor(cursor)
		if err != nil {
			return response{}, err
		}
		if err := json.Unmarshal([]byte(opened), &ask.Before); err != nil {
			return response{}, nestor.Errorf(nestor.CodeInvalid, "the cursor is of no search: pass on the next of its last page")
		}
	}
	var found search.Finds
	err = s.view(r, func(may store.Reader) (err error) {
		if ask.Chat != "" {
			if _, err := may.Get(ask.Chat); err != nil {
				return err
			}
		}
		found, err = search.Look(s.Store.Catalogue(), may, ask)
		return err
	})
	if err != nil {
		return response{}, err
	}
	page := findPage{Items: found.Items}
	if found.Reached != nil {
		at, err := json.Marshal(found.Reached)
		if err != nil {
			return response{}, err
		}
		page.Next, page.SearchedTo = s.Rules.SealCursor(string(at)), found.Reached.CreatedAt
	}
	return response{body: page}, nil
}
