// Package folder keeps the bytes of files in a folder, each in a file of its own that
// is named after the id of its key, in a folder of the user.
package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
)

// Storage implements [filestore.Storage].
type Storage struct{ root string }

var _ filestore.Storage = Storage{}

// Open returns the storage of a folder, which it makes if it is missing.
func Open(path string) (Storage, error) {
	root, err := filepath.Abs(path)
	if err == nil {
		err = os.MkdirAll(root, 0o700)
	}
	if err != nil {
		return Storage{}, nestor.Errorf(nestor.CodeInvalid, "the folder for files cannot be made: %w", err)
	}
	return Storage{root}, nil
}

// place is where the file of a key lies. Ids have no characters that mean something in
// paths.
func (s Storage) place(key filestore.Key) (string, error) {
	if nestor.CheckID(key.UserID) != nil || nestor.CheckID(key.ID) != nil {
		return "", nestor.Errorf(nestor.CodeInternal, "%q is no key of a file", key)
	}
	return filepath.Join(s.root, key.UserID, key.ID), nil
}

// Put implements [filestore.Storage]. The file has its name from the beginning: who
// reads it knows its key from a document, which is written when it is complete.
func (s Storage) Put(ctx context.Context, key filestore.Key, r io.Reader) (err error) {
	at, err := s.place(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return unavailable(err)
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return unavailable(err)
	}
	out := &writer{ctx: ctx, f: f}
	if _, err = io.Copy(out, r); err == nil {
		err = unavailable(f.Sync())
	}
	if closed := f.Close(); err == nil {
		err = unavailable(closed)
	}
	if err == nil {
		err = unavailable(syncFolder(filepath.Dir(at)))
	}
	return err
}

// writer says of the disk, and not of what is read, that it failed, and stops with its
// context.
type writer struct {
	ctx context.Context
	f   *os.File
}

func (w *writer) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	n, err := w.f.Write(p)
	return n, unavailable(err)
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Open implements [filestore.Storage].
func (s Storage) Open(_ context.Context, key filestore.Key, offset int64) (io.ReadCloser, error) {
	at, err := s.place(key)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nestor.Errorf(nestor.CodeNotFound, "the bytes of the file are gone")
	}
	if err != nil {
		return nil, unavailable(err)
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(unavailable(err), f.Close())
	}
	return f, nil
}

// Delete implements [filestore.Storage].
func (s Storage) Delete(_ context.Context, key filestore.Key) error {
	at, err := s.place(key)
	if err != nil {
		return err
	}
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

// Keys implements [filestore.Storage].
func (s Storage) Keys(ctx context.Context, before time.Time, fn func(filestore.Key) error) error {
	return filepath.WalkDir(s.root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return unavailable(err)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		user, id := filepath.Base(filepath.Dir(at)), d.Name()
		if d.IsDir() || nestor.CheckID(id) != nil || filepath.Join(s.root, user, id) != at {
			return nil // nothing of ours
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.ModTime().Before(before) {
			return nil
		}
		if err != nil {
			return unavailable(err)
		}
		return fn(filestore.Key{UserID: user, ID: id})
	})
}

// unavailable hides where the folder is from clients.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return nestor.Errorf(nestor.CodeUnavailable, "the folder for files cannot be used: %w", err)
}
