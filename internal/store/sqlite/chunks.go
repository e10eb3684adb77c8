package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// PutChunk implements [store.Chunks].
func (s *Store) PutChunk(ctx context.Context, key store.ChunkKey, n int, data []byte) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		return t.conn.exec("INSERT INTO chunks (user_id, id, n, stored_at, data) VALUES (?, ?, ?, ?, ?)", key.UserID, key.ID, n, nestor.Millis(time.Now()), data)
	})
}

// Chunk implements [store.Chunks].
func (s *Store) Chunk(ctx context.Context, key store.ChunkKey, n int) (data []byte, err error) {
	err = s.with(ctx, s.readers.lend, func(d *direct) error {
		data = nil
		err := d.row("SELECT data FROM chunks WHERE user_id = ? AND id = ? AND n = ?", key.UserID, key.ID, n).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		data = slices.Clone(data)
		return err
	})
	return data, err
}

// DropChunks implements [store.Chunks].
func (s *Store) DropChunks(ctx context.Context, key store.ChunkKey) error {
	return s.writer.exclusive(ctx, func(t *tx) error {
		return t.conn.exec("DELETE FROM chunks WHERE user_id = ? AND id = ?", key.UserID, key.ID)
	})
}

// ChunkKeys implements [store.Chunks].
func (s *Store) ChunkKeys(ctx context.Context, before time.Time, after store.ChunkKey, limit int) (keys []store.ChunkKey, err error) {
	err = s.with(ctx, s.readers.lend, func(d *direct) error {
		keys = nil
		return d.each("SELECT user_id, id FROM chunks WHERE n = 0 AND (user_id, id) > (?, ?) AND stored_at < ? ORDER BY user_id, id LIMIT ?",
			[]any{after.UserID, after.ID, nestor.Millis(before), limit}, func(r row) error {
				var key store.ChunkKey
				err := r.Scan(&key.UserID, &key.ID)
				keys = append(keys, key)
				return err
			})
	})
	return keys, err
}
