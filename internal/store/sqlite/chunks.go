package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
)

// PutChunk implements [store.Chunks].
func (s *Store) PutChunk(ctx context.Context, key string, n int, data []byte) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		return t.conn.exec("INSERT INTO chunks (key, n, stored_at, data) VALUES (?, ?, ?, ?)", key, n, nestor.Millis(time.Now()), data)
	})
}

// Chunk implements [store.Chunks].
func (s *Store) Chunk(ctx context.Context, key string, n int) (data []byte, err error) {
	err = s.with(ctx, s.readers.lend, func(d *direct) error {
		data = nil
		err := d.row("SELECT data FROM chunks WHERE key = ? AND n = ?", key, n).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		data = slices.Clone(data)
		return err
	})
	return data, err
}

// DropChunks implements [store.Chunks].
func (s *Store) DropChunks(ctx context.Context, key string) error {
	return s.writer.exclusive(ctx, func(t *tx) error { return t.conn.exec("DELETE FROM chunks WHERE key = ?", key) })
}

// ChunkKeys implements [store.Chunks].
func (s *Store) ChunkKeys(ctx context.Context, before time.Time, after string, limit int) (keys []string, err error) {
	err = s.with(ctx, s.readers.lend, func(d *direct) error {
		keys = nil
		return d.each("SELECT key FROM chunks WHERE n = 0 AND key > ? AND stored_at < ? ORDER BY key LIMIT ?",
			[]any{after, nestor.Millis(before), limit}, func(r row) error {
				var key string
				err := r.Scan(&key)
				keys = append(keys, key)
				return err
			})
	})
	return keys, err
}
