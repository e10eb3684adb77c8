package web

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// strictTransport tells browsers that reached a name of ours over TLS to use
// nothing else for it. Loopback names are left out: it would hold for every port
// of the machine, and so for servers that are not ours.
const strictTransport = "max-age=31536000"

// Protect is around everything that the server answers. It sets the headers
// that keep browsers from misusing an answer, and refuses requests that a page
// of another site makes a browser send. The server has the names in hosts, besides
// those of the machine itself.
func Protect(next http.Handler, gate *access.Gate, hosts []string, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if gate.IsSecure(r) && !access.IsLoopbackHost(r.Host) {
			h.Set("Strict-Transport-Security", strictTransport)
		}
		if err := checkSender(r, hosts); err != nil {
			fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func checkSender(r *http.Request, hosts []string) error {
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return nil // probes call us by any name and learn nothing
	}
	if err := access.CheckHost(r, hosts...); err != nil {
		return err
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		return nestor.Errorf(nestor.CodeForbidden, "pages of other sites cannot call this server")
	}
	if IsSafe(r.Method) {
		return nil
	}
	return CheckSite(r, hosts)
}

// CheckSite refuses what a page of another site sends, whatever its credential
// is. A client that sends neither of the headers is no browser, or else
// [access.Gate.Authenticate] does not accept its cookie.
func CheckSite(r *http.Request, hosts []string) error {
	if r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return nil
	}
	as := r.WithContext(r.Context())
	as.Method = http.MethodPost // streams are read with GET, and are guarded alike
	return access.CheckOrigin(as, hosts...)
}

// IsSafe reports whether a method is one of those that change nothing.
func IsSafe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
