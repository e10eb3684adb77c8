// Package recovery turns a panic into an error of that which panicked, so that one job or
// request does not end the process for all others. A stack that overflows cannot be
// recovered from: what follows data is a loop, or has a bound.
package recovery

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Error is a panic as an error.
type Error struct {
	Value any
	Stack []byte
}

// Error tells the stack, too: it is for the log.
func (e *Error) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Of is a recovered panic as an error. One that was thrown again keeps its first stack.
func Of(value any) *Error {
	if e, ok := value.(*Error); ok {
		return e
	}
	return &Error{value, debug.Stack()}
}

// Call returns what fn returns, or its panic.
func Call(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Of(p)
		}
	}()
	return fn()
}

// Logged runs fn and logs its panic, with the attributes.
func Logged(log *slog.Logger, what string, fn func(), args ...any) {
	err := Call(func() error {
		fn()
		return nil
	})
	if err != nil {
		log.Error(what, append(args, "error", err)...)
	}
}
