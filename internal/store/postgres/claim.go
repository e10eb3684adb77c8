package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Claim implements [store.Queue]. It asks who waits before it begins a transaction,
// so that a node with nothing to claim writes nothing.
func (s *Store) Claim(ctx context.Context, limit int) (store.Claimed, error) {
	var out store.Claimed
	n := s.node.Load()
	if n == nil || !n.held.Load() {
		return out, nil
	}
	n.claiming.Lock()
	defer n.claiming.Unlock()
	waiting, err := s.waiting(ctx, n.turns.After(), n.turns.Walk(limit))
	if err != nil {
		return out, err
	}
	now := time.Now()
	allotted := n.turns.Allot(waiting, limit, now, n.Share)
	if len(allotted.Takes) > 0 {
		if out.Jobs, err = s.take(ctx, n, allotted.Takes, now); err != nil {
			return out, err
		}
	}
	n.turns, out.Next, out.More = allotted.Then(out.Jobs, &n.lately), allotted.Next, allotted.More(out.Jobs)
	return out, nil
}

// waiting lists the tenants with ready jobs, in turn.
func (s *Store) waiting(ctx context.Context, after string, most int) (list []store.Waiting, err error) {
	err = insist(ctx, func() error {
		rows, err := s.pool.Query(ctx, walkTenants, after, most)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.Waiting])
		}
		return err
	})
	return list, err
}

// take claims jobs of some tenants.
func (s *Store) take(ctx context.Context, n *node, takes []store.Take, now time.Time) (jobs []nestor.Job, err error) {
	tenants, counts := make([]string, len(takes)), make([]int, len(takes))
	for i, t := range takes {
		tenants[i], counts[i] = t.Tenant, t.Jobs
	}
	err = s.transact(ctx, func(t *tx) error {
		jobs = nil
		return t.send(steps{{text: claimJobs, args: []any{n.Node, nestor.Millis(now), tenants, counts, t.signed()}, then: func(rows pgx.Rows) error {
			return t.store.tables.eachJob(rows, func(j nestor.Job) { jobs = append(jobs, j) })
		}}})
	})
	return jobs, err
}

// tenant is [nestor.Path.Tenant] of a job's path, as the index jobs_turn has it.
const tenant = `(split_part(path, '/', 1) || '/' || split_part(path, '/', 2))`

// walkTenants steps from one tenant to the next in the index, from $1 to the last
// (lap 0) and from the first to $1 (lap 1), so its cost grows with the number of
// tenants and not with that of their jobs. The step from the last to the first has no tenant.
const walkTenants = `
WITH RECURSIVE walk(tenant, lap, step) AS (
  SELECT (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > $1 ORDER BY ` + tenant + ` LIMIT 1), 0, 1
  UNION ALL
  SELECT CASE WHEN tenant IS NULL
      THEN (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' ORDER BY ` + tenant + ` LIMIT 1)
      ELSE (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > walk.tenant ORDER BY ` + tenant + ` LIMIT 1) END,
    CASE WHEN tenant IS NULL THEN 1 ELSE lap END, step + 1
  FROM walk WHERE step <= $2 AND (lap = 0 OR tenant <= $1)
)
SELECT tenant, (SELECT run_at FROM jobs WHERE state = 'ready' AND ` + tenant + ` = walk.tenant ORDER BY run_at LIMIT 1)
FROM walk WHERE tenant IS NOT NULL AND (lap = 0 OR tenant <= $1) ORDER BY step LIMIT $2`

// claimJobs writes nothing, not even its token, when others were faster.
const claimJobs = `WITH claimed AS (
	UPDATE jobs SET state = 'running', owner = $1, attempt = attempt + 1
	WHERE n IN (SELECT j.n FROM unnest($3::text[], $4::integer[]) AS turn(tenant, jobs) CROSS JOIN LATERAL (
		SELECT n FROM jobs WHERE state = 'ready' AND ` + tenant + ` = turn.tenant AND run_at <= $2
		ORDER BY run_at, n LIMIT turn.jobs FOR UPDATE SKIP LOCKED) AS j)
	RETURNING ` + store.JobColumns + `
), signed AS (
	INSERT INTO commits (token) SELECT $5 WHERE EXISTS (SELECT FROM claimed)
)
SELECT ` + store.JobColumns + ` FROM claimed`
