package access

import (
	"net/http"
	"time"
)

const (
	// RefreshPath is the route that trades refresh tokens, and LogoutPath the one
	// that ends their session. Refresh tokens are sent nowhere else.
	RefreshPath = "/api/v1/refresh"
	LogoutPath  = "/api/v1/logout"
)

// SessionCookie and RefreshCookie are the names of the cookies of a session in a
// browser, for a server at a host. Scripts cannot read them, and other sites
// cannot have them sent. Browsers send cookies to every port of a host, so the
// names hold the port: servers beside each other do not take each other's.
func SessionCookie(host string) string { return "nestor_session" + portSuffix(host) }

// RefreshCookie is explained at [SessionCookie].
func RefreshCookie(host string) string { return "nestor_refresh" + portSuffix(host) }

// portSuffix tells ports apart. Host comes from the request and so from
// anybody: what is not a number does not count as a port.
func portSuffix(host string) string {
	_, port := splitHost(host)
	for _, c := range []byte(port) {
		if c < '0' || c > '9' || len(port) > 5 {
			return ""
		}
	}
	if port == "" {
		return ""
	}
	return "_" + port
}

// Cookies puts the tokens of a session into cookies of a server at a host. Secure
// ones are sent over TLS only.
func (t Tokens) Cookies(host string, secure bool, now time.Time) []*http.Cookie {
	return []*http.Cookie{
		cookie(SessionCookie(host), t.Access, "/", secure, t.AccessExpires.Sub(now)),
		cookie(RefreshCookie(host), t.Refresh, RefreshPath, secure, t.RefreshExpires.Sub(now)),
		cookie(RefreshCookie(host), t.Refresh, LogoutPath, secure, t.RefreshExpires.Sub(now)),
	}
}

// NoCookies removes what Cookies set.
func NoCookies(host string, secure bool) []*http.Cookie {
	return []*http.Cookie{
		cookie(SessionCookie(host), "", "/", secure, -time.Second),
		cookie(RefreshCookie(host), "", RefreshPath, secure, -time.Second),
		cookie(RefreshCookie(host), "", LogoutPath, secure, -time.Second),
	}
}

func cookie(name, value, path string, secure bool, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
}
