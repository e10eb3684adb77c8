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
		waiting, err := t.waiting(n.turns.After(), n.turns.Walk(limit), n.Limits.Tenant)
		if err != nil {
			return err
		}
		now := time.Now()
		allotted := n.turns.Allot(waiting, limit, now, n.Weight)
		if n.limited() {
			out.Jobs, err = t.claimPlaces(n, allotted.Takes, now)
			n.bounded.Store(allotted.Bounded(waiting, out.Jobs, n.limitsAccounts()))
		} else {
			out.Jobs, err = t.claimJobs(n, allotted.Takes, now)
		}
		if err != nil {
			return err
		}
		n.turns, out.Next, out.More = allotted.Then(out.Jobs, &n.lately), allotted.Next, allotted.More(out.Jobs)
		if n.limitsAccounts() {
			n.turns = allotted.After(out.Jobs)
		}
		return nil
	})
	return out, err
}

// claimJobs claims ready jobs of tenants.
func (t *tx) claimJobs(n *node, takes []store.Take, now time.Time) (jobs []nestor.Job, err error) {
	for _, take := range takes {
		err := t.conn.each(claimJobs, []any{n.Node, take.Tenant, nestor.Millis(now), take.Jobs}, func(r row) error {
			j, err := t.conn.tables.ScanJob(r.Scan)
			jobs = append(jobs, j)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
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
func (t *tx) waiting(after string, most, limit int) (list []store.Waiting, err error) {
	text, args := walkTenants, []any{after, most, store.NoBound}
	if limit > 0 {
		text, args[2] = walkLimited, limit
	}
	err = t.conn.each(text, args, func(r row) error {
		var w store.Waiting
		err := r.Scan(&w.Tenant, &w.RunAt, &w.Room)
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
const walkTenants = walk + `?3 ` + walked

// walkLimited is the same where ?3 is how many jobs of a tenant may run.
const walkLimited = walk + `?3 - (SELECT count(*) FROM jobs WHERE state = 'running' AND place = walk.tenant)` + walked

const walk = `
WITH RECURSIVE walk(tenant, lap, step) AS (
  SELECT (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > ?1 ORDER BY ` + tenant + ` LIMIT 1), 0, 1
  UNION ALL
  SELECT CASE WHEN tenant IS NULL
      THEN (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' ORDER BY ` + tenant + ` LIMIT 1)
      ELSE (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > walk.tenant ORDER BY ` + tenant + ` LIMIT 1) END,
    CASE WHEN tenant IS NULL THEN 1 ELSE lap END, step + 1
  FROM walk WHERE step <= ?2 AND (lap = 0 OR tenant <= ?1)
)
SELECT tenant, (SELECT run_at FROM jobs WHERE state = 'ready' AND ` + tenant + ` = walk.tenant ORDER BY run_at LIMIT 1), `

const walked = `
FROM walk WHERE tenant IS NOT NULL AND (lap = 0 OR tenant <= ?1) ORDER BY step LIMIT ?2`
