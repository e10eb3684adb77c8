package httpapi

import (
	"net/http"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// How many documents go in one transaction: those with nothing below them, and others.
const (
	manyAtOnce = 500
	someAtOnce = 20
)

// empty stops what goes on in a chat that is about to be deleted, and deletes most of what lies
// below it if that is much. Forks keep what they share in the transaction that deletes the
// chat, so messages wait for it if there are forks.
func (s *server) empty(r *http.Request, chat nestor.Path) error {
	if s.Agents != nil {
		if err := s.Agents.Stop(r.Context(), chat, callerOf(r).UserID); err != nil {
			return err
		}
	}
	var much []string
	err := s.Store.View(r.Context(), func(all store.Reader) error {
		much = nil
		agents := store.Query{Collection: string(chat) + "/sub-agents"}
		err := store.Each(all, agents, func(at nestor.Path, _ *struct{}) {
			much = append(much, string(at)+"/tool-calls", string(at)+"/messages")
		})
		if err != nil {
			return err
		}
		forks, err := all.Query(store.Query{Collection: string(chat) + "/forks", Limit: 1})
		if len(forks.Items) == 0 {
			much = append(much, string(chat)+"/messages")
		}
		return err
	})
	for _, collection := range much {
		if err == nil {
			err = store.Thin(r.Context(), s.Store, collection, manyAtOnce)
		}
	}
	return err
}

// emptyUser deletes most of what a user has beside chats, if that is much.
func (s *server) emptyUser(r *http.Request, user nestor.Path) error {
	all := s.Store.Catalogue().All()
	for _, c := range all {
		if len(c.Keys) != 1 || c.Keys[0].Field != "userId" || access.Keeps(c) {
			continue
		}
		few := manyAtOnce
		if slices.ContainsFunc(all, func(below *store.Collection) bool { return below.Parent == c }) {
			few = someAtOnce
		}
		collection := c.Path([]string{user.ID()}, "x").Collection()
		if err := store.Thin(r.Context(), s.Store, collection, few); err != nil {
			return err
		}
	}
	return nil
}
