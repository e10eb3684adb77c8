package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Missed implements [store.Queue]. It is one question about all nodes. Who is alone, as
// of its last heartbeat, does not ask.
func (s *Store) Missed(ctx context.Context) (due time.Time, err error) {
	n, others := s.node.Load(), s.peers.count()
	if n == nil || !n.held.Load() || others == 0 || !store.OneOfFew(others) {
		return due, nil
	}
	var wait *time.Duration
	if err := s.pool.QueryRow(ctx, missedNodes, n.Node, n.Grace, n.signs.Judge(n.TTL)).Scan(&wait); err != nil {
		return due, classify(err)
	}
	if wait != nil {
		n.missed.Store(true)
		due = time.Now().Add(*wait)
	}
	return due, nil
}

// missedNodes tells how soon [missNodes] has something to write: nothing for never.
const missedNodes = `
SELECT min(CASE
    WHEN expires_at < now() AND $3 OR free = (missed_at IS NULL) THEN interval '0'
    WHEN free AND $3 THEN greatest(missed_at + $2::interval - now(), interval '0')
  END)
FROM (
  SELECT expires_at, missed_at, pg_try_advisory_xact_lock_shared(hashtextextended('node:' || id, 0)) AS free FROM nodes WHERE id <> $1
) AS others`

// TakeOver implements [store.Queue]. A node is gone when its lease ran out or
// its session lock has been free for its grace. What this writes may be written
// twice.
func (s *Store) TakeOver(ctx context.Context) (int, error) {
	n := s.node.Load()
	if n == nil || !n.held.Load() || !n.missed.Swap(false) && !store.OneOfFew(s.peers.count()) {
		return 0, nil
	}
	taken := 0
	err := s.transact(ctx, func(t *tx) error {
		taken = 0
		now := time.Now()
		return t.send(steps{
			{text: missNodes, args: []any{n.Node, n.Grace, n.signs.Judge(n.TTL)}},
			// The list is made first: a row that another node claims meanwhile is
			// looked at again, and a node that has just joined would be missing
			// from what this statement sees of nodes.
			{
				text: `WITH gone AS (SELECT DISTINCT owner FROM jobs WHERE state = 'running' AND owner NOT IN (SELECT id FROM nodes))
				UPDATE jobs SET state = 'ready', owner = NULL, error = $1 || jobs.owner, run_at = least(run_at, $2), attempts = ` + withAttempt(interruptedAttempt) + ` FROM gone
				WHERE jobs.owner = gone.owner AND jobs.state = 'running' RETURNING jobs.n`,
				args: []any{store.Interrupted, nestor.Millis(now)},
				then: func(rows pgx.Rows) error {
					for rows.Next() {
						taken++
					}
					t.commit.Waiting = taken > 0
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
  WHERE nodes.id = seen.id AND $3 AND (nodes.expires_at < now() OR seen.free AND COALESCE(nodes.missed_at, now()) <= now() - $2::interval)
)
UPDATE nodes SET missed_at = CASE WHEN seen.free THEN now() END FROM seen
WHERE nodes.id = seen.id AND seen.free = (nodes.missed_at IS NULL)
  AND NOT ($3 AND (nodes.expires_at < now() OR seen.free AND now() <= now() - $2::interval))`
