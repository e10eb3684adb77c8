package web

import (
	"net/http"

	"github.com/nestorhq/nestor"
)

// Statuses maps codes to HTTP, once for all routes.
var Statuses = map[nestor.Code]int{
	nestor.CodeInvalid:         http.StatusBadRequest,
	nestor.CodeUnauthenticated: http.StatusUnauthorized,
	nestor.CodeForbidden:       http.StatusForbidden,
	nestor.CodeNotFound:        http.StatusNotFound,
	nestor.CodeExists:          http.StatusConflict,
	nestor.CodeConflict:        http.StatusPreconditionFailed,
	nestor.CodeTooLarge:        http.StatusRequestEntityTooLarge,
	nestor.CodeTooOld:          http.StatusGone,
	nestor.CodeLeaseLost:       http.StatusConflict,
	nestor.CodeRateLimited:     http.StatusTooManyRequests,
	nestor.CodeOverBudget:      http.StatusPaymentRequired,
	nestor.CodeStorageFull:     http.StatusInsufficientStorage,
	nestor.CodeTimeout:         http.StatusGatewayTimeout,
	nestor.CodeCancelled:       499,
	nestor.CodeUnavailable:     http.StatusServiceUnavailable,
	nestor.CodeInternal:        http.StatusInternalServerError,
}

// Failure is the body of the answer to a request that fails.
type Failure struct {
	Error ErrorText `json:"error"`
}

// ErrorText says what went wrong.
type ErrorText struct {
	Code    nestor.Code    `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// PreconditionFailed is a conflict with a version that the body of the request,
// and not a header, said must be there.
type PreconditionFailed struct{ Err error }

// Error implements [error].
func (p PreconditionFailed) Error() string { return p.Err.Error() }

// Unwrap lets [errors.As] find what was in conflict.
func (p PreconditionFailed) Unwrap() error { return p.Err }

// statusOf is the status of a failure. Only a request with a precondition can
// be told that one failed.
func statusOf(code nestor.Code, r *http.Request) int {
	if code == nestor.CodeConflict && r.Header.Get("If-Match") == "" {
		return http.StatusConflict
	}
	return Statuses[code]
}
