package store

import (
	"errors"

	"github.com/nestorhq/nestor"
)

// Find decodes the document at p; nil if there is none.
func Find[T any](r Reader, p nestor.Path) (*T, error) {
	d, err := FindDocument(r, p)
	if err != nil || d == nil {
		return nil, err
	}
	v, err := nestor.As[T](d)
	return &v, err
}

// FindDocument returns the document at p; nil if there is none.
func FindDocument(r Reader, p nestor.Path) (*nestor.Document, error) {
	d, err := r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return nil, nil
	}
	return d, err
}
