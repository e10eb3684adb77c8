package store

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
)

// ErrRetry is returned by a session's methods when another transaction
// changed a document between reading and writing it. An engine whose
// transactions can interleave runs the function again.
var ErrRetry = errors.New("a document changed since the transaction read it")

// Classify gives an error of an engine its code: one that has a code keeps it, the
// end of a context is the same on every engine, and driver knows the rest.
func Classify(err error, driver func(error) error) error {
	var coded *nestor.Error
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return nestor.Hide(nestor.CodeTimeout, "the database did not answer in time", err)
	case errors.Is(err, context.Canceled):
		return nestor.Hide(nestor.CodeCancelled, "the request was cancelled", err)
	}
	return driver(err)
}

// OutsideLog is the error of a position that the log cannot continue from:
// older than what is kept, or from another database.
func OutsideLog(after, first, last int64) error {
	return nestor.Errorf(nestor.CodeTooOld, "the change log holds what follows %d up to %d, not %d: resync", first, last, after)
}

// LeaseLost is the error of a job that this node does not own any more.
func LeaseLost(j *nestor.Job) error {
	return nestor.Errorf(nestor.CodeLeaseLost, "job %s of %s is no longer ours", j.ID, j.Change.Path)
}

func notFound(p nestor.Path) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
}

func exists(p nestor.Path) error {
	return nestor.Errorf(nestor.CodeExists, "document %s exists already", p)
}
