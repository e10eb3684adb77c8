package httpapi

import (
	"context"
	"net"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

type callerKey struct{}

// callerOf is who sends a request that the guard has let in.
func callerOf(r *http.Request) access.Caller { return callerIn(r.Context()) }

func callerIn(ctx context.Context) access.Caller { return ctx.Value(callerKey{}).(access.Caller) }

func withCaller(ctx context.Context, c access.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// identify finds out who is asking. Nobody is not enough.
func (s *server) identify(r *http.Request) (access.Caller, error) {
	c, err := s.Gate.Authenticate(r.Context(), r)
	if err != nil {
		return c, err
	}
	return c, c.RequireUser()
}

// subject is the user whose documents a request is about: the caller, or the
// one that the parameter user names. Rules decide whether that is allowed.
func subject(r *http.Request) string {
	if user := r.URL.Query().Get("user"); user != "" {
		return user
	}
	return callerOf(r).UserID
}

// requirePerson guards what is not about documents, and so no webhook's.
func requirePerson(c access.Caller) error {
	if c.Kind == access.AsWebhook {
		return nestor.Errorf(nestor.CodeForbidden, "this token is for documents only")
	}
	return nil
}

// clientOf is where a request comes from.
func clientOf(r *http.Request) access.Client {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return access.Client{Address: host, Agent: r.UserAgent()}
}
