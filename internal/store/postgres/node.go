package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// node is this process as a runner of jobs. Its lease is a row that it renews,
// and a session lock on its name, which a connection of its own holds
// (lease.go): when the process dies the lock goes at once, and others need not
// wait for the lease to run out.
type node struct {
	store.Lease
	held   atomic.Bool // the lock; without it no jobs are claimed
	gone   atomic.Bool // others have taken over
	missed atomic.Bool // another node is, so it must be taken over from
	signs  store.Signs
	cancel context.CancelFunc
	done   chan struct{}

	claiming sync.Mutex
	turns    store.Turns // of the tenants whose jobs it claims
	lately   store.Lately
}

// accepts reports whether a job about the document at p may be claimed for this
// process right now.
func (n *node) accepts(p nestor.Path) bool {
	if n == nil || !n.held.Load() || !n.Accept(p.Tenant()) {
		return false
	}
	n.lately.Add(p.Tenant())
	return true
}

func (n *node) stop() {
	n.cancel()
	<-n.done
}

// Join implements [store.Queue].
func (s *Store) Join(ctx context.Context, lease store.Lease) error {
	n := &node{Lease: lease, done: make(chan struct{})}
	var conn *pgx.Conn
	var others int
	err := insist(ctx, func() (err error) {
		if conn, err = s.lock(ctx, n); err != nil {
			return err
		}
		// The lock comes before the row: a node without its lock counts as gone.
		err = conn.QueryRow(ctx, `WITH mine AS (INSERT INTO nodes (id, expires_at) VALUES ($1, now() + $2)
			ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at)
			SELECT count(*) FROM nodes WHERE id <> $1`, n.Node, n.TTL).Scan(&others)
		if err != nil {
			conn.Close(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.peers.set(others)
	n.signs.Joined()
	n.held.Store(true)
	run, cancel := context.WithCancel(s.life)
	n.cancel = cancel
	go func() {
		defer close(n.done)
		s.hold(run, n, conn)
	}()
	if old := s.node.Swap(n); old != nil {
		old.stop()
	}
	return nil
}

// Renew implements [store.Queue]. The lease is lost when others took over, and
// not because the database is away: then nobody can take over either. A node whose
// program is too old for what the schema has become is told so: it must not write
// any more.
func (s *Store) Renew(ctx context.Context) error {
	n := s.node.Load()
	if n == nil {
		return nestor.Errorf(nestor.CodeLeaseLost, "this process has not joined")
	}
	if n.gone.Load() {
		return lost(n)
	}
	var others int
	err := s.pool.QueryRow(ctx, `WITH mine AS (UPDATE nodes SET expires_at = now() + $2 WHERE id = $1 RETURNING 1)
		SELECT (SELECT count(*) FROM nodes WHERE id <> $1) FROM mine`, n.Node, n.TTL).Scan(&others)
	if errors.Is(err, pgx.ErrNoRows) {
		return lost(n)
	}
	if err != nil {
		return classify(err)
	}
	s.peers.set(others)
	n.signs.Renewed(n.TTL)
	return s.fits(ctx)
}

func lost(n *node) error {
	return nestor.Errorf(nestor.CodeLeaseLost, "other nodes have taken over from node %s", n.Node)
}

// Leave implements [store.Queue]. What it writes may be written twice.
func (s *Store) Leave(ctx context.Context) error {
	n := s.node.Swap(nil)
	if n == nil {
		return nil
	}
	n.stop()
	return s.transact(ctx, func(t *tx) error {
		t.commit.Waiting = true
		return t.send(steps{
			{text: "DELETE FROM nodes WHERE id = $1", args: []any{n.Node}},
			{text: "UPDATE jobs SET state = 'ready', owner = NULL, error = $2 || owner, attempt = attempt - 1 WHERE state = 'running' AND owner = $1", args: []any{n.Node, store.Interrupted}},
		})
	})
}
