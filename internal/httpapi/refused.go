package httpapi

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// refusals are logged, so that whoever runs the server sees who knocks and what
// fails. An address that is refused all the time does not flood the log: what is
// left out is counted.
type refusals struct {
	limit   *access.Limiter
	leftOut atomic.Int64
}

func newRefusals() *refusals {
	return &refusals{limit: access.NewLimiter(access.LimiterOptions{PerSecond: 0.2, Burst: 20, Keys: 10_000})}
}

// maxLoggedPath bounds what a client can put into the log.
const maxLoggedPath = 200

// logRefusal notes why a request failed, if that says something about who sends
// it or about the server. Neither the query nor a header is logged: they may
// hold secrets.
func (s *server) logRefusal(r *http.Request, status int, err error) {
	level, what := slog.LevelInfo, "a request was refused"
	switch {
	case nestor.CodeOf(err) == nestor.CodeInternal:
		level, what = slog.LevelError, "a request failed"
	case status >= http.StatusInternalServerError:
		level, what = slog.LevelWarn, "a request failed"
	case status == http.StatusUnauthorized && !hasCredential(r):
		level = slog.LevelDebug // a browser that asks whether it is signed in
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
	default:
		return
	}
	from := s.Gate.ClientOf(r)
	if level != slog.LevelError && s.refusals.limit.Allow(from.Network()) != nil {
		s.refusals.leftOut.Add(1)
		return
	}
	args := []any{
		"request", requestID(r), "method", r.Method, "path", r.URL.Path[:min(len(r.URL.Path), maxLoggedPath)],
		"status", status, "address", from.Address, "error", err,
	}
	if c := callerOf(r); c.Kind != "" {
		args = append(args, "user", c.UserID)
	}
	if n := s.refusals.leftOut.Swap(0); n > 0 {
		args = append(args, "leftOut", n)
	}
	s.Logger.Log(r.Context(), level, what, args...)
}

// hasCredential reports whether a request says who sends it, rightly or not.
func hasCredential(r *http.Request) bool {
	for _, name := range []string{access.SessionCookie(r.Host), access.RefreshCookie(r.Host)} {
		if _, err := r.Cookie(name); err == nil {
			return true
		}
	}
	return r.Header.Get("Authorization") != "" || r.URL.Query().Has("token") || r.URL.Path == "/api/v1/login"
}
