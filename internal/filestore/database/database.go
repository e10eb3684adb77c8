// Package database keeps the bytes of files in the database, in pieces.
package database

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/store"
)

// pieceSize is what an upload or a download holds in memory.
const pieceSize = 256 << 10

// Storage implements [filestore.Storage].
type Storage struct{ chunks store.Chunks }

var _ filestore.Storage = Storage{}

// New returns the storage of a database.
func New(chunks store.Chunks) Storage { return Storage{chunks} }

// Put implements [filestore.Storage].
func (s Storage) Put(ctx context.Context, key filestore.Key, r io.Reader) error {
	piece := make([]byte, pieceSize)
	for n := 0; ; n++ {
		size, err := io.ReadFull(r, piece)
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		last := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) // an empty file has one empty piece
		if err != nil && !last {
			return err
		}
		if err := s.chunks.PutChunk(ctx, key, n, piece[:size]); err != nil || last {
			return err
		}
	}
}

// Open implements [filestore.Storage].
func (s Storage) Open(ctx context.Context, key filestore.Key, offset int64) (io.ReadCloser, error) {
	r := &reader{ctx: ctx, chunks: s.chunks, key: key, next: int(offset / pieceSize)}
	if err := r.load(); err != nil {
		return nil, err
	}
	if r.end && offset == 0 {
		return nil, nestor.Errorf(nestor.CodeNotFound, "the bytes of the file are gone")
	}
	r.piece = r.piece[min(offset%pieceSize, int64(len(r.piece))):]
	return r, nil
}

// reader reads piece after piece.
type reader struct {
	ctx    context.Context
	chunks store.Chunks
	key    filestore.Key
	next   int
	piece  []byte
	end    bool
}

func (r *reader) load() (err error) {
	r.piece, err = r.chunks.Chunk(r.ctx, r.key, r.next)
	r.next++
	r.end = r.piece == nil
	return err
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 && !r.end {
		if err := r.load(); err != nil {
			return 0, err
		}
	}
	if r.end {
		return 0, io.EOF
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

func (r *reader) Close() error { return nil }

// Delete implements [filestore.Storage].
func (s Storage) Delete(ctx context.Context, key filestore.Key) error {
	return s.chunks.DropChunks(ctx, key)
}

// keysPage is how many keys are asked for at once.
const keysPage = 500

// Keys implements [filestore.Storage].
func (s Storage) Keys(ctx context.Context, before time.Time, fn func(filestore.Key) error) error {
	for after := (filestore.Key{}); ; {
		keys, err := s.chunks.ChunkKeys(ctx, before, after, keysPage)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := fn(key); err != nil {
				return err
			}
		}
		if len(keys) < keysPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}
