package access

import (
	"net/http"
	"time"
)

// The cookies of a session in a browser. Scripts cannot read them, and other
// sites cannot have them sent.
const (
	SessionCookie = "nestor_session"
	RefreshCookie = "nestor_refresh"
	// RefreshPath is the route that trades refresh tokens, and LogoutPath the
	// one that ends their session. They are sent nowhere else.
	RefreshPath = "/api/v1/refresh"
	LogoutPath  = "/api/v1/logout"
)

// Cookies puts the tokens of a session into cookies. Secure ones are sent over
// TLS only.
func (t Tokens) Cookies(secure bool, now time.Time) []*http.Cookie {
	return []*http.Cookie{
		cookie(SessionCookie, t.Access, "/", secure, t.AccessExpires.Sub(now)),
		cookie(RefreshCookie, t.Refresh, RefreshPath, secure, t.RefreshExpires.Sub(now)),
		cookie(RefreshCookie, t.Refresh, LogoutPath, secure, t.RefreshExpires.Sub(now)),
	}
}

// NoCookies removes what Cookies set.
func NoCookies(secure bool) []*http.Cookie {
	return []*http.Cookie{
		cookie(SessionCookie, "", "/", secure, -time.Second),
		cookie(RefreshCookie, "", RefreshPath, secure, -time.Second),
		cookie(RefreshCookie, "", LogoutPath, secure, -time.Second),
	}
}

func cookie(name, value, path string, secure bool, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
}
