package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
)

// busyLimit bounds how long a transaction waits for a connection of the pool. No
// transaction needs a second one, so those that wait are served as others end.
const busyLimit = 10 * time.Second

// acquire takes a connection from the pool.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	busy := nestor.Hide(nestor.CodeUnavailable, "all connections to the database are in use: try again", nestor.RetryAfter(time.Second))
	waiting, cancel := context.WithTimeoutCause(ctx, s.busyFor, busy)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(waiting), busy) {
		return nil, busy
	}
	return conn, err
}
