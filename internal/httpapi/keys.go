package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

func (s *server) listKeys(r *http.Request) (response, error) {
	return s.list(r, store.Query{Collection: "users/" + subject(r) + "/keys"}, "")
}

type newKey struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	// ExpiresAt is Unix milliseconds. Left out, the key does not expire.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
}

func (s *server) postKey(r *http.Request) (response, error) {
	p, err := nestor.ParsePath("users/" + subject(r))
	if err != nil {
		return response{}, err
	}
	if err := s.checkAct(r, p); err != nil {
		return response{}, err
	}
	var req newKey
	if err := read(r, &req); err != nil {
		return response{}, err
	}
	made, key, err := s.Gate.CreateAPIKey(r.Context(), p.ID(), access.APIKey{
		Name: req.Name, Scopes: req.Scopes, ExpiresAt: req.ExpiresAt,
	})
	if err != nil {
		return response{}, err
	}
	return response{status: http.StatusCreated, body: madeKey{made, key}}, nil
}

// madeKey is the only answer that holds a key.
type madeKey struct {
	access.APIKey
	Key string `json:"key"`
}

func (s *server) deleteKey(r *http.Request) (response, error) {
	p, err := nestor.ParsePath("users/" + subject(r) + "/keys/" + r.PathValue("id"))
	if err != nil {
		return response{}, err
	}
	if err := s.checkAct(r, p); err != nil {
		return response{}, err
	}
	return response{}, s.Gate.RevokeAPIKey(r.Context(), p.UserID(), p.ID())
}
