package file

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/store"
)

// RemoveUnused removes the files that no message names and that nobody uploaded since a
// time. It returns how many.
func (l *Library) RemoveUnused(ctx context.Context, since time.Time) (n int, err error) {
	before := nestor.Millis(since)
	q := store.Query{Flat: Files.Name, Limit: store.MaxLimit, Where: &store.Filter{And: []store.Filter{
		*store.Where("state", store.Eq, string(nestor.FileUnused)), *store.Where("updatedAt", store.Lt, before),
	}}}
	var found []nestor.Path
	err = l.store.View(ctx, func(r store.Reader) error {
		page, err := r.Query(q)
		found = nil
		for _, d := range page.Items {
			found = append(found, d.Path)
		}
		return err
	})
	for _, p := range found {
		if err == nil {
			err = l.removeUnused(ctx, p, before)
		}
		if err == nil {
			n++
		}
	}
	return n, err
}

// removeUnused removes a file, unless a message names it since or it was uploaded anew.
func (l *Library) removeUnused(ctx context.Context, p nestor.Path, before int64) error {
	return l.store.Update(ctx, func(tx store.Tx) error {
		d, err := tx.Get(p)
		if errors.Is(err, nestor.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		f, err := nestor.As[nestor.File](d)
		if err != nil || f.State != nestor.FileUnused || d.UpdatedAt >= before {
			return err
		}
		return tx.Delete(p, d.Version)
	})
}

// Strays removes the bytes that were stored before a time and that no document names. It
// returns how many keys. An upload gives its document the bytes within an hour, and a
// key is never used again: what is older and has no document never gets one.
func (l *Library) Strays(ctx context.Context, before time.Time) (n int, err error) {
	if young := time.Now().Add(-2 * uploadTime); before.After(young) {
		before = young
	}
	for name, s := range l.storages {
		err = errors.Join(err, s.Keys(ctx, before, func(key filestore.Key) error {
			named, err := l.named(ctx, name, key)
			if err != nil || named {
				return err
			}
			n++
			return s.Delete(ctx, key)
		}))
	}
	return n, err
}

// named reports whether a document names the bytes under a key.
func (l *Library) named(ctx context.Context, storage string, key filestore.Key) (named bool, err error) {
	err = l.store.View(ctx, func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: "users/" + key.UserID + "/files", Limit: 1, Where: store.Where("storedAs", store.Eq, key.ID)})
		named = false
		for _, d := range page.Items {
			f, err := nestor.As[nestor.File](d)
			if err != nil {
				return err
			}
			named = named || f.Storage == storage
		}
		return err
	})
	return named, err
}
