package web

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// Failures answers requests that fail. Refusals are logged, so that whoever runs
// the server sees who knocks and what fails. An address that is refused all the
// time does not flood the log: what is left out is counted.
type Failures struct {
	gate    *access.Gate
	log     *slog.Logger
	limit   *access.Limiter
	leftOut atomic.Int64
}

// NewFailures returns what answers failures. The gate knows where a request comes
// from.
func NewFailures(gate *access.Gate, log *slog.Logger) *Failures {
	return &Failures{gate: gate, log: log, limit: access.NewLimiter(access.LimiterOptions{PerSecond: 0.2, Burst: 20, Keys: 10_000})}
}

// Answer answers with an error.
func (f *Failures) Answer(w http.ResponseWriter, r *http.Request, err error) {
	refused := f.Refuse(w, r, err)
	Write(w, refused.Status, Failure{refused.ErrorText})
}

// Refused is a failure as a client may be told of it.
type Refused struct {
	Status int
	ErrorText
}

// Refuse sets the headers of a failure and returns what the client may be told. What is
// unforeseen is logged and not shown.
func (f *Failures) Refuse(w http.ResponseWriter, r *http.Request, err error) Refused {
	var tooLarge *http.MaxBytesError
	switch {
	case r.Context().Err() != nil && errors.Is(err, context.Canceled) && nestor.CodeOf(err) == nestor.CodeInternal:
		err = nestor.Errorf(nestor.CodeCancelled, "the client left before it was answered")
	case errors.As(err, &tooLarge):
		err = nestor.Errorf(nestor.CodeTooLarge, "the request has more than %d bytes", tooLarge.Limit)
	}
	text := ErrorText{Code: nestor.CodeInternal, Message: "something went wrong on the server; its log says what"}
	var e *nestor.Error
	if message, ok := nestor.PublicText(err); ok && errors.As(err, &e) {
		text = ErrorText{Code: e.Code, Message: message, Details: e.Details}
	}
	status := statusOf(text.Code, r)
	if errors.As(err, &PreconditionFailed{}) {
		status = http.StatusPreconditionFailed
	}
	f.Log(r, status, err)
	if text.Code == nestor.CodeUnauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="nestor"`)
	}
	if wait, ok := nestor.WaitOf(err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	return Refused{Status: status, ErrorText: text}
}

// maxLoggedPath bounds what a client can put into the log.
const maxLoggedPath = 200

// Log notes why a request failed, if that says something about who sends
// it or about the server. Neither the query nor a header is logged: they may
// hold secrets.
func (f *Failures) Log(r *http.Request, status int, err error) {
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
	from := f.gate.ClientOf(r)
	if level != slog.LevelError && f.limit.Allow(from.Network()) != nil {
		f.leftOut.Add(1)
		return
	}
	args := []any{
		"request", RequestID(r), "method", r.Method, "path", r.URL.Path[:min(len(r.URL.Path), maxLoggedPath)],
		"status", status, "address", from.Address, "error", err,
	}
	if c := access.CallerIn(r.Context()); c.Kind != "" {
		args = append(args, "user", c.UserID)
	}
	if n := f.leftOut.Swap(0); n > 0 {
		args = append(args, "leftOut", n)
	}
	f.log.Log(r.Context(), level, what, args...)
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
