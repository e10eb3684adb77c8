package access

import (
	"context"
	"crypto/rand"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Session is a login that goes on, stored at users/{userId}/sessions/{id}. It
// survives restarts.
type Session struct {
	nestor.Meta
	// Address and Agent are those of the login.
	Address string `json:"address,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// RefreshedAt and ExpiresAt are Unix milliseconds.
	RefreshedAt int64 `json:"refreshedAt"`
	ExpiresAt   int64 `json:"expiresAt"`
}

// Tokens are what a session is used with: the access token with every request,
// the refresh token once, to get the next two.
type Tokens struct {
	UserID, SessionID string
	Access            string `json:"-"`
	Refresh           string `json:"-"`
	AccessExpires     time.Time
	RefreshExpires    time.Time
}

// String hides the tokens from whoever prints them.
func (t Tokens) String() string { return "session " + t.SessionID + " (tokens hidden)" }

// GoString does the same for %#v.
func (t Tokens) GoString() string { return t.String() }

// sessionSecret is what is stored of a session's tokens.
type sessionSecret struct {
	UserID          string `json:"userId"`
	Access          string `json:"access"` // digest
	AccessExpiresAt int64  `json:"accessExpiresAt"`
	Refresh         string `json:"refresh"` // digest
	// Family is the digest of the part that all refresh tokens of the session
	// share. It tells a token that was used before from one that never existed.
	Family    string `json:"family"`
	ExpiresAt int64  `json:"expiresAt"`
	// Previous is the digest of the refresh token before this one, which is still
	// answered until PreviousUntil. The present tokens were made of it and of
	// Salt.
	Previous      string `json:"previous,omitempty"`
	PreviousUntil int64  `json:"previousUntil,omitempty"`
	Salt          string `json:"salt,omitempty"`
}

const (
	// maxSessions is how many sessions a user has; a login beyond it ends the
	// oldest.
	maxSessions = 100
	maxText     = 300 // bytes
)

func sessionPath(userID, id string) nestor.Path { return userPath(userID).Child("sessions", id) }

// newTokens makes the first tokens of a session.
func (g *Gate) newTokens(userID string) Tokens {
	now, id := g.opts.Now(), nestor.NewID()
	return Tokens{
		UserID: userID, SessionID: id,
		Access: mint(accessPrefix, id), Refresh: mint(refreshPrefix, id+rand.Text()),
		AccessExpires: now.Add(g.opts.AccessTTL), RefreshExpires: now.Add(g.opts.SessionTTL),
	}
}

// familyOf is the part that a session's refresh tokens share.
func familyOf(refresh string) string {
	rest := refresh[len(refreshPrefix)+idSize:]
	return rest[:len(rest)-secretSize]
}

func (t Tokens) secret() sessionSecret {
	return sessionSecret{
		UserID: t.UserID, Access: digest(t.Access), AccessExpiresAt: nestor.Millis(t.AccessExpires),
		Refresh: digest(t.Refresh), Family: digest(familyOf(t.Refresh)), ExpiresAt: nestor.Millis(t.RefreshExpires),
	}
}

// begin writes a new session.
func (g *Gate) begin(tx store.Tx, t Tokens, from Client) error {
	if err := endSessions(tx, t.UserID, maxSessions-1); err != nil {
		return err
	}
	s := Session{
		Address: printable(from.Address), Agent: printable(from.Agent),
		RefreshedAt: nestor.Millis(g.opts.Now()), ExpiresAt: nestor.Millis(t.RefreshExpires),
	}
	if _, err := tx.Create(sessionPath(t.UserID, t.SessionID), s); err != nil {
		return err
	}
	_, err := tx.Create(secretPath("sessions", t.SessionID), t.secret())
	return err
}

// printable is what is kept of a text that a client sent.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), maxText)], ""))
}

// EndSession revokes a session of a user, at once on this node and within a
// second on others.
func (g *Gate) EndSession(ctx context.Context, on OnSession) error {
	defer g.records.remove(accessPrefix + on.id)
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Get(sessionPath(on.user, on.id)); err != nil {
			return err
		}
		if err := endSession(tx, on.user, on.id); err != nil {
			return err
		}
		return note(ctx, tx, on.user, SessionEnded, on.id)
	})
}

func endSession(tx store.Tx, userID, id string) error {
	if err := remove(tx, sessionPath(userID, id)); err != nil {
		return err
	}
	return remove(tx, secretPath("sessions", id))
}

// endSessions ends the oldest sessions of a user until keep are left.
func endSessions(tx store.Tx, userID string, keep int) error {
	page, err := tx.Query(store.Query{Collection: sessionPath(userID, "x").Collection(), Limit: store.MaxLimit})
	if err != nil {
		return err
	}
	for _, d := range page.Items[:max(0, len(page.Items)-keep)] {
		if err := endSession(tx, userID, d.Path.ID()); err != nil {
			return err
		}
	}
	return nil
}
