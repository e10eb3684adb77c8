package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Refresh trades a refresh token for the next two tokens. Two windows of one
// browser may do so at once, and an answer may get lost: for a moment, the
// options' RefreshGrace, the same token gets the same two once more.
//
// A token that comes again after that was stolen, by whoever sends it now or by
// whoever sent it before: then the session ends for both.
func (g *Gate) Refresh(ctx context.Context, refresh string) (t Tokens, err error) {
	id, ok := parseToken(refreshPrefix, refresh, 2*secretSize)
	if !ok {
		return Tokens{}, badToken()
	}
	defer g.records.remove(accessPrefix + id)
	stolen, salt := false, rand.Text()
	err = g.opts.Store.Update(ctx, func(tx store.Tx) error {
		stolen = false
		s, err := g.refreshable(tx, id, refresh)
		if err != nil {
			return err
		}
		now := g.opts.Now()
		switch {
		case isDigest(s.Refresh, refresh):
			t = g.successor(s.UserID, id, refresh, salt, now.Add(g.opts.AccessTTL), now.Add(g.opts.SessionTTL))
			return g.rotate(tx, t, s.Refresh, salt, now)
		case isDigest(s.Previous, refresh) && g.isRecent(s.PreviousUntil, now):
			t = g.successor(s.UserID, id, refresh, s.Salt, time.UnixMilli(s.AccessExpiresAt), time.UnixMilli(s.ExpiresAt))
			return nil
		}
		stolen = true
		return endSession(tx, s.UserID, id)
	})
	if err != nil {
		return Tokens{}, err
	}
	if stolen {
		g.opts.Logger.Warn("a refresh token was used twice, so its session was ended", "session", id)
		return Tokens{}, badToken()
	}
	return t, nil
}

// refreshable is the session whose refresh token this is or was.
func (g *Gate) refreshable(tx store.Tx, id, refresh string) (*sessionSecret, error) {
	s, err := store.Find[sessionSecret](tx, secretPath("sessions", id))
	if err != nil {
		return nil, err
	}
	if s == nil || !isDigest(s.Family, familyOf(refresh)) {
		return nil, badToken()
	}
	u, err := store.Find[standing](tx, userPath(s.UserID))
	if err != nil {
		return nil, err
	}
	listed, err := store.Find[Session](tx, sessionPath(s.UserID, id))
	if err != nil {
		return nil, err
	}
	if u == nil || u.Disabled || listed == nil || nestor.Millis(g.opts.Now()) >= s.ExpiresAt {
		return nil, badToken()
	}
	return s, nil
}

// isRecent reports whether a refresh token that was traded is still answered.
// If more time than RefreshGrace is left, the clock has been set back.
func (g *Gate) isRecent(until int64, now time.Time) bool {
	left := time.UnixMilli(until).Sub(now)
	return left > 0 && left <= g.opts.RefreshGrace
}

// rotate puts the next tokens in the place of those that a session has.
func (g *Gate) rotate(tx store.Tx, t Tokens, previous, salt string, now time.Time) error {
	next := t.secret()
	next.Previous, next.PreviousUntil, next.Salt = previous, nestor.Millis(now.Add(g.opts.RefreshGrace)), salt
	if _, err := tx.Put(secretPath("sessions", t.SessionID), next, store.AnyVersion); err != nil {
		return err
	}
	_, err := tx.Patch(sessionPath(t.UserID, t.SessionID), map[string]any{
		"refreshedAt": nestor.Millis(now), "expiresAt": nestor.Millis(t.RefreshExpires),
	}, store.AnyVersion)
	return err
}

// successor makes the tokens that follow a refresh token. They derive from it,
// so that they can be made once more though only their digests are kept.
// Neither what is stored nor the token is enough for that without the server's
// key.
func (g *Gate) successor(userID, id, refresh, salt string, access, session time.Time) Tokens {
	secret := func(kind string) string {
		m := hmac.New(sha256.New, g.opts.Key.derive("refreshed tokens"))
		m.Write([]byte(kind + " " + salt + " " + refresh))
		return base32.StdEncoding.EncodeToString(m.Sum(nil))[:secretSize]
	}
	return Tokens{
		UserID: userID, SessionID: id,
		Access:        accessPrefix + id + secret("access"),
		Refresh:       refreshPrefix + id + familyOf(refresh) + secret("refresh"),
		AccessExpires: access, RefreshExpires: session,
	}
}

// EndRefreshable ends the session whose refresh token this is or was, for a
// browser that logs out after its access token has expired. An unknown token
// ends nothing.
func (g *Gate) EndRefreshable(ctx context.Context, refresh string) error {
	id, ok := parseToken(refreshPrefix, refresh, 2*secretSize)
	if !ok {
		return nil
	}
	defer g.records.remove(accessPrefix + id)
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		s, err := store.Find[sessionSecret](tx, secretPath("sessions", id))
		if err != nil || s == nil || !isDigest(s.Family, familyOf(refresh)) {
			return err
		}
		return endSession(tx, s.UserID, id)
	})
}
