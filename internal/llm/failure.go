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
	case status == http.StatusUnauthorized:
		// The provider's words would add nothing but a part of the key.
		failure = e.Key.refused(e.Provider, e.APIKey != "")
	case status == http.StatusForbidden:
		failure = nestor.Errorf(nestor.CodeUnauthenticated, "%s denies access to the account of %s: %s", e.Provider, e.Key, message)
	case status == http.StatusRequestEntityTooLarge || report.tooLong():
		failure = nestor.Errorf(nestor.CodeTooLarge, "the conversation is too long for %s: %s", e.Provider, message).
			With(contextDetail, report.contextTokens())
	case status == http.StatusTooManyRequests:
		failure = nestor.Errorf(nestor.CodeRateLimited, "%s limits the rate: %s", e.Provider, message)
	case status == http.StatusRequestTimeout || status >= 500:
		failure = nestor.Errorf(nestor.CodeUnavailable, "%s failed with status %d: %s", e.Provider, status, message)
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

// NotAReply explains an answer of status 200 that the provider cannot read.
func (e *Endpoint) NotAReply(body []byte) error { return e.rejected(http.StatusOK, nil, body) }

func (k KeyName) String() string {
	if k.Connection != "" {
		return "model connection " + k.Connection
	}
	return k.Variable
}

// Missing says that a provider wants a key, and how to give it one.
func (k KeyName) Missing(provider string) *nestor.Error {
	if k.Connection != "" {
		return nestor.Errorf(nestor.CodeUnauthenticated, "model connection %s needs an API key: save it with a secret", k.Connection)
	}
	return nestor.Errorf(nestor.CodeUnauthenticated, "%s wants an API key: set %s", provider, k.Variable)
}

func (k KeyName) refused(provider string, given bool) *nestor.Error {
	switch {
	case !given:
		return k.Missing(provider)
	case k.Connection != "":
		return nestor.Errorf(nestor.CodeUnauthenticated,
			"%s does not accept the API key of model connection %s: save it with a valid secret", provider, k.Connection)
	}
	return nestor.Errorf(nestor.CodeUnauthenticated, "%s does not accept the API key: set %s to a valid one", provider, k.Variable)
}

// contextDetail is where an error says how many tokens the model takes, 0 if the
// provider did not tell.
const contextDetail = "contextTokens"

// TooLong reports whether a provider found a conversation too long, and how many
// tokens it takes, 0 if it did not tell.
func TooLong(err error) (contextTokens int, ok bool) {
	var e *nestor.Error
	if !errors.As(err, &e) || e.Code != nestor.CodeTooLarge {
		return 0, false
	}
	contextTokens, ok = e.Details[contextDetail].(int)
	return contextTokens, ok
}

// clean makes provider text fit for a message: short and without the key.
func (e *Endpoint) clean(text string) string {
	secrets := []string{e.APIKey}
	for _, value := range e.Headers {
		secrets = append(secrets, value, strings.TrimPrefix(value, "Bearer "))
	}
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	const limit = 600
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// shortestSecret keeps words such as "1" and "true", which headers hold, too,
// from being erased everywhere.
const shortestSecret = 6
