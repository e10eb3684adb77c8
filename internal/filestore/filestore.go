// Package filestore says what a storage for the bytes of files is. Its rooms are the
// storages: database, folder and s3.
package filestore

import (
	"context"
	"io"
	"time"
)

// Storage keeps bytes under keys. A key is an id ([nestor.NewID]) that is used for
// one upload and never again, so what is stored under it never changes, and what no
// document names after a while is nobody's.
type Storage interface {
	// Put stores all that r has. If it fails, something may be stored all the same.
	// When it returns without an error the bytes are as durable as the storage is.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open reads from an offset on. It fails with [nestor.CodeNotFound] if nothing is
	// stored under the key. The reader must be closed.
	Open(ctx context.Context, key string, offset int64) (io.ReadCloser, error)
	// Delete removes what is stored under the key, if there is something.
	Delete(ctx context.Context, key string) error
	// Keys calls fn with the keys under which something was stored before a time,
	// complete or not.
	Keys(ctx context.Context, before time.Time, fn func(key string) error) error
}
