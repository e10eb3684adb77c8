package access

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// APIKey lets a program act for a user, stored at users/{userId}/keys/{id}. The
// key itself is shown once, when it is made.
type APIKey struct {
	nestor.Meta
	Name string `json:"name"`
	// Scopes say how much of what its user may do the key may do; see
	// [checkScopes].
	Scopes []string `json:"scopes"`
	// Hint is how the key ends.
	Hint string `json:"hint"`
	// ExpiresAt is Unix milliseconds, 0 for never.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
	// LastUsedAt is about when the key was last used, 0 for never.
	LastUsedAt int64 `json:"lastUsedAt,omitempty"`
}

// apiKeySecret is what a key may do. The plain document only shows it.
type apiKeySecret struct {
	UserID    string   `json:"userId"`
	Digest    string   `json:"digest"`
	Scopes    []string `json:"scopes"`
	ExpiresAt int64    `json:"expiresAt,omitempty"`
}

const (
	maxAPIKeys = 100 // of a user
	maxKeyName = 100
	hintSize   = 4
	// lastUsedStep is how exact LastUsedAt is: a busy key causes one write per
	// step.
	lastUsedStep = 10 * time.Minute
)

func apiKeyPath(userID, id string) nestor.Path { return userPath(userID).Child("keys", id) }

// CreateAPIKey makes a key for a user and returns it along with its document.
// It cannot be shown again. Of k only the name, the scopes and the expiry
// count.
func (g *Gate) CreateAPIKey(ctx context.Context, on OnUser, k APIKey) (_ APIKey, key string, err error) {
	userID := on.user
	if err := k.check(g.opts.Now()); err != nil {
		return APIKey{}, "", err
	}
	id := nestor.NewID()
	key = mint(apiKeyPrefix, id)
	k.Hint, k.LastUsedAt = key[len(key)-hintSize:], 0
	secret := apiKeySecret{UserID: userID, Digest: digest(key), Scopes: k.Scopes, ExpiresAt: k.ExpiresAt}
	var saved *nestor.Document
	err = g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if userID == Local {
			if err := ensureLocal(tx); err != nil {
				return err
			}
		}
		if _, err := tx.Get(userPath(userID)); err != nil {
			return err
		}
		page, err := tx.Query(store.Query{Collection: apiKeyPath(userID, id).Collection(), Limit: maxAPIKeys})
		if err != nil {
			return err
		}
		if len(page.Items) == maxAPIKeys {
			return nestor.Errorf(nestor.CodeInvalid, "a user has at most %d keys: revoke one first", maxAPIKeys)
		}
		if saved, err = tx.Create(apiKeyPath(userID, id), k); err != nil {
			return err
		}
		if _, err = tx.Create(secretPath("keys", id), secret); err != nil {
			return err
		}
		return note(ctx, tx, userID, KeyMade, id)
	})
	if err != nil {
		return APIKey{}, "", err
	}
	k, err = nestor.As[APIKey](saved)
	return k, key, err
}

func (k *APIKey) check(now time.Time) error {
	if strings.TrimSpace(k.Name) == "" || !utf8.ValidString(k.Name) || utf8.RuneCountInString(k.Name) > maxKeyName ||
		strings.ContainsFunc(k.Name, unicode.IsControl) {
		return nestor.Errorf(nestor.CodeInvalid, "name says what the key is for, in 1 to %d characters", maxKeyName).With("field", "name")
	}
	if k.ExpiresAt != 0 && k.ExpiresAt <= nestor.Millis(now) {
		return nestor.Errorf(nestor.CodeInvalid, "expiresAt is a time to come, in Unix milliseconds").With("field", "expiresAt")
	}
	return checkScopes(k.Scopes)
}

// APIKeys returns the keys of a user, oldest first.
func (g *Gate) APIKeys(ctx context.Context, of Subject) (list []APIKey, err error) {
	_, err = listed(ctx, g, store.Query{Collection: of.Collection("keys"), Limit: store.MaxLimit}, &list)
	return list, err
}

// RevokeAPIKey ends a key of a user, at once on this node and within a second on
// others.
func (g *Gate) RevokeAPIKey(ctx context.Context, on OnKey) error {
	defer g.records.remove(apiKeyPrefix + on.id)
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if err := tx.Delete(apiKeyPath(on.user, on.id), store.AnyVersion); err != nil {
			return err
		}
		if err := remove(tx, secretPath("keys", on.id)); err != nil {
			return err
		}
		return note(ctx, tx, on.user, KeyRevoked, on.id)
	})
}

// used notes that a key is in use, at most once in lastUsedStep on all nodes.
func (g *Gate) used(ctx context.Context, rec record) {
	now := g.opts.Now()
	if now.Sub(rec.lastUsed) < lastUsedStep {
		return
	}
	defer g.records.remove(apiKeyPrefix + rec.id)
	at := apiKeyPath(rec.userID, rec.id)
	err := g.opts.Store.Update(ctx, func(tx store.Tx) error {
		k, err := store.Find[APIKey](tx, at)
		if err != nil || k == nil || now.Sub(time.UnixMilli(k.LastUsedAt)) < lastUsedStep {
			return err
		}
		_, err = tx.Patch(at, map[string]any{"lastUsedAt": nestor.Millis(now)}, store.AnyVersion)
		return err
	})
	if err != nil { // the key is good all the same
		g.opts.Logger.Warn("the last use of an API key was not noted", "key", rec.id, "error", err)
	}
}
