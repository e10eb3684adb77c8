package connection

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Secrets are what a client says about the secret part of a connection.
type Secrets struct {
	// Secret is the key: nil keeps the one that is stored, "" removes it.
	Secret *string
	// Headers are sent with every request: nil keeps those that are stored, none
	// removes them.
	Headers map[string]string
}

// Save writes a connection of a user, new or not, in one transaction with its
// secrets. Stored secrets are not kept for another address. A version other
// than [store.AnyVersion] must be the one that the connection has now.
func (s *Connections) Save(ctx context.Context, userID string, c Connection, given Secrets, version int64) (Connection, error) {
	if err := nestor.CheckID(c.ID); err != nil {
		return c, err
	}
	if _, fixed := s.given(c.ID); fixed {
		return c, readOnly()
	}
	c.ReadOnly = false
	if err := c.check(); err != nil {
		return c, err
	}
	key := ""
	if given.Secret != nil {
		key = strings.TrimSpace(*given.Secret)
	}
	if err := checkSecret(key); err != nil {
		return c, err
	}
	if err := checkHeaders(given.Headers); err != nil {
		return c, err
	}
	p, at := documentPath(userID, c.ID), secretPath(userID, c.ID)
	var saved *nestor.Document
	err := s.opts.Store.Update(ctx, func(tx store.Tx) error {
		exists, err := has(tx, p)
		if err != nil {
			return err
		}
		kept, err := store.Find[sealed](tx, at)
		if err != nil {
			return err
		}
		confined, err := s.confined(tx, userID)
		if err != nil {
			return err
		}
		if confined {
			if err := checkPublic(c.BaseURL); err != nil {
				return err
			}
		}
		if !exists {
			kept, err = nil, discard(tx, at, kept) // nothing is inherited from a connection that was deleted
			if err != nil {
				return err
			}
		}
		if kept, err = s.merge(tx, at, kept, given, key, c.origin()); err != nil {
			return err
		}
		c.HasSecret, c.HeaderNames = kept.Sealed != "", kept.HeaderNames
		if err := s.checkFallback(tx, userID, c); err != nil {
			return err
		}
		saved, err = tx.Put(p, c, version)
		return err
	})
	if err != nil {
		return c, err
	}
	return nestor.As[Connection](saved)
}

// merge writes what is secret about a connection and returns it.
func (s *Connections) merge(tx store.Tx, at nestor.Path, kept *sealed, given Secrets, key, origin string) (*sealed, error) {
	next := &sealed{Origin: origin}
	if kept != nil {
		next.Sealed, next.Headers, next.HeaderNames = kept.Sealed, kept.Headers, kept.HeaderNames
	}
	if given.Secret != nil {
		next.Sealed = ""
	}
	if given.Headers != nil {
		next.Headers, next.HeaderNames = "", nil
	}
	if kept != nil && kept.Origin != origin {
		switch {
		case next.Sealed != "":
			return nil, invalid("secret", "must be given again, or removed with \"\": it was given for another accessFormat or baseUrl")
		case next.Headers != "":
			return nil, invalid("headers", "must be given again, or removed with {}: they were given for another accessFormat or baseUrl")
		}
	}
	if key != "" {
		next.Sealed = s.opts.Key.Seal(string(at), key)
	}
	if len(given.Headers) > 0 {
		text, err := json.Marshal(given.Headers)
		if err != nil {
			return nil, err
		}
		next.Headers, next.HeaderNames = s.opts.Key.Seal(headersOf(at), string(text)), slices.Sorted(maps.Keys(given.Headers))
	}
	switch {
	case next.Sealed == "" && next.Headers == "":
		return next, discard(tx, at, kept)
	case kept != nil && given.Secret == nil && given.Headers == nil:
		return next, nil
	}
	_, err := tx.Put(at, *next, store.AnyVersion)
	return next, err
}

func discard(tx store.Tx, at nestor.Path, kept *sealed) error {
	if kept == nil {
		return nil
	}
	return tx.Delete(at, store.AnyVersion)
}

// headersOf is the context that headers are sealed with: they cannot be passed
// off as a key.
func headersOf(at nestor.Path) string { return string(at) + "#headers" }

// checkFallback follows the chain that c would begin.
func (s *Connections) checkFallback(r store.Reader, userID string, c Connection) error {
	seen := map[string]bool{c.ID: true}
	for id := c.FallbackID; id != ""; {
		if _, fixed := s.given(id); fixed {
			return nil
		}
		if seen[id] {
			return invalid("fallbackId", "leads back to %s", id)
		}
		seen[id] = true
		if err := nestor.CheckID(id); err != nil {
			return invalid("fallbackId", "is not an id: %w", err)
		}
		next, err := get(r, userID, id)
		if errors.Is(err, nestor.ErrNotFound) || errors.Is(err, nestor.ErrInvalid) {
			return invalid("fallbackId", "leads nowhere: %w", err)
		}
		if err != nil {
			return err
		}
		id = next.FallbackID
	}
	return nil
}

// Forget removes the secrets of all connections of a user who is about to be
// deleted, along with the connections.
func Forget(tx store.Tx, userID string) error {
	return store.Clear(tx, secretPath(userID, "x").Collection())
}

// Delete removes a connection of a user and its secret in one transaction.
func (s *Connections) Delete(ctx context.Context, userID, id string, version int64) error {
	if _, fixed := s.given(id); fixed {
		return readOnly()
	}
	if err := nestor.CheckID(id); err != nil {
		return err
	}
	err := s.opts.Store.Update(ctx, func(tx store.Tx) error {
		exists, err := has(tx, documentPath(userID, id))
		if err != nil {
			return err
		}
		if !exists {
			return missing(id)
		}
		if err := tx.Delete(documentPath(userID, id), version); err != nil {
			return err
		}
		kept, err := store.Find[sealed](tx, secretPath(userID, id))
		if err != nil || kept == nil {
			return err
		}
		return tx.Delete(secretPath(userID, id), store.AnyVersion)
	})
	if err == nil {
		s.forget(userID, id)
	}
	return err
}
