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

func (s Secrets) key() string {
	if s.Secret == nil {
		return ""
	}
	return strings.TrimSpace(*s.Secret)
}

// Save writes a connection of a user in a transaction of its own; see
// [Connections.SaveIn].
func (s *Connections) Save(ctx context.Context, userID string, c Connection, given Secrets, version int64) (Connection, error) {
	var saved *nestor.Document
	var chosen string
	err := s.opts.Store.Update(ctx, func(tx store.Tx) (err error) {
		if saved, err = s.SaveIn(tx, userID, c, given, version); err != nil {
			return err
		}
		chosen, err = s.chosen(tx, userID)
		return err
	})
	if err != nil {
		return c, err
	}
	c, err = nestor.As[Connection](saved)
	c.Default = c.ID == chosen
	return c, err
}

// SaveIn writes a connection of a user, new or not, in the transaction that also
// writes its secrets. Stored secrets are not kept for another address. A version
// other than [store.AnyVersion] must be the one that the connection has now.
func (s *Connections) SaveIn(tx store.Tx, userID string, c Connection, given Secrets, version int64) (*nestor.Document, error) {
	exists, err := s.prepare(tx, userID, &c, given)
	if err != nil {
		return nil, err
	}
	if err := s.secure(tx, userID, &c, given, exists); err != nil {
		return nil, err
	}
	return tx.Put(documentPath(userID, c.ID), c, version)
}

// CreateIn is SaveIn for a connection that must be new.
func (s *Connections) CreateIn(tx store.Tx, userID string, c Connection, given Secrets) (*nestor.Document, error) {
	exists, err := s.prepare(tx, userID, &c, given)
	switch {
	case err != nil:
		return nil, err
	case exists:
		return nil, nestor.Errorf(nestor.CodeExists, "there is a model connection %s already", c.ID)
	}
	if err := s.secure(tx, userID, &c, given, false); err != nil {
		return nil, err
	}
	return tx.Create(documentPath(userID, c.ID), c)
}

// PatchIn changes fields of a connection by a JSON merge patch (RFC 7396).
func (s *Connections) PatchIn(tx store.Tx, userID, id string, patch json.RawMessage, given Secrets, version int64) (*nestor.Document, error) {
	before, err := get(tx, userID, id)
	if err != nil {
		return nil, err
	}
	old, err := store.Object(before.Connection)
	if err != nil {
		return nil, err
	}
	change, err := store.Object(patch)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(store.Merge(old, change))
	if err != nil {
		return nil, err
	}
	var c Connection
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	c.ID = id
	return s.SaveIn(tx, userID, c, given, version)
}

// CloneIn makes a copy of a connection with its secrets, which are opened and
// sealed again here: neither the caller nor any document ever holds them.
func (s *Connections) CloneIn(tx store.Tx, userID, from, to string) (*nestor.Document, error) {
	e, err := get(tx, userID, from)
	if err != nil {
		return nil, err
	}
	open, err := s.unseal(userID, e)
	if err != nil {
		return nil, err
	}
	c := e.Connection
	c.ID = to
	return s.CreateIn(tx, userID, c, Secrets{Secret: &open.Key, Headers: open.Headers})
}

// prepare checks what a client says about a connection, fills its defaults and
// reports whether it is there already.
func (s *Connections) prepare(r store.Reader, userID string, c *Connection, given Secrets) (exists bool, err error) {
	if err := nestor.CheckID(c.ID); err != nil {
		return false, err
	}
	if _, fixed := s.given(c.ID); fixed {
		return false, readOnly()
	}
	c.ReadOnly, c.Default = false, false
	if err := c.check(); err != nil {
		return false, err
	}
	if err := checkSecret(given.key()); err != nil {
		return false, err
	}
	if err := checkHeaders(given.Headers); err != nil {
		return false, err
	}
	confined, err := s.confined(r, userID)
	if err != nil {
		return false, err
	}
	if confined {
		if err := checkPublic(c.BaseURL); err != nil {
			return false, err
		}
	}
	if err := s.checkFallback(r, userID, *c); err != nil {
		return false, err
	}
	return has(r, documentPath(userID, c.ID))
}

// secure writes what is secret about a connection and has c say what there is.
func (s *Connections) secure(tx store.Tx, userID string, c *Connection, given Secrets, exists bool) error {
	at := secretPath(userID, c.ID)
	kept, err := store.Find[sealed](tx, at)
	if err != nil {
		return err
	}
	if !exists { // nothing is inherited from a connection that was deleted
		if err := discard(tx, at, kept); err != nil {
			return err
		}
		kept = nil
	}
	if kept, err = s.merge(tx, at, kept, given, c.origin()); err != nil {
		return err
	}
	c.HasSecret, c.HeaderNames = kept.Sealed != "", kept.HeaderNames
	return nil
}

// merge writes what is secret about a connection and returns it.
func (s *Connections) merge(tx store.Tx, at nestor.Path, kept *sealed, given Secrets, origin string) (*sealed, error) {
	next, err := s.seal(at, kept, given, origin)
	switch {
	case err != nil:
		return nil, err
	case next.Sealed == "" && next.Headers == "":
		return next, discard(tx, at, kept)
	case kept != nil && given.Secret == nil && given.Headers == nil:
		return next, nil
	}
	_, err = tx.Put(at, *next, store.AnyVersion)
	return next, err
}

// seal is what is secret about a connection once a client has said what it says.
// What was kept is not taken along to another address.
func (s *Connections) seal(at nestor.Path, kept *sealed, given Secrets, origin string) (*sealed, error) {
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
	if key := given.key(); key != "" {
		next.Sealed = s.opts.Key.Seal(string(at), key)
	}
	if len(given.Headers) > 0 {
		text, err := json.Marshal(given.Headers)
		if err != nil {
			return nil, err
		}
		next.Headers, next.HeaderNames = s.opts.Key.Seal(headersOf(at), string(text)), slices.Sorted(maps.Keys(given.Headers))
	}
	return next, nil
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

// Delete removes a connection of a user and its secret in one transaction. If it was
// the user's default, that is the environment's again.
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
		if err := unchoose(tx, userID, id); err != nil {
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
