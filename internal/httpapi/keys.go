package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

func (s *server) listKeys(r *http.Request) (response, error) { return s.listOf(r, "keys") }

// listOf lists a collection of the user whom a request is about.
func (s *server) listOf(r *http.Request, collection string) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	return s.list(r, store.Query{Collection: user.Collection(collection)}, "")
}

type newKey struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	// ExpiresAt is Unix milliseconds. Left out, the key does not expire.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
}

func (s *server) postKey(r *http.Request) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	on, err := s.leave(r).OnUser(user)
	if err != nil {
		return response{}, err
	}
	if err := mayMint(callerOf(r), user); err != nil {
		return response{}, err
	}
	var req newKey
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	made, key, err := s.Gate.CreateAPIKey(r.Context(), on, access.APIKey{
		Name: req.Name, Scopes: req.Scopes, ExpiresAt: req.ExpiresAt,
	})
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusCreated, body: madeKey{made, key}}, nil
}

// mayMint keeps administrators from acting as others: a key would show them
// chats that are not theirs. Whoever has NESTOR_TOKEN sees everything anyway.
func mayMint(c access.Caller, user access.Subject) error {
	if c.UserID == user.ID() || c.Kind == access.AsLocal {
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "users make their own keys: ask %s for one", user.ID())
}

// madeKey is the only answer that holds a key.
type madeKey struct {
	access.APIKey
	Key string `json:"key"`
}

func (s *server) deleteKey(r *http.Request) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	on, err := s.leave(r).OnKey(user, r.PathValue("id"))
	if err != nil {
		return response{}, err
	}
	return response{}, s.Gate.RevokeAPIKey(r.Context(), on)
}
