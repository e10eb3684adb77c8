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

// CookiePlace is where cookies are set: by a server at a host, whose paths begin with a
// prefix. Secure ones are sent over TLS only.
type CookiePlace struct {
	Host, Prefix string
	Secure       bool
}

// Cookies puts the tokens of a session into cookies.
func (t Tokens) Cookies(at CookiePlace, now time.Time) []*http.Cookie {
	return at.cookies(t.Access, t.AccessExpires.Sub(now), t.Refresh, t.RefreshExpires.Sub(now))
}

// NoCookies removes what Cookies set.
func NoCookies(at CookiePlace) []*http.Cookie { return at.cookies("", -time.Second, "", -time.Second) }

func (at CookiePlace) cookies(access string, accessAge time.Duration, refresh string, refreshAge time.Duration) []*http.Cookie {
	return []*http.Cookie{
		at.cookie(SessionCookie(at.Host), access, "/", accessAge),
		at.cookie(RefreshCookie(at.Host), refresh, RefreshPath, refreshAge),
		at.cookie(RefreshCookie(at.Host), refresh, LogoutPath, refreshAge),
	}
}

func (at CookiePlace) cookie(name, value, path string, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: at.Prefix + path, MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: at.Secure, SameSite: http.SameSiteStrictMode,
	}
}
