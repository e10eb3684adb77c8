package access

import (
	"context"
	"crypto/rand"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// OneTimeToken makes the token that a local server prints in its URL. It
// replaces the one before and is good until [Gate.Exchange] or the end of the
// process.
func (g *Gate) OneTimeToken() string {
	token := oneTimePrefix + rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.oneTime = digest(token)
	return token
}

// Exchange trades the one-time token, once, for a session of the user [Local],
// who is an admin and is made if need be.
func (g *Gate) Exchange(ctx context.Context, token string, from Client) (Tokens, error) {
	if !g.takeOneTime(token) {
		return Tokens{}, nestor.Errorf(nestor.CodeUnauthenticated,
			"this link was used already or is of an earlier start: the server prints a new one when it starts")
	}
	t := g.newTokens(Local)
	err := g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if err := ensureLocal(tx); err != nil {
			return err
		}
		return g.begin(tx, t, from)
	})
	return t, err
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

func (g *Gate) takeOneTime(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.oneTime == "" || !isDigest(g.oneTime, token) {
		return false
	}
	g.oneTime = ""
	return true
}
