package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// channel carries the wake-ups between nodes.
const channel = "nestor"

// node is this process as a runner of jobs. It holds a connection of its own
// with a session lock on its name: when the process dies the lock goes at once
// and others need not wait for the lease to run out.
type node struct {
	store.Lease
	cancel context.CancelFunc
	done   chan struct{}
}

// accepts reports whether a job may be claimed for this process right now.
func (n *node) accepts() bool { return n != nil && n.Accept() }

func (n *node) stop() {
	n.cancel()
	<-n.done
}

// nodeLock is the session lock of the node named by the SQL expression.
func nodeLock(name string) string { return "hashtextextended('node:' || " + name + ", 0)" }

// Join implements [store.Queue].
func (s *Store) Join(ctx context.Context, lease store.Lease) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig.Copy())
	if err != nil {
		return classify(err)
	}
	// The lock comes before the row: a node without its lock counts as gone.
	_, err = conn.Exec(ctx, "SELECT pg_advisory_lock("+nodeLock("$1::text")+")", lease.Node)
	if err == nil {
		_, err = conn.Exec(ctx, "LISTEN "+channel)
	}
	if err == nil {
		_, err = s.pool.Exec(ctx, "INSERT INTO nodes (id, expires_at) VALUES ($1, now() + $2)", lease.Node, lease.TTL)
	}
	if err != nil {
		conn.Close(ctx)
		return classify(err)
	}
	run, cancel := context.WithCancel(context.Background())
	n := &node{Lease: lease, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(n.done)
		defer conn.Close(context.WithoutCancel(run))
		for {
			if _, err := conn.WaitForNotification(run); err != nil {
				// A broken connection has lost the lock too: Renew will say so
				// once somebody noticed, and until then polling does.
				return
			}
			select {
			case s.wake <- struct{}{}:
			default:
			}
		}
	}()
	if old := s.node.Swap(n); old != nil {
		old.stop()
	}
	return nil
}

// Renew implements [store.Queue].
func (s *Store) Renew(ctx context.Context) error {
	n := s.node.Load()
	if n == nil {
		return nestor.Errorf(nestor.CodeLeaseLost, "this process has not joined")
	}
	select {
	case <-n.done:
		return nestor.Errorf(nestor.CodeLeaseLost, "the connection that held the lease of node %s broke", n.Node)
	default:
	}
	var others int
	err := s.pool.QueryRow(ctx, `WITH mine AS (UPDATE nodes SET expires_at = now() + $2 WHERE id = $1 RETURNING 1)
		SELECT (SELECT count(*) FROM nodes WHERE id <> $1) FROM mine`, n.Node, n.TTL).Scan(&others)
	if err == pgx.ErrNoRows {
		return nestor.Errorf(nestor.CodeLeaseLost, "the lease of node %s is gone", n.Node)
	}
	if err == nil {
		s.peers.set(others)
	}
	return classify(err)
}

// Leave implements [store.Queue].
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
			{text: "UPDATE jobs SET state = 'ready', owner = NULL, attempt = attempt - 1 WHERE state = 'running' AND owner = $1", args: []any{n.Node}},
		})
	})
}

// TakeOver implements [store.Queue]. A node is gone when its lease ran out or
// its session lock is free.
func (s *Store) TakeOver(ctx context.Context) (int, error) {
	n := s.node.Load()
	if n == nil {
		return 0, nil
	}
	taken := 0
	err := s.transact(ctx, func(t *tx) error {
		taken = 0
		return t.send(steps{
			{
				text: "DELETE FROM nodes WHERE id <> $1 AND (expires_at < now() OR pg_try_advisory_xact_lock(" + nodeLock("id") + "))",
				args: []any{n.Node},
			},
			// The list is made first: a row that another node claims meanwhile is
			// looked at again, and a node that has just joined would be missing
			// from what this statement sees of nodes.
			{
				`WITH gone AS (SELECT DISTINCT owner FROM jobs WHERE state = 'running' AND owner NOT IN (SELECT id FROM nodes))
				UPDATE jobs SET state = 'ready', owner = NULL FROM gone
				WHERE jobs.owner = gone.owner AND jobs.state = 'running' RETURNING jobs.n`,
				nil, func(rows pgx.Rows) error {
					for rows.Next() {
						taken++
					}
					return rows.Err()
				},
			},
		})
	})
	return taken, err
}

// Wake implements [store.Log].
func (s *Store) Wake() <-chan struct{} { return s.wake }

// peers tells other nodes of commits, after the fact and not one by one: a
// NOTIFY inside the writing transactions would make them wait for each other.
type peers struct {
	pool   *pgxpool.Pool
	signal chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	others int
}

// notifyPause bounds the wake-ups to 200 a second.
const notifyPause = 5 * time.Millisecond

func newPeers(pool *pgxpool.Pool) *peers {
	ctx, cancel := context.WithCancel(context.Background())
	p := &peers{pool: pool, signal: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go p.run(ctx)
	return p
}

func (p *peers) set(others int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others = others
}

// notify asks for a wake-up if there is anybody to wake. A node that has just
// joined and is not counted yet polls.
func (p *peers) notify() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.others == 0 {
		return
	}
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

func (p *peers) stop() {
	p.cancel()
	<-p.done
}

func (p *peers) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signal:
		}
		// A wake-up that is lost costs its receivers one polling interval.
		_, _ = p.pool.Exec(ctx, "SELECT pg_notify($1, '')", channel)
		select {
		case <-ctx.Done():
			return
		case <-time.After(notifyPause):
		}
	}
}
