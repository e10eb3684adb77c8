package nestor

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code says what kind of failure an error is. Codes are part of the API: they
// are what clients and handlers decide by, while messages are for people.
type Code string

const (
	// CodeInvalid: the request is malformed or breaks a rule. Repeating it
	// unchanged fails again.
	CodeInvalid Code = "invalid"
	// CodeUnauthenticated: nobody, or nobody we know, is asking.
	CodeUnauthenticated Code = "unauthenticated"
	// CodeForbidden: the caller is known and may not do this.
	CodeForbidden Code = "forbidden"
	// CodeNotFound: there is no such thing, or the caller may not know of it.
	CodeNotFound Code = "not_found"
	// CodeExists: something with that identity, or that unique value, is there already.
	CodeExists Code = "already_exists"
	// CodeConflict: the document moved on since the caller read it.
	CodeConflict Code = "conflict"
	// CodeTooLarge: the body, result or batch exceeds its limit.
	CodeTooLarge Code = "too_large"
	// CodeTooOld: the change log no longer reaches back that far; resync.
	CodeTooOld Code = "too_old"
	// CodeLeaseLost: another worker owns the job now; nothing was written.
	CodeLeaseLost Code = "lease_lost"
	// CodeRateLimited: too many requests; try again later.
	CodeRateLimited Code = "rate_limited"
	// CodeOverBudget: it would use more than was allowed for it.
	CodeOverBudget Code = "over_budget"
	// CodeStorageFull: it would take more disk than the user, or the account, may have.
	CodeStorageFull Code = "storage_full"
	// CodeTimeout: the work did not finish in its time.
	CodeTimeout Code = "timeout"
	// CodeCancelled: somebody stopped the work on purpose.
	CodeCancelled Code = "cancelled"
	// CodeUnavailable: a part we depend on is not reachable now; try again.
	CodeUnavailable Code = "unavailable"
	// CodeInternal: a defect or an unforeseen condition. Its text is for logs only.
	CodeInternal Code = "internal"
)

// Error is a failure with a code. Two errors match under [errors.Is] when
// their codes are equal, so callers write errors.Is(err, nestor.ErrNotFound).
type Error struct {
	Code    Code
	Message string
	// Details help a program locate the problem, for example field → reason.
	Details map[string]any
	// Err is the cause, if any.
	Err error
	// hidden: Message leaves the cause out, and only Error() has it.
	hidden bool
}

// Errors to compare with. They carry a code and no message.
var (
	ErrInvalid     = &Error{Code: CodeInvalid}
	ErrForbidden   = &Error{Code: CodeForbidden}
	ErrNotFound    = &Error{Code: CodeNotFound}
	ErrExists      = &Error{Code: CodeExists}
	ErrConflict    = &Error{Code: CodeConflict}
	ErrTooLarge    = &Error{Code: CodeTooLarge}
	ErrTooOld      = &Error{Code: CodeTooOld}
	ErrLeaseLost   = &Error{Code: CodeLeaseLost}
	ErrRateLimited = &Error{Code: CodeRateLimited}
	ErrOverBudget  = &Error{Code: CodeOverBudget}
	ErrStorageFull = &Error{Code: CodeStorageFull}
	ErrTimeout     = &Error{Code: CodeTimeout}
	ErrCancelled   = &Error{Code: CodeCancelled}
	ErrUnavailable = &Error{Code: CodeUnavailable}
)

// Errorf makes an error with a code. A %w verb keeps the cause for
// [errors.Is] and [errors.As]. Where an error among args speaks of types or functions
// of Go, as those of encoding/json and strconv do, the text says the same without them.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, plain(args)...)
	cause := errors.Unwrap(err)
	if _, several := err.(interface{ Unwrap() []error }); several {
		cause = err
	}
	return &Error{Code: code, Message: err.Error(), Err: cause}
}

// Hide gives a cause a code, and a text for people that leaves the cause out:
// one that names tables, files or addresses. Logs get both.
func Hide(code Code, message string, cause error) *Error {
	return &Error{Code: code, Message: message, Err: cause, hidden: true}
}

// Error is the whole text, for logs. What people may see is [PublicText].
func (e *Error) Error() string {
	switch {
	case e.Message == "":
		return string(e.Code)
	case e.hidden:
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// PublicText is what people and models may be told of err: the text of its
// first [Error], see [Visible]. It is false for an error that has no code or is
// internal: its text is for logs only.
func PublicText(err error) (string, bool) {
	var e *Error
	if !errors.As(err, &e) || e.Code == CodeInternal {
		return "", false
	}
	return Visible(e), true
}

// Visible is the text of err without the causes that are hidden in it, see
// [Hide], and without names of Go, see [Errorf].
func Visible(err error) string {
	whole, text := err, err.Error()
	for ; err != nil; err = errors.Unwrap(err) {
		if h, ok := err.(*Error); ok && h.hidden {
			text = strings.ReplaceAll(text, h.Error(), h.Message)
		}
	}
	return plainText(whole, text)
}

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an [Error] of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns a copy of e that carries one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// RetryAfter, as the cause of an error, is how long to wait before trying
// again, as whoever failed asked for.
type RetryAfter time.Duration

func (r RetryAfter) Error() string { return "retry after " + time.Duration(r).String() }

// WaitOf returns the wait that err asks for, if it does.
func WaitOf(err error) (time.Duration, bool) {
	var r RetryAfter
	ok := errors.As(err, &r)
	return time.Duration(r), ok
}

// PutOff, as the cause of an error, says that the work cannot begin yet, through
// no fault of its own. It is tried again after a while, however often that is:
// none of it counts as an attempt.
type PutOff struct{}

func (PutOff) Error() string { return "it has to wait" }

// CodeOf returns the code of the first [Error] in err's chain, CodeInternal
// for any other error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
