package httpapi

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// caller is who is asking: the person who runs the server, or the holder of a
// grant.
type caller struct {
	owner bool
	grant access.Grant
}

// localUser is the user that the owner's token stands for.
const localUser = "local"

// userID is the user whom the caller acts as.
func (c caller) userID() string {
	if c.owner {
		return localUser
	}
	return c.grant.User
}

type callerKey struct{}

func callerOf(r *http.Request) caller { return r.Context().Value(callerKey{}).(caller) }

func (s *server) identify(r *http.Request) (caller, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return caller{}, nestor.Errorf(nestor.CodeUnauthenticated,
			"send the token that nestor serve printed, or that NESTOR_TOKEN sets, as: Authorization: Bearer TOKEN")
	}
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1 {
		return caller{owner: true}, nil
	}
	grant, err := s.Key.CheckToken(token, time.Now())
	return caller{grant: grant}, err
}

// allow reports whether the caller may touch the document at p. What it may
// not see does not exist for it. Secrets are nobody's, the owner included; they
// are a top-level collection, so no deletion of something above reaches them.
func (c caller) allow(p nestor.Path) error {
	if !nestor.IsSecret(string(p)) && (c.owner || c.grant.Path.Contains(p)) {
		return nil
	}
	return nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
}

// allowQuery reports whether the caller may ask for the documents of q. A grant
// reaches what lies below its path, never a whole kind.
func (c caller) allowQuery(q store.Query) error {
	switch {
	case nestor.IsSecret(q.Collection):
		return nestor.Errorf(nestor.CodeForbidden, "the collection %s is for the server alone", nestor.Secrets)
	case c.owner || q.Flat == "" && strings.HasPrefix(q.Collection, string(c.grant.Path)+"/"):
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "this token reaches collections below %s only", c.grant.Path)
}

// root is the document that everything lies below which the caller follows.
func (c caller) root() nestor.Path {
	if c.owner {
		return "users/" + localUser
	}
	return c.grant.Path
}

// limit bounds what goes on for long to the time that the grant is for.
func (c caller) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.owner {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, time.Unix(c.grant.Expires, 0))
}

// needOwner guards what shows or moves everybody's work.
func (c caller) needOwner() error {
	if c.owner {
		return nil
	}
	return nestor.Errorf(nestor.CodeForbidden, "this token is for documents only")
}
