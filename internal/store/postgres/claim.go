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
	waiting, err := s.waiting(ctx, n.turns.After(), n.turns.Walk(limit), n.Limits.Tenant)
	if err != nil {
		return out, err
	}
	now := time.Now()
	allotted := n.turns.Allot(waiting, limit, now, n.Weight)
	if len(allotted.Takes) > 0 {
		if out.Jobs, err = s.take(ctx, n, allotted.Takes, now); err != nil {
			return out, err
		}
	}
	if bounded := n.limited() && allotted.Bounded(waiting, out.Jobs, n.limitsAccounts()); n.bounded.Swap(bounded) != bounded && bounded {
		s.peers.notify(true) // whoever ends a job has to know that somebody waits for its place
	}
	n.turns, out.Next, out.More = allotted.Then(out.Jobs, &n.lately), allotted.Next, allotted.More(out.Jobs)
	if n.limitsAccounts() {
		n.turns = allotted.After(out.Jobs)
	}
	return out, nil
}

// waiting lists the tenants with ready jobs, in turn. How much room a tenant has is what
// it seems to be: only the claim knows.
func (s *Store) waiting(ctx context.Context, after string, most, limit int) (list []store.Waiting, err error) {
	text, args := walkTenants, []any{after, most, store.NoBound}
	if limit > 0 {
		text, args[2] = walkLimited, limit
	}
	err = insist(ctx, func() error {
		rows, err := s.pool.Query(ctx, text, args...)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.Waiting])
		}
		return err
	})
	return list, err
}

// take claims jobs of some tenants.
func (s *Store) take(ctx context.Context, n *node, takes []store.Take, now time.Time) (jobs []nestor.Job, err error) {
	err = s.transact(ctx, func(t *tx) error {
		jobs, err = t.claim(n, takes, now)
		return err
	})
	return jobs, err
}

// claim takes jobs of some tenants for this node. The caller is told of them, and so their
// keys are among the claims of the transaction only if it never hears how that ended.
func (t *tx) claim(n *node, takes []store.Take, now time.Time) (jobs []nestor.Job, err error) {
	tenants, counts := make([]string, len(takes)), make([]int, len(takes))
	for i, take := range takes {
		tenants[i], counts[i] = take.Tenant, take.Jobs
	}
	claim := step{text: claimJobs, args: []any{n.Node, nestor.Millis(now), tenants, counts, t.signed()}, then: func(rows pgx.Rows) error {
		return t.store.tables.eachJob(rows, func(j nestor.Job) { jobs = append(jobs, j) })
	}}
	if n.limited() {
		claim.text, claim.args = claimPlaces, append(claim.args, n.Limits.Tenant, n.Limits.Account, n.limitsAccounts())
		claim.bulk, claim.then = &bulk{row: func(read scan) error {
			var place nestor.Place
			j, err := t.store.tables.ScanJob(func(into ...any) error { return read(append(into, &place.Tenant, &place.Account)...) })
			j.Place = &place
			jobs = append(jobs, j)
			return err
		}}, nil
	}
	err = t.send(steps{claim})
	for _, j := range jobs {
		t.told = append(t.told, j.Key)
	}
	return jobs, err
}

// AtLimit implements [store.Queue].
func (s *Store) AtLimit(ctx context.Context) (list []store.AtLimit, err error) {
	n := s.node.Load()
	if n == nil || !n.limited() {
		return nil, nil
	}
	err = insist(ctx, func() error {
		rows, err := s.pool.Query(ctx, atLimit, n.Limits.Tenant, n.Limits.Account)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.AtLimit])
		}
		return err
	})
	return list, err
}

const (
	accountsAreLimited = `EXISTS (SELECT FROM documents WHERE collection = '` + store.AccountLimits + `')`

	atLimit = `
SELECT '` + store.OfUser + `', place, $1::integer FROM jobs WHERE state = 'running' AND place IS NOT NULL
GROUP BY place HAVING place <> '' AND $1 > 0 AND count(*) >= $1
UNION ALL
SELECT '` + store.OfAccount + `', account, most FROM (
  SELECT account, running, COALESCE((SELECT (body ->> 'jobs')::integer FROM documents WHERE collection = '` + store.AccountLimits + `' AND id = account), $2) AS most
  FROM (SELECT account, count(*) AS running FROM jobs WHERE state = 'running' AND account IS NOT NULL GROUP BY account) AS counted
) AS accounts WHERE account <> '' AND most > 0 AND running >= most`

	claimPlaces = `WITH claimed AS MATERIALIZED (
	SELECT ` + store.JobColumns + `, place, account FROM claim_places($1, $2, $3, $4, $6, $7, $8)
), signed AS (
	INSERT INTO commits (token) SELECT $5 WHERE EXISTS (SELECT FROM claimed)
)
SELECT ` + store.JobColumns + `, place, account FROM claimed`
)

// tenant is [nestor.Path.Tenant] of a job's path.
const tenant = "jobs.tenant"

// walkTenants steps from one tenant to the next in the index, from $1 to the last
// (lap 0) and from the first to $1 (lap 1), so its cost grows with the number of
// tenants and not with that of their jobs. The step from the last to the first has no tenant.
const walkTenants = walk + `$3::integer ` + walked

// walkLimited is the same where $3 is how many jobs of a tenant may run.
const walkLimited = walk + `$3 - (SELECT count(*)::integer FROM jobs WHERE state = 'running' AND place = walk.tenant)` + walked

const walk = `
WITH RECURSIVE walk(tenant, lap, step) AS (
  SELECT (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > $1 ORDER BY ` + tenant + ` LIMIT 1), 0, 1
  UNION ALL
  SELECT CASE WHEN tenant IS NULL
      THEN (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' ORDER BY ` + tenant + ` LIMIT 1)
      ELSE (SELECT ` + tenant + ` FROM jobs WHERE state = 'ready' AND ` + tenant + ` > walk.tenant ORDER BY ` + tenant + ` LIMIT 1) END,
    CASE WHEN tenant IS NULL THEN 1 ELSE lap END, step + 1
  FROM walk WHERE step <= $2 AND (lap = 0 OR tenant <= $1)
)
SELECT tenant, (SELECT run_at FROM jobs WHERE state = 'ready' AND ` + tenant + ` = walk.tenant ORDER BY run_at, n LIMIT 1), `

const walked = `
FROM walk WHERE tenant IS NOT NULL AND (lap = 0 OR tenant <= $1) ORDER BY step LIMIT $2`

// claimJobs writes nothing, not even its token, when others were faster. The list of rows is an
// array so that the server finds each by its number, however many it takes a turn to have.
const claimJobs = `WITH claimed AS (
	UPDATE jobs SET state = 'running', owner = $1, attempt = attempt + 1
	WHERE n = ANY (ARRAY(SELECT j.n FROM unnest($3::text[], $4::integer[]) AS turn(tenant, jobs) CROSS JOIN LATERAL (
		SELECT n FROM jobs WHERE state = 'ready' AND ` + tenant + ` = turn.tenant AND run_at <= $2
		ORDER BY run_at, n LIMIT turn.jobs FOR UPDATE SKIP LOCKED) AS j))
	RETURNING ` + store.JobColumns + `
), signed AS (
	INSERT INTO commits (token) SELECT $5 WHERE EXISTS (SELECT FROM claimed)
)
SELECT ` + store.JobColumns + ` FROM claimed`
