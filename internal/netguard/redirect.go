package netguard

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
)

// Redirects says which redirects a client follows. A redirect that is not
// followed is no error: the caller gets the 3xx response itself.
type Redirects int

const (
	// NoRedirects follows none.
	NoRedirects Redirects = iota
	// SameHost follows a redirect that stays on the host and port it came from,
	// or goes from plain http to https on it. Request headers, which may hold
	// credentials, therefore never reach another host.
	SameHost
	// AnyHost follows every redirect to an http or https address. Only for
	// requests without credentials.
	AnyHost
)

const maxRedirects = 10

func (r Redirects) check(req *http.Request, via []*http.Request) error {
	switch {
	case r == NoRedirects,
		r == SameHost && !sameHost(via[len(via)-1].URL, req.URL):
		return http.ErrUseLastResponse
	case len(via) > maxRedirects:
		return nestor.Errorf(nestor.CodeUnavailable, "more than %d redirects", maxRedirects)
	}
	return nil
}

func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
