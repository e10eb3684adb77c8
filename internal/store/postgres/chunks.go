package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// PutChunk implements [store.Chunks].
func (s *Store) PutChunk(ctx context.Context, key store.ChunkKey, n int, data []byte) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO chunks (user_id, id, n, stored_at, data) VALUES ($1, $2, $3, $4, $5)", key.UserID, key.ID, n, nestor.Millis(time.Now()), data)
	return classify(err)
}

// Chunk implements [store.Chunks].
func (s *Store) Chunk(ctx context.Context, key store.ChunkKey, n int) (data []byte, err error) {
	err = s.pool.QueryRow(ctx, "SELECT data FROM chunks WHERE user_id = $1 AND id = $2 AND n = $3", key.UserID, key.ID, n).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return data, classify(err)
}

// DropChunks implements [store.Chunks].
func (s *Store) DropChunks(ctx context.Context, key store.ChunkKey) error {
	_, err := s.pool.Exec(ctx, "DELETE FROM chunks WHERE user_id = $1 AND id = $2", key.UserID, key.ID)
	return classify(err)
}

// ChunkKeys implements [store.Chunks].
func (s *Store) ChunkKeys(ctx context.Context, before time.Time, after store.ChunkKey, limit int) ([]store.ChunkKey, error) {
	rows, err := s.pool.Query(ctx, "SELECT user_id, id FROM chunks WHERE n = 0 AND (user_id, id) > ($1, $2) AND stored_at < $3 ORDER BY user_id, id LIMIT $4",
		after.UserID, after.ID, nestor.Millis(before), limit)
	if err != nil {
		return nil, classify(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[store.ChunkKey])
	return keys, classify(err)
}
