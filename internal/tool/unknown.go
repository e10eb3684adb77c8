package tool

import "errors"

// Unknown marks an error after which nobody knows whether the call took effect: the
// connection was lost after the request had been sent. A call of a tool whose every
// run counts then ends as unknown, and a person decides; see [Execute].
func Unknown(err error) error { return &unknownError{err} }

type unknownError struct{ error }

func (e *unknownError) Unwrap() error { return e.error }

func isUnknown(err error) bool {
	var unknown *unknownError
	return errors.As(err, &unknown)
}
