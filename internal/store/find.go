package store

import (
	"context"
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

// Loader is a store that reads one document for less than a View costs.
type Loader interface {
	// Load returns the document at p as it is committed; nil if there is none.
	Load(ctx context.Context, p nestor.Path) (*nestor.Document, error)
}

// Load decodes the document at p as it is committed; nil if there is none. Whoever needs
// more than this document reads all in one View, so that all is of one moment.
func Load[T any](ctx context.Context, s Documents, p nestor.Path) (*T, error) {
	d, err := LoadDocument(ctx, s, p)
	if err != nil || d == nil {
		return nil, err
	}
	v, err := nestor.As[T](d)
	return &v, err
}

// LoadDocument returns the document at p as it is committed; nil if there is none.
func LoadDocument(ctx context.Context, s Documents, p nestor.Path) (d *nestor.Document, err error) {
	if l, ok := s.(Loader); ok {
		return l.Load(ctx, p)
	}
	err = s.View(ctx, func(r Reader) error {
		d, err = FindDocument(r, p)
		return err
	})
	return d, err
}

// Each decodes the documents that q asks for and hands them over, all pages of them.
// q.Limit is the size of a page. It defaults to [MaxLimit], and to no more than
// [MaxPageBytes].
func Each[T any](r Reader, q Query, fn func(nestor.Path, *T)) error {
	if q.Limit == 0 {
		q.Limit = MaxLimit
	}
	if q.MaxBytes == 0 {
		q.MaxBytes = MaxPageBytes
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
