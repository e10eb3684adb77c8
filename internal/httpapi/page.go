package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// page answers what is not the API: the web UI, and the link that a local
// server prints.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Has("token"):
		s.enter(w, r)
	case s.UI == nil:
		s.fail(w, r, nestor.Errorf(nestor.CodeNotFound, "there is no %s %s", r.Method, r.URL.Path))
	default:
		s.UI.ServeHTTP(w, r)
	}
}

// enter trades the one-time token of the link for a session. The token leaves
// the address bar at once. Who opens the link again and is in already just
// gets in.
func (s *server) enter(w http.ResponseWriter, r *http.Request) {
	from := clientOf(r)
	err := s.logins.Allow(from.Address)
	var t access.Tokens
	if err == nil {
		t, err = s.Gate.Exchange(r.Context(), r.URL.Query().Get("token"), from)
	}
	if err == nil {
		for _, c := range t.Cookies(isSecure(r), time.Now()) {
			http.SetCookie(w, c)
		}
	} else if c, unknown := s.Gate.Authenticate(r.Context(), r); unknown != nil || c.Kind != access.InSession {
		s.refuse(w, r, err)
		return
	}
	http.Redirect(w, r, "/", http.StatusFound)
}

// refuse says in plain words why a link does not work.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if nestor.CodeOf(err) != nestor.CodeUnauthenticated {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprint(w, "This link does not work any more: it was opened before, or it is of an earlier start of the server.\n\n"+
		"Stop the server and start it again with: nestor serve\nIt prints a new link.\n")
}
