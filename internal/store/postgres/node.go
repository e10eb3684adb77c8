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
	back   atomic.Int64
	cancel context.CancelFunc
	done   chan struct{}

	claiming sync.Mutex
	turns    store.Turns // of the tenants whose jobs it claims
}

// accepts reports whether a job about the document at p may be claimed for this
// process right now.
func (n *node) accepts(p nestor.Path) bool { return n != nil && n.held.Load() && n.Accept(p.Tenant()) }

func (n *node) stop() {
	n.cancel()
	<-n.done
}

// Join implements [store.Queue].
func (s *Store) Join(ctx context.Context, lease store.Lease) error {
	n := &node{Lease: lease, done: make(chan struct{})}
	var conn *pgx.Conn
	err := insist(ctx, func() (err error) {
		if conn, err = s.lock(ctx, n); err != nil {
			return err
		}
		// The lock comes before the row: a node without its lock counts as gone.
		_, err = conn.Exec(ctx, `INSERT INTO nodes (id, expires_at) VALUES ($1, now() + $2)
			ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`, n.Node, n.TTL)
		if err != nil {
			conn.Close(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
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

// TakeOver implements [store.Queue]. A node is gone when its lease ran out or
// its session lock has been free for its grace. What this writes may be written
// twice.
func (s *Store) TakeOver(ctx context.Context) (int, error) {
	n := s.node.Load()
	if n == nil || !n.held.Load() || !store.OneOfFew(s.peers.count()) {
		return 0, nil
	}
	// When the database was away, no node could renew its lease. All get the
	// time to do so before one of them is taken for gone.
	waited := time.Since(time.UnixMilli(n.back.Load())) > n.TTL
	taken := 0
	err := s.transact(ctx, func(t *tx) error {
		taken = 0
		now := time.Now()
		return t.send(steps{
			{text: missNodes, args: []any{n.Node, n.Grace, waited}},
			// The list is made first: a row that another node claims meanwhile is
			// looked at again, and a node that has just joined would be missing
			// from what this statement sees of nodes.
			{
				`WITH gone AS (SELECT DISTINCT owner FROM jobs WHERE state = 'running' AND owner NOT IN (SELECT id FROM nodes))
				UPDATE jobs SET state = 'ready', owner = NULL, error = $1 || jobs.owner, run_at = least(run_at, $2) FROM gone
				WHERE jobs.owner = gone.owner AND jobs.state = 'running' RETURNING jobs.n`,
				[]any{store.Interrupted, nestor.Millis(now)},
				func(rows pgx.Rows) error {
					for rows.Next() {
						taken++
					}
					return rows.Err()
				},
			},
			{
				text: "UPDATE jobs SET run_at = $1 WHERE state = 'ready' AND run_at > $2",
				args: []any{nestor.Millis(now), nestor.Millis(now.Add(store.MaxPause))},
			},
		})
	})
	return taken, err
}

// missNodes removes the nodes that are gone and notes of the others since when
// they have been without their lock. Those who look share the lock, so that
// none of them takes another for the node. A node that comes back meanwhile
// writes its row: then the row is judged again as it is.
const missNodes = `
WITH seen AS MATERIALIZED (
  SELECT id, pg_try_advisory_xact_lock_shared(hashtextextended('node:' || id, 0)) AS free FROM nodes WHERE id <> $1
), removed AS (
  DELETE FROM nodes USING seen
  WHERE nodes.id = seen.id AND (nodes.expires_at < now() AND $3 OR seen.free AND COALESCE(nodes.missed_at, now()) <= now() - $2::interval)
)
UPDATE nodes SET missed_at = CASE WHEN seen.free THEN now() END FROM seen
WHERE nodes.id = seen.id AND seen.free = (nodes.missed_at IS NULL)
  AND NOT (nodes.expires_at < now() AND $3 OR seen.free AND now() <= now() - $2::interval)`
