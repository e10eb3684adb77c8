package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// UI is the web UI.
type UI interface {
	http.Handler
	// Has reports whether a path is that of a page or a file of the UI.
	Has(path string) bool
	// Owns reports whether a path has pages or files of the UI at it or below it.
	Owns(path string) bool
}

// page answers what is not the API: the web UI, and the link that a local
// server prints.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Has("token"):
		s.enter(w, r)
	case s.UI != nil && s.UI.Has(r.URL.Path):
		s.UI.ServeHTTP(w, r)
	case web.IsSafe(r.Method) && wantsPage(r):
		web.NoPage(w, s.Public.Prefix)
	default:
		s.failures.Answer(w, r, nestor.Errorf(nestor.CodeNotFound, "there is no %s %s", r.Method, r.URL.Path))
	}
}

// wantsPage reports whether a person looks at the answer: only browsers ask for
// HTML, and only for what they are going to show.
func wantsPage(r *http.Request) bool {
	for kind := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if name, _, _ := strings.Cut(kind, ";"); strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return true
		}
	}
	return false
}

// enter trades the one-time token of the link for a session. The token leaves
// the address bar at once. A browser that opens the link again and has a
// session just gets in.
func (s *server) enter(w http.ResponseWriter, r *http.Request) {
	from := s.Gate.ClientOf(r)
	err := s.logins.Allow(from.Network())
	var t access.Tokens
	if err == nil {
		t, err = s.Gate.Exchange(r.Context(), r.URL.Query().Get("token"), from)
	}
	if err == nil {
		for _, c := range t.Cookies(s.cookiePlace(r), time.Now()) {
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
		s.failures.Answer(w, r, err)
		return
	}
	s.failures.Log(r, http.StatusUnauthorized, err)
	web.UsedLink(w, s.Public.Prefix)
}
