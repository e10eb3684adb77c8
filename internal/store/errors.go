package store

import (
	"errors"

	"github.com/nestorhq/nestor"
)

// ErrRetry is returned by a session's methods when another transaction
// changed a document between reading and writing it. An engine whose
// transactions can interleave runs the function again.
var ErrRetry = errors.New("a document changed since the transaction read it")

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
