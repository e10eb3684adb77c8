package budget

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// noVersion is the version of no document.
const noVersion int64 = -1

// hold reads the document at p, a zero T if there is none, and makes other
// transactions that are about to write it wait until this one ends.
//
// Sums would be right without it: the store runs a transaction again if what it
// added to has changed since. But these documents are added to by everything a
// user does at once, and what would run again and again are the effects of a whole
// step. So the first access is a write on a condition that cannot hold. It writes
// nothing; a store that locks documents locks it to look at its version.
func hold[T any](tx store.Tx, p nestor.Path) (v T, err error) {
	if _, err := tx.Put(p, struct{}{}, noVersion); !errors.Is(err, nestor.ErrConflict) {
		return v, err
	}
	d, err := tx.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	return nestor.As[T](d)
}
