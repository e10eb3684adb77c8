// Package filestore says what a storage for the bytes of files is. Its rooms are the
// storages: database, folder and s3.
package filestore

import (
	"context"
	"io"
	"time"

	"github.com/nestorhq/nestor/internal/store"
)

// Key names bytes of a user. Its id is used for one upload and never again, so what is
// stored under a key never changes, and what no document names after a while is
// nobody's.
type Key = store.ChunkKey

// Storage keeps bytes under keys.
type Storage interface {
	// Put stores all that r has. If it fails, something may be stored all the same.
	// When it returns without an error the bytes are as durable as the storage is.
	Put(ctx context.Context, key Key, r io.Reader) error
	// Open reads from an offset on. It fails with [nestor.CodeNotFound] if nothing is
	// stored under the key. The reader must be closed.
	Open(ctx context.Context, key Key, offset int64) (io.ReadCloser, error)
	// Delete removes what is stored under the key, if there is something.
	Delete(ctx context.Context, key Key) error
	// Keys calls fn with the keys under which something was stored before a time,
	// complete or not.
	Keys(ctx context.Context, before time.Time, fn func(Key) error) error
}
