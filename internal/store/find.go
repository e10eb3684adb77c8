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

// Each decodes the documents that q asks for and hands them over, all pages of them.
// q.Limit is the size of a page. It defaults to [MaxLimit]; large documents want less.
func Each[T any](r Reader, q Query, fn func(nestor.Path, *T)) error {
	if q.Limit == 0 {
		q.Limit = MaxLimit
	}
	for {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err != nil {
				return err
			}
			fn(d.Path, &v)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}
