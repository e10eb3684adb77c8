package connection

import (
	"context"
	"errors"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Save writes a connection of a user, new or not, in one transaction with its
// secret: nil keeps the one that is stored, "" removes it. A stored secret is
// not kept for another address. A version other than [store.AnyVersion] must be
// the one the connection has now.
func (s *Connections) Save(ctx context.Context, userID string, c Connection, secret *string, version int64) (Connection, error) {
	if err := nestor.CheckID(c.ID); err != nil {
		return c, err
	}
	if c.ID == Default {
		return c, readOnly()
	}
	c.ReadOnly = false
	if err := c.check(); err != nil {
		return c, err
	}
	text := ""
	if secret != nil {
		text = strings.TrimSpace(*secret)
	}
	if err := checkSecret(text); err != nil {
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
		c.HasSecret = text != ""
		switch {
		case text != "":
			_, err = tx.Put(at, sealed{Sealed: s.opts.Key.Seal(string(at), text), Origin: c.origin()}, store.AnyVersion)
		case kept == nil:
		case secret != nil || !exists: // nothing is inherited from a connection that was deleted
			err = tx.Delete(at, store.AnyVersion)
		case kept.Origin != c.origin():
			err = invalid("secret", "must be given again, or removed with \"\": it was given for another accessFormat or baseUrl")
		default:
			c.HasSecret = true
		}
		if err != nil {
			return err
		}
		if err := checkFallback(tx, userID, c); err != nil {
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

// checkFallback follows the chain that c would begin.
func checkFallback(r store.Reader, userID string, c Connection) error {
	seen := map[string]bool{c.ID: true}
	for id := c.FallbackID; id != "" && id != Default; {
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
	q := store.Query{Collection: secretPath(userID, "x").Collection(), Limit: store.MaxLimit}
	for {
		page, err := tx.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if err := tx.Delete(d.Path, store.AnyVersion); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// Delete removes a connection of a user and its secret in one transaction.
func (s *Connections) Delete(ctx context.Context, userID, id string, version int64) error {
	if id == Default {
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
