package httpapi

import (
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// strictTransport tells browsers that reached a name of ours over TLS to use
// nothing else for it. Loopback names are left out: it would hold for every port
// of the machine, and so for servers that are not ours.
const strictTransport = "max-age=31536000"

// protect is around everything that the server answers. It sets the headers
// that keep browsers from misusing an answer, and refuses requests that a page
// of another site makes a browser send.
func (s *server) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if s.Gate.IsSecure(r) && !access.IsLoopbackHost(r.Host) {
			h.Set("Strict-Transport-Security", strictTransport)
		}
		if err := s.checkSender(r); err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) checkSender(r *http.Request) error {
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return nil // probes call us by any name and learn nothing
	}
	if err := access.CheckHost(r, s.Hosts...); err != nil {
		return err
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		return nestor.Errorf(nestor.CodeForbidden, "pages of other sites cannot call this server")
	}
	if isSafe(r.Method) {
		return nil
	}
	return s.checkSite(r)
}

// checkSite refuses what a page of another site sends, whatever its credential
// is. Who sends neither of the headers is not a browser, or else
// [access.Gate.Authenticate] does not accept its cookie.
func (s *server) checkSite(r *http.Request) error {
	if r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return nil
	}
	as := r.WithContext(r.Context())
	as.Method = http.MethodPost // streams are read with GET, and are guarded alike
	return access.CheckOrigin(as, s.Hosts...)
}

func isSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// limitWrites counts what a caller changes. The person who runs the server is
// free to load it.
func (s *server) limitWrites(r *http.Request, c access.Caller) error {
	if isSafe(r.Method) || c.Kind == access.AsLocal {
		return nil
	}
	if strings.HasPrefix(r.URL.Path, draftsPath) {
		return s.deltas.Allow(c.UserID)
	}
	return s.writes.Allow(c.UserID)
}

// isSecure reports whether cookies are for TLS only: the browser speaks it, to
// us or to a proxy before us. An Origin is believed, too: who pretends keeps
// their own cookies from themselves.
func (s *server) isSecure(r *http.Request) bool {
	return s.Gate.IsSecure(r) || strings.HasPrefix(r.Header.Get("Origin"), "https://")
}
