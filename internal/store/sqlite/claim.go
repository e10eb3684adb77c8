package sqlite

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Claim implements [store.Queue].
func (s *Store) Claim(ctx context.Context, limit int) (store.Claimed, error) {
	var out store.Claimed
	n := s.node.Load()
	if n == nil {
		return out, nil
	}
	err := s.writer.exclusive(ctx, func(t *tx) error {
		out = store.Claimed{}
		if err := t.lookForBlocked(); err != nil {
			return err
		}
		waiting, err := t.waiting(n.turns.After(), n.turns.Walk(limit))
		if err != nil {
			return err
		}
		now := time.Now()
		allotted := n.turns.Allot(waiting, limit, now, n.Share)
		for _, take := range allotted.Takes {
			err := t.conn.each(claimJobs, []any{n.Node, take.Tenant, nestor.Millis(now), take.Jobs}, func(r row) error {
				j, err := t.conn.tables.ScanJob(r.Scan)
				out.Jobs = append(out.Jobs, j)
				return err
			})
			if err != nil {
				return err
			}
		}
		n.turns, out.Next, out.More = allotted.Then(out.Jobs, &n.lately), allotted.Next, allotted.More(out.Jobs)
		return nil
	})
	return out, err
}

// lookForBlocked finds out whether jobs still wait for others of their key. It is asked
// now and then, with the claims: only while some do, each job that ends looks for its
// next one.
func (t *tx) lookForBlocked() error {
	if !t.blocked {
		return nil
	}
	return t.conn.row("SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'blocked')").Scan(&t.blocked)
}

// waiting lists the tenants with ready jobs, in turn.
func (t *tx) waiting(after string, most int) (list []store.Waiting, err error) {
	err = t.conn.each(walkTenants, []any{after, most}, func(r row) error {
		var w store.Waiting
		err := r.Scan(&w.Tenant, &w.RunAt)
		list = append(list, w)
		return err
	})
	return list, err
}

const claimJobs = `UPDATE jobs SET state = 'running', owner = ?1, attempt = attempt + 1
WHERE n IN (SELECT n FROM jobs WHERE state = 'ready' AND ` + tenant + ` = ?2 AND run_at <= ?3 ORDER BY run_at, n LIMIT ?4)
RETURNING ` + store.JobColumns

// tenant is [nestor.Path.Tenant] of a job's path, as the index jobs_turn has it.
const tenant = `substr(path, 1, instr(path, '/') + instr(substr(path, instr(path, '/') + 1) || '/', '/') - 1)`

// walkTenants steps from one tenant to the next in the index, from ?1 to the last
// (lap 0) and from the first to ?1 (lap 1), so its cost grows with the number of
// tenants and not with that of their jobs. The step from the last to the first has no tenant.
const walkTenants = `
WITH RECURSIVE walk(tenant, lap, step) AS (
  SELECT (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > ?1 ORDER BY ` + tenant + ` LIMIT 1), 0, 1
  UNION ALL
  SELECT CASE WHEN tenant IS NULL
      THEN (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' ORDER BY ` + tenant + ` LIMIT 1)
      ELSE (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > walk.tenant ORDER BY ` + tenant + ` LIMIT 1) END,
    CASE WHEN tenant IS NULL THEN 1 ELSE lap END, step + 1
  FROM walk WHERE step <= ?2 AND (lap = 0 OR tenant <= ?1)
)
SELECT tenant, (SELECT run_at FROM jobs WHERE state = 'ready' AND ` + tenant + ` = walk.tenant ORDER BY run_at LIMIT 1)
FROM walk WHERE tenant IS NOT NULL AND (lap = 0 OR tenant <= ?1) ORDER BY step LIMIT ?2`
