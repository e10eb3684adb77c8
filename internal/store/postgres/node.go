package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

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

	ownLimits atomic.Bool // some accounts have limits of their own
	bounded   atomic.Bool // the last claim met somebody at their limit

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

// limited reports whether there are limits, so that a job needs a place to run.
func (n *node) limited() bool { return n.Limits.Tenant > 0 || n.limitsAccounts() }

func (n *node) limitsAccounts() bool { return n.Limits.Account > 0 || n.ownLimits.Load() }

// awaited reports whether somebody waits for a place to become free.
func (n *node) awaited() bool { return n != nil && n.bounded.Load() }

func (n *node) stop() {
	n.cancel()
	<-n.done
}

// Join implements [store.Queue].
func (s *Store) Join(ctx context.Context, lease store.Lease) error {
	n := &node{Lease: lease, done: make(chan struct{})}
	var conn *pgx.Conn
	var others int
	var limits bool
	err := insist(ctx, func() (err error) {
		if conn, err = s.lock(ctx, n); err != nil {
			return err
		}
		// The lock comes before the row: a node without its lock counts as gone.
		err = conn.QueryRow(ctx, `WITH mine AS (INSERT INTO nodes (id, expires_at) VALUES ($1, now() + $2)
			ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at)
			SELECT count(*), `+accountsAreLimited+` FROM nodes WHERE id <> $1`, n.Node, n.TTL).Scan(&others, &limits)
		if err != nil {
			conn.Close(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.peers.set(others)
	n.ownLimits.Store(limits)
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
	var limits bool
	err := s.pool.QueryRow(ctx, `WITH mine AS (UPDATE nodes SET expires_at = now() + $2 WHERE id = $1 RETURNING 1)
		SELECT (SELECT count(*) FROM nodes WHERE id <> $1), `+accountsAreLimited+` FROM mine`, n.Node, n.TTL).Scan(&others, &limits)
	if errors.Is(err, pgx.ErrNoRows) {
		return lost(n)
	}
	if err != nil {
		return classify(err)
	}
	s.peers.set(others)
	n.ownLimits.Store(limits)
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
			{
				text: "UPDATE jobs SET state = 'ready', owner = NULL, error = $1 || owner, attempt = attempt - 1, attempts = " + withAttempt(interruptedAttempt) +
					" WHERE state = 'running' AND owner = $3",
				args: []any{store.Interrupted, nestor.Millis(time.Now()), n.Node},
			},
		})
	})
}
