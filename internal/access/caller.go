package access

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
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
	// UserID is "" for nobody, and for a grant for documents that are no user's.
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
	// Within bounds what is done on behalf of the user; see [OnBehalf].
	Within []nestor.Reach
	// Ends is when the session, key or grant ends, zero for never. It moves when a
	// session is refreshed or a stream rechecked.
	Ends time.Time
}

// WithCaller is the context of what a caller asks for. What is noted about it
// names them, and the work that it causes stays within their reach.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return As(store.Within(context.WithValue(ctx, callerKey{}, c), c.Reach()...), c.UserID)
}

// CallerIn is the caller in a context, nobody if it has none.
func CallerIn(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

type callerKey struct{}

// RequireUser fails if nobody is asking.
func (c Caller) RequireUser() error {
	if c.Kind == Anonymous || c.Kind == "" {
		return nestor.Errorf(nestor.CodeUnauthenticated,
			"log in, or send a token or an API key as: Authorization: Bearer TOKEN")
	}
	return nil
}

// RequireWhole guards what has no document that rules could decide about. It
// refuses a credential that is [Caller.Bounded].
func (c Caller) RequireWhole() error {
	if err := c.RequireUser(); err != nil {
		return err
	}
	if c.Bounded() {
		return nestor.Errorf(nestor.CodeForbidden, "this token or key is for some documents only, and this is about none of them")
	}
	return nil
}

// RequireAdmin guards what shows or changes everybody's work. Since that is no
// document, it refuses a credential that is bounded, too.
func (c Caller) RequireAdmin() error {
	if err := c.RequireWhole(); err != nil {
		return err
	}
	if !c.Admin {
		return nestor.Errorf(nestor.CodeForbidden, "this is for administrators only")
	}
	return nil
}
