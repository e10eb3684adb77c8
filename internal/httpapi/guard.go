package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// guard lets callers in who have a right to ask, as often as they may.
func (s *server) guard(to route, h http.Handler) http.Handler {
	return s.admit(to, h, s.failures.Answer)
}

// admit is guard with another way to tell of failures.
func (s *server) admit(to route, h http.Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := s.identify(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		r = r.WithContext(access.WithCaller(r.Context(), caller))
		if err = to.needs.check(caller); err == nil {
			err = checkParameters(r.URL)
		}
		if err == nil && !to.Reads {
			err = s.limitWrites(r, caller)
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		changes := !to.Reads && !web.IsSafe(r.Method)
		s.answers.Count(w, r, web.UserOf(r, s.Gate), changes, h, fail)
	})
}

// uncalled passes on requests of callers who need not say who they are.
func (s *server) uncalled(h http.Handler, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.answers.Count(w, r, web.UserOf(r, s.Gate), !web.IsSafe(r.Method), h, fail)
	})
}

// checkParameters refuses parameters that are no text. One engine would take them and
// the other fail, wherever they are compared with what is stored.
func checkParameters(u *url.URL) error {
	if u.RawQuery == "" {
		return nil
	}
	for name, values := range u.Query() {
		for _, text := range append(values, name) {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return nestor.Errorf(nestor.CodeInvalid, "the parameter %q has the character zero, or is not UTF-8", strings.ToValidUTF8(name, "\uFFFD"))
			}
		}
	}
	return nil
}

// limitWrites counts what a caller changes. The person who runs the server is
// free to load it.
func (s *server) limitWrites(r *http.Request, c access.Caller) error {
	if web.IsSafe(r.Method) || c.Kind == access.AsLocal {
		return nil
	}
	if strings.HasPrefix(r.URL.Path, draftsPath) {
		return s.deltas.Allow(c.UserID)
	}
	return s.writes.Allow(c.UserID)
}
