package connection

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/nestorhq/nestor"
)

// explain says what to do about a failed test. The field of the error, if it has one,
// is the part of the connection to look at.
func (s *Connections) explain(e entry, status int, err error) error {
	if e.confined && errors.Is(err, nestor.ErrForbidden) {
		return private("its name leads to a private address")
	}
	if failure := explainAddress(e, err); failure != nil {
		return failure.With("field", "baseUrl")
	}
	at, code := e.at(), nestor.CodeOf(err)
	// Gemini says 400 for a bad key; 403 is about the account behind a good one.
	refused := code == nestor.CodeUnauthenticated && status != http.StatusForbidden
	switch {
	case code == nestor.CodeTimeout:
		return nestor.Errorf(nestor.CodeTimeout, "%s did not finish its answer within %s", at, s.opts.TestTimeout)
	case refused && !e.ReadOnly && e.HasSecret:
		return nestor.Errorf(code, "%s does not accept the API key of connection %s: give it a valid one", at, e.label()).With("field", "secret")
	case refused && !e.ReadOnly:
		return nestor.Errorf(code, "%s wants an API key: give one to connection %s", at, e.label()).With("field", "secret")
	case status == http.StatusNotFound && strings.Contains(err.Error(), e.ModelID):
		return nestor.Errorf(nestor.CodeInvalid, "there is no model %s for this key: check its name (%w)", e.ModelID, err).With("field", "modelId")
	case status == http.StatusNotFound:
		return nestor.Errorf(nestor.CodeInvalid, "%s answers, but not as %s does: is the base URL right?%s (%w)", at, e.AccessFormat, e.versionHint(), err).
			With("field", "baseUrl")
	}
	return err
}

// explainAddress says what is wrong with where a connection leads, nil if something
// else is.
func explainAddress(e entry, err error) *nestor.Error {
	at := e.at()
	var unknown *net.DNSError
	var plain tls.RecordHeaderError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown):
		return nestor.Errorf(nestor.CodeUnavailable,
			"the host %s cannot be found: is the base URL right, and is this machine online?", unknown.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return nestor.Errorf(nestor.CodeUnavailable, "nobody listens at %s: is the server running, and is the base URL right?", at)
	case errors.As(err, &untrusted):
		return nestor.Errorf(nestor.CodeUnavailable, "the certificate of %s is not valid: is the base URL right? (%w)", at, untrusted)
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &plain):
		return nestor.Errorf(nestor.CodeUnavailable, "%s does not speak https: begin the base URL with http://", at)
	}
	return nil
}

// at is where a connection leads, for people.
func (e *entry) at() string {
	if e.BaseURL == "" {
		return "the address of " + e.AccessFormat
	}
	return e.BaseURL
}

// versionHint is about the mistake that is made most with servers like OpenAI's.
func (e *entry) versionHint() string {
	u, err := url.Parse(e.BaseURL)
	if e.AccessFormat != OpenAI || err != nil || strings.Trim(u.Path, "/") != "" {
		return ""
	}
	return " Most such servers want /v1 at its end."
}
