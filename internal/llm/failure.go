package llm

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
)

// transient reports whether the same request may succeed later, or elsewhere.
func transient(err error) bool {
	code := nestor.CodeOf(err)
	return code == nestor.CodeRateLimited || code == nestor.CodeUnavailable
}

// Interrupted explains work whose context is done. The context's error and its
// cause both stay in the chain.
func Interrupted(ctx context.Context, work string) error {
	code, verb := nestor.CodeCancelled, "was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code, verb = nestor.CodeTimeout, "ran out of time"
	}
	reason := ctx.Err()
	if cause := context.Cause(ctx); cause != reason {
		reason = errors.Join(reason, cause)
	}
	return &nestor.Error{Code: code, Message: work + " " + verb, Err: reason}
}

// Rejected explains an error that the provider reported inside a stream. Its
// body has the shape {"error": {"message", "type" or "status", "code"}}.
func (e *Endpoint) Rejected(body []byte) error {
	return e.rejected(0, nil, body)
}

// rejected explains an answer that is not a reply. This is the one place where
// provider failures become codes.
func (e *Endpoint) rejected(status int, header http.Header, body []byte) error {
	report := parseReport(body)
	status = report.status(status)
	message := e.clean(cmp.Or(report.Message, http.StatusText(status), "no reason given"))

	var failure *nestor.Error
	switch {
	case status == http.StatusUnauthorized && e.APIKey == "":
		failure = nestor.Errorf(nestor.CodeUnauthenticated, "%s wants an API key: set %s", e.Provider, e.KeyVariable)
	case status == http.StatusUnauthorized:
		// The provider's words would add nothing but a part of the key.
		failure = nestor.Errorf(nestor.CodeUnauthenticated,
			"%s does not accept the API key: set %s to a valid one", e.Provider, e.KeyVariable)
	case status == http.StatusForbidden:
		failure = nestor.Errorf(nestor.CodeUnauthenticated,
			"%s denies access to the account of %s: %s", e.Provider, e.KeyVariable, message)
	case status == http.StatusTooManyRequests:
		failure = nestor.Errorf(nestor.CodeRateLimited, "%s limits the rate: %s", e.Provider, message)
	case status == http.StatusRequestTimeout || status >= 500:
		failure = nestor.Errorf(nestor.CodeUnavailable, "%s failed with status %d: %s", e.Provider, status, message)
	case status == http.StatusRequestEntityTooLarge || report.tooLong():
		failure = nestor.Errorf(nestor.CodeTooLarge, "the request is too large for %s: %s", e.Provider, message)
	case status < 300:
		failure = nestor.Errorf(nestor.CodeInvalid,
			"%s did not answer with an event stream: is the base URL right?", e.Provider)
	default:
		failure = nestor.Errorf(nestor.CodeInvalid, "%s rejects the request with status %d: %s", e.Provider, status, message)
	}
	if after, ok := report.retryAfter(header); ok {
		failure.Err = nestor.RetryAfter(after)
	}
	return failure
}

// clean makes provider text fit for a message: short and without the key.
func (e *Endpoint) clean(text string) string {
	if e.APIKey != "" {
		text = strings.ReplaceAll(text, e.APIKey, "[redacted]")
	}
	const limit = 600
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
