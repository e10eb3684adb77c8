package access

import (
	"time"

	"github.com/nestorhq/nestor"
)

// Kind says how a caller showed who they are.
type Kind string

// The kinds of callers.
const (
	Anonymous Kind = "anonymous"
	// InSession is a person, mostly with a browser.
	InSession Kind = "session"
	WithKey   Kind = "key"
	// AsLocal is the bearer of NESTOR_TOKEN.
	AsLocal Kind = "local"
	// AsWebhook is the receiver of a webhook, with the grant that came with it.
	AsWebhook Kind = "webhook"
)

// Caller is who is asking.
type Caller struct {
	// UserID is "" for nobody, and for a grant outside of a user's documents.
	UserID string
	// Admin may look after users, keys, jobs and triggers.
	Admin bool
	Kind  Kind
	// ID is that of the session or key.
	ID string
	// Scopes are those of a key.
	Scopes []string
	// Grant is that of a webhook receiver.
	Grant Grant
	// Ends is when the session, key or grant is over, zero for never. A session
	// that is refreshed, and a stream that is rechecked, see it move.
	Ends time.Time
}

// Reaches reports whether the caller's credential extends to a document at all.
// No rule can give more: secrets are nobody's, a grant is for what lies at or
// below its path, a key for its scopes, and nothing outlives its end.
func (c Caller) Reaches(p nestor.Path, write bool, now time.Time) bool {
	if nestor.IsSecret(string(p)) || over(c.Ends, now) {
		return false
	}
	switch c.Kind {
	case AsWebhook:
		return c.Grant.Path.Contains(p)
	case WithKey:
		need := ScopeRead
		if write {
			need = ScopeWrite
		}
		return hasLevel(c.Scopes, need) && inGlobs(c.Scopes, p)
	}
	return true
}

// RequireUser reports that nobody is asking.
func (c Caller) RequireUser() error {
	if c.Kind == Anonymous || c.Kind == "" {
		return nestor.Errorf(nestor.CodeUnauthenticated,
			"log in, or send a token or an API key as: Authorization: Bearer TOKEN")
	}
	return nil
}

// RequireAdmin guards what shows or moves everybody's work.
func (c Caller) RequireAdmin() error {
	if err := c.RequireUser(); err != nil {
		return err
	}
	if !c.Admin {
		return nestor.Errorf(nestor.CodeForbidden, "this is for administrators only")
	}
	return nil
}
