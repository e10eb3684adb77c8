package access

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// LinkTTL is how long a link can be opened.
const LinkTTL = time.Hour

// link is what is stored of a link, under the digest of its token.
type link struct {
	ExpiresAt int64 `json:"expiresAt"` // Unix milliseconds
}

// NewLink makes the token of a link that [Gate.Exchange] takes once. It lies in
// the database, so whoever can write there can have a link to every server on
// it.
func (g *Gate) NewLink(ctx context.Context) (token string, err error) {
	token = oneTimePrefix + rand.Text()
	err = g.opts.Store.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(linkPath(token), link{nestor.Millis(g.opts.Now().Add(LinkTTL))})
		return err
	})
	return token, err
}

func linkPath(token string) nestor.Path { return secretPath("links", digest(token)) }

// Exchange trades the token of a link, once, for a session of the user [Local],
// who is an admin and is made if need be.
func (g *Gate) Exchange(ctx context.Context, token string, from Client) (Tokens, error) {
	return g.enter(ctx, from, func(tx store.Tx) error {
		l, err := store.Find[link](tx, linkPath(token))
		if err != nil {
			return err
		}
		if l == nil || nestor.Millis(g.opts.Now()) >= l.ExpiresAt {
			return nestor.Errorf(nestor.CodeUnauthenticated, "this link was used already or is too old: `nestor link` prints a new one")
		}
		return tx.Delete(linkPath(token), store.AnyVersion)
	})
}

// LoginToken trades NESTOR_TOKEN for a session of the user [Local], for a browser.
// The error is of [nestor.CodeUnauthenticated] for a wrong one, and of
// [nestor.CodeRateLimited] after too many of them.
func (g *Gate) LoginToken(ctx context.Context, token string, from Client) (Tokens, error) {
	right, err := g.isLocalToken(ctx, token, from)
	if err != nil {
		return Tokens{}, err
	}
	if !right {
		return Tokens{}, nestor.Errorf(nestor.CodeUnauthenticated, "this is not the token of the server, which is the value of NESTOR_TOKEN where it was started")
	}
	return g.enter(ctx, from, func(store.Tx) error { return nil })
}

// enter starts a session of the user [Local], if may allows it in the same
// transaction.
func (g *Gate) enter(ctx context.Context, from Client, may func(store.Tx) error) (Tokens, error) {
	t := g.newTokens(Local)
	err := g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if err := may(tx); err != nil {
			return err
		}
		if err := ensureLocal(tx); err != nil {
			return err
		}
		return g.begin(tx, t, from)
	})
	if err != nil {
		return Tokens{}, err
	}
	return t, nil
}

// ensureLocal makes the user [Local] if there is none yet.
func ensureLocal(tx store.Tx) error {
	u, err := store.Find[standing](tx, userPath(Local))
	if err != nil || u != nil {
		return err
	}
	_, err = tx.Create(userPath(Local), User{Name: Local, Admin: true})
	return err
}
