package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// callerOf is who sends a request, once the guard has let it in.
func callerOf(r *http.Request) access.Caller { return access.CallerIn(r.Context()) }

// userHeader is how a page says whose it is. A browser sends the cookies of
// whoever signed in last, even with the requests of an older page.
const userHeader = "Nestor-User"

// identify finds out who is asking. It refuses a caller who is not the user
// that the request names.
func (s *server) identify(r *http.Request) (access.Caller, error) {
	c, err := s.Gate.Authenticate(r.Context(), r)
	if err != nil {
		return c, err
	}
	if user := r.Header.Get(userHeader); user != "" && c.Kind != access.Anonymous && user != c.UserID {
		return access.Caller{}, nestor.Errorf(nestor.CodeUnauthenticated, "this is a request of %.100q, and somebody else is signed in by now: sign in again", user)
	}
	return c, nil
}

// subject is the user whom a request is about: the caller, or the user in the
// parameter user. Rules decide whether that is allowed.
func subject(r *http.Request) (access.Subject, error) {
	switch named := r.URL.Query()["user"]; len(named) {
	case 0:
		return access.Named(callerOf(r).UserID)
	case 1:
		return access.Named(named[0])
	}
	return access.Subject{}, nestor.Errorf(nestor.CodeInvalid, "a request is about one user").With("field", "user")
}

// leave asks the rules what the caller may have done.
func (s *server) leave(r *http.Request) access.Leave {
	return func(p nestor.Path) error { return s.checkAct(r, p) }
}
