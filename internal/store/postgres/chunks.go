package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
)

// PutChunk implements [store.Chunks].
func (s *Store) PutChunk(ctx context.Context, key string, n int, data []byte) error {
	_, err := s.pool.Exec(ctx, "INSERT INTO chunks (key, n, stored_at, data) VALUES ($1, $2, $3, $4)", key, n, nestor.Millis(time.Now()), data)
	return classify(err)
}

// Chunk implements [store.Chunks].
func (s *Store) Chunk(ctx context.Context, key string, n int) (data []byte, err error) {
	err = s.pool.QueryRow(ctx, "SELECT data FROM chunks WHERE key = $1 AND n = $2", key, n).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return data, classify(err)
}

// DropChunks implements [store.Chunks].
func (s *Store) DropChunks(ctx context.Context, key string) error {
	_, err := s.pool.Exec(ctx, "DELETE FROM chunks WHERE key = $1", key)
	return classify(err)
}

// ChunkKeys implements [store.Chunks].
func (s *Store) ChunkKeys(ctx context.Context, before time.Time, after string, limit int) ([]string, error) {
	rows, err := s.pool.Query(ctx, "SELECT key FROM chunks WHERE n = 0 AND key > $1 AND stored_at < $2 ORDER BY key LIMIT $3",
		after, nestor.Millis(before), limit)
	if err != nil {
		return nil, classify(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return keys, classify(err)
}
