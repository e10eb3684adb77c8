package store

import (
	"errors"

	"github.com/nestorhq/nestor"
)

// Find decodes the document at p; nil if there is none.
func Find[T any](r Reader, p nestor.Path) (*T, error) {
	d, err := r.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[T](d)
	return &v, err
}
