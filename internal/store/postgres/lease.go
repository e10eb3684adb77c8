package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// keepAlive is how often the connection that holds the lock of a node is used,
// so that nobody on the way takes it for forgotten, and the node notices soon
// when it is dead.
const keepAlive = time.Second

// lockPause is the longest pause between two attempts to take the lock again: well
// below the grace, so that a node is back in time when the database is.
const lockPause = 250 * time.Millisecond

// answerLimit bounds one question on that connection.
const answerLimit = 5 * time.Second

// hold keeps the lock of a node. A connection that breaks is replaced: as long
// as no other node has taken over, the lease goes on under the same name.
// Meanwhile no jobs are claimed; those that run go on, and their commits find
// out whether they still count.
func (s *Store) hold(ctx context.Context, n *node, conn *pgx.Conn) {
	for conn != nil {
		s.listen(ctx, conn)
		n.held.Store(false)
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerLimit)
		conn.Close(closing)
		cancel()
		conn = s.regain(ctx, n)
	}
}

// listen passes wake-ups on until the connection breaks or ctx ends.
func (s *Store) listen(ctx context.Context, conn *pgx.Conn) {
	for {
		quiet, cancel := context.WithTimeout(ctx, keepAlive)
		told, err := conn.WaitForNotification(quiet)
		cancel()
		if err == nil {
			s.woken(told.Payload)
			continue
		}
		if ctx.Err() != nil || conn.IsClosed() {
			return
		}
		question, cancel := context.WithTimeout(ctx, answerLimit)
		err = conn.Ping(question)
		cancel()
		if err != nil {
			return
		}
	}
}

// regain takes the lock again, on a new connection, and tells the others that
// the node is back. It returns nil when they have taken over, or ctx ended.
func (s *Store) regain(ctx context.Context, n *node) *pgx.Conn {
	for pause := time.Millisecond; ctx.Err() == nil; pause = min(2*pause, lockPause) {
		if conn, err := s.lock(ctx, n); err == nil {
			question, cancel := context.WithTimeout(ctx, answerLimit)
			done, err := conn.Exec(question, "UPDATE nodes SET expires_at = now() + $2, missed_at = NULL WHERE id = $1", n.Node, n.TTL)
			cancel()
			if err == nil && done.RowsAffected() == 1 {
				n.signs.Back()
				n.held.Store(true)
				s.woken("") // what became ready meanwhile can be claimed
				return conn
			}
			conn.Close(ctx)
			if err == nil {
				n.gone.Store(true)
				return nil
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// lock opens a connection that holds the node's lock and listens for wake-ups.
// A session of this node that still holds the lock is one whose connection
// broke and whose end the server has not noticed: it is ended. (Nodes that look
// for others share the lock, for a moment.)
func (s *Store) lock(ctx context.Context, n *node) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	for _, text := range []string{
		`SELECT pg_terminate_backend(pid) FROM pg_locks, (SELECT hashtextextended('node:' || $1::text, 0) AS key) AS k
		WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND classid::bigint = (key >> 32) & 4294967295 AND objid::bigint = key & 4294967295`,
		"SELECT pg_advisory_lock(hashtextextended('node:' || $1::text, 0))",
	} {
		if _, err := conn.Exec(ctx, text, n.Node); err != nil {
			conn.Close(ctx)
			return nil, err
		}
	}
	var name string
	err = conn.QueryRow(ctx, "SELECT "+channel).Scan(&name)
	if err == nil {
		_, err = conn.Exec(ctx, "LISTEN "+pgx.Identifier{name}.Sanitize())
	}
	if err != nil {
		conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}
