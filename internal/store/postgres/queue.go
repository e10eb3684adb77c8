package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// enqueue stores a job: running for this process if its key is free and there
// is room, ready if there is none, blocked behind the key's other jobs.
func (t *tx) enqueue(j *nestor.Job) {
	one, many := insertJob, insertJobs
	if j.Coalesce {
		one, many = coalesceJob, coalesceJobs
	}
	t.queue(j, step{text: one + returningState, bulk: &bulk{text: many}})
}

// check queues the jobs that look whether runs are over, each if no other job of its
// run is left than the one that the transaction ends. The key's lock, under which
// the statement runs, makes others wait that end a job of the run, too.
func (t *tx) check(ends *nestor.Job) {
	ending := ""
	if ends != nil {
		ending = ends.ID
	}
	for _, j := range t.session.Checks() {
		t.queue(&j, step{text: coalesceJob + unlessBusy + returningState, last: true, bulk: &bulk{text: checkJobs}}, string(j.Change.Path), ending)
	}
}

// queue has a step store a job.
func (t *tx) queue(j *nestor.Job, s step, more ...any) {
	owner, place, lacks := t.taker(j.Change.Path)
	attempt, tenant, account := 0, (*string)(nil), (*string)(nil)
	if owner != nil {
		attempt = 1
	}
	if place != nil {
		tenant, account = &place.Tenant, &place.Account
	}
	c := &j.Change
	j.RunAt, j.CreatedAt = c.At, c.At
	t.keys, t.claims = append(t.keys, j.Key), append(t.claims, j.Key)
	t.queued = append(t.queued, queued{j, owner, place})
	s.args = append([]any{
		j.ID, j.Key, j.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.store.tables.JobDocuments(j), owner, attempt, store.JobRun(j), tenant, account,
	}, more...)
	s.bulk.row = func(read scan) error {
		if err := read((*string)(&j.State)); err != nil {
			return err
		}
		if j.State == nestor.JobRunning {
			j.Owner, j.Attempt, j.Place = *owner, attempt, place
		} else {
			t.commit.Left = append(t.commit.Left, c.Path.Tenant())
		}
		if lacks && j.State == nestor.JobReady {
			t.commit.Look = true // others are told if there is no place
			return nil
		}
		t.noteJob(j)
		return nil
	}
	t.jobs = append(t.jobs, s)
}

// The statements run under the key's advisory lock. Each part of them has an
// index to go by: a part that asked for all waiting jobs at once would read the
// whole table, and so would an EXISTS for each of many rows, which the server may answer
// from a copy of all that it could find. A sub-select with a LIMIT is asked row by row. The job that a coalescing one finds waiting is locked, so that it
// cannot start before our commit: when it does, it sees what we wrote.
const (
	insertJob = `
INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, owner, attempt, run_at, run, place, account)
SELECT $1, $2, CASE WHEN taken THEN 'blocked' WHEN $10::text IS NULL THEN 'ready' ELSE 'running' END,
       $3, $4, $5, $6, $7, $8, $9, CASE WHEN NOT taken THEN $10::text END, CASE WHEN taken THEN 0 ELSE $11::integer END, $8, $12::text,
       CASE WHEN NOT taken THEN $13::text END, CASE WHEN NOT taken THEN $14::text END
FROM (SELECT EXISTS (SELECT 1 FROM jobs WHERE key = $2 AND state IN ('ready', 'running')) AS taken OFFSET 0) AS k`
	returningState = `
RETURNING state`
	coalesceJob = `
WITH ready AS (SELECT n FROM jobs WHERE key = $2 AND trigger_id = $3 AND state = 'ready' AND run IS NOT DISTINCT FROM $12::text FOR UPDATE),
  blocked AS (SELECT n FROM jobs WHERE key = $2 AND trigger_id = $3 AND state = 'blocked' AND run IS NOT DISTINCT FROM $12::text ORDER BY n LIMIT 1 FOR UPDATE)` +
		insertJob + `
WHERE NOT EXISTS (SELECT 1 FROM ready) AND NOT EXISTS (SELECT 1 FROM blocked)`
	unlessBusy = `
AND NOT EXISTS (SELECT 1 FROM jobs WHERE run = $15 AND state <> 'dead' AND id <> $16)`

	// The same for many jobs, of which no two have the same key.
	jobArrays   = `$1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::integer[], $12::text[], $13::text[], $14::text[]`
	jobColumns  = `id, key, trigger_id, event, path, version, seq, at, documents, owner, attempt, run, place, account`
	givenJobs   = `SELECT * FROM unnest(` + jobArrays + `) WITH ORDINALITY AS j (` + jobColumns + `, i)`
	givenChecks = `SELECT * FROM unnest(` + jobArrays + `, $15::text[], $16::text[]) WITH ORDINALITY AS j (` + jobColumns + `, checked, ending, i)`
	notWaiting  = `
), waiting AS MATERIALIZED (
  SELECT i FROM given AS j CROSS JOIN LATERAL (
    SELECT n FROM jobs WHERE key = j.key AND trigger_id = j.trigger_id AND state = 'ready' AND run IS NOT DISTINCT FROM j.run FOR UPDATE) AS ready
  UNION ALL
  SELECT i FROM given AS j CROSS JOIN LATERAL (
    SELECT n FROM jobs WHERE key = j.key AND trigger_id = j.trigger_id AND state = 'blocked' AND run IS NOT DISTINCT FROM j.run ORDER BY n LIMIT 1 FOR UPDATE) AS blocked
), job AS MATERIALIZED (
  SELECT * FROM given WHERE i NOT IN (SELECT i FROM waiting)`
	noneBusy   = ` AND (SELECT true FROM jobs WHERE jobs.run = given.checked AND jobs.state <> 'dead' AND jobs.id <> given.ending LIMIT 1) IS NULL`
	insertEach = `
), placed AS MATERIALIZED (
  SELECT job.*, CASE WHEN taken THEN 'blocked' WHEN owner IS NULL THEN 'ready' ELSE 'running' END AS state FROM job
  CROSS JOIN LATERAL (SELECT (SELECT true FROM jobs WHERE jobs.key = job.key AND jobs.state IN ('ready', 'running') LIMIT 1) IS NOT NULL AS taken) AS k
), inserted AS (
  INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, owner, attempt, run_at, run, place, account)
  SELECT id, key, state, trigger_id, event, path, version, seq, at, documents, CASE state WHEN 'running' THEN owner END,
    CASE state WHEN 'running' THEN attempt ELSE 0 END, at, run, CASE state WHEN 'running' THEN place END, CASE state WHEN 'running' THEN account END FROM placed
)
SELECT i, state FROM placed`
	insertJobs   = `WITH job AS MATERIALIZED (` + givenJobs + insertEach
	coalesceJobs = `WITH given AS MATERIALIZED (` + givenJobs + notWaiting + insertEach
	checkJobs    = `WITH given AS MATERIALIZED (` + givenChecks + notWaiting + noneBusy + insertEach
)

// noteJob tells the observers of a job that changed state.
func (t *tx) noteJob(j *nestor.Job) {
	switch j.State {
	case nestor.JobRunning:
		t.commit.Claimed = append(t.commit.Claimed, *j)
	case nestor.JobReady:
		t.commit.Waiting = true
	}
}

// Complete implements [store.Queue].
func (s *Store) Complete(ctx context.Context, job *nestor.Job, fn func(store.Tx) error) error {
	return s.commit(ctx, work{fn: fn, job: job})
}

// Bury implements [store.Queue].
func (s *Store) Bury(ctx context.Context, job *nestor.Job, cause string, fn func(store.Tx) error) error {
	cause = store.Storable(cause)
	return s.commit(ctx, work{fn: fn, job: job, cause: &cause})
}

// endJob ends a job if it is still ours, and starts the next of its key. It comes
// after all that the transaction queues, so that the next can be one of these.
func (t *tx) endJob(job *nestor.Job, cause *string) {
	t.keys = append(t.keys, job.Key) // to be locked in order with those of the jobs that were queued
	t.ends = true
	if next := slices.IndexFunc(t.queued, func(j queued) bool { return j.Key == job.Key && j.Run == job.Run }); next >= 0 && cause == nil {
		t.jobs[next] = t.relay(job, t.queued[next])
	} else {
		t.finish(job, cause)
	}
	t.commit.Look = t.commit.Look || t.place.Frees() && t.store.node.Load().awaited()
}

// finish ends a job and starts the next of its key, under the key's lock, which
// the statement takes itself.
func (t *tx) finish(job *nestor.Job, cause *string) {
	t.claims = append(t.claims, job.Key)
	end := step{text: finishJob, args: []any{job.ID, job.Key, job.Owner, job.Attempt, t.nextTaker(job)}, bulk: &bulk{text: finishJobs, row: t.started(job)}}
	if job.Place != nil {
		end.bulk.text = "" // the others forget the place
	}
	if cause != nil {
		t.jobs = append(t.jobs, keepAttempt(job, *cause))
		end = step{text: buryJob, args: append(end.args, *cause, nestor.Millis(time.Now())), bulk: &bulk{row: t.started(job)}}
	}
	t.jobs = append(t.jobs, end)
}

const (
	finishJob  = "SELECT " + store.JobColumns + " FROM finish_job($1, $2, $3, $4, NULL, 0, $5)"
	buryJob    = "SELECT " + store.JobColumns + " FROM finish_job($1, $2, $3, $4, $6, $7, $5)"
	finishJobs = "SELECT i, " + store.JobColumns + " FROM finish_jobs($1, $2, $3, $4, $5)"
	relayJob   = "SELECT " + store.JobColumns + " FROM relay_job($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
	relayJobs  = "SELECT i, " + store.JobColumns + " FROM relay_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
)

// relay ends a job that another of its key follows.
func (t *tx) relay(job *nestor.Job, next queued) step {
	c, owner := &next.Change, next.owner
	if next.place != nil && !store.SameScope(job.Change.Path, c.Path) {
		owner = nil // the row has another place
	}
	return step{text: relayJob, args: []any{
		job.ID, job.Key, job.Owner, job.Attempt, owner,
		next.ID, next.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.store.tables.JobDocuments(next.Job), next.Coalesce, store.JobRun(next.Job),
	}, bulk: &bulk{text: relayJobs, row: func(read scan) error {
		var id *string
		if err := read(append([]any{&id}, make([]any, strings.Count(store.JobColumns, ","))...)...); err != nil {
			return err
		}
		if id != nil {
			return t.started(job)(read)
		}
		next.State, next.Owner, next.Attempt, next.RunAt, next.Place = nestor.JobRunning, *owner, 1, job.RunAt, job.Place
		t.noteJob(next.Job)
		return nil
	}}}
}

// taker is this node if it has room for a job about the document at p, and, where there are
// limits, a place for it. Lacks: a place is all that it lacks.
func (t *tx) taker(p nestor.Path) (owner *string, place *nestor.Place, lacks bool) {
	n := t.store.node.Load()
	if !n.accepts(p) {
		return nil, nil, false
	}
	if n.limited() {
		t.place.Accounts = n.limitsAccounts()
		if place = t.place.To(p); place == nil {
			return nil, nil, true
		}
	}
	return &n.Node, place, false
}

// nextTaker is this node if it can go on with the next job of the key of one that ends.
func (t *tx) nextTaker(job *nestor.Job) *string {
	n := t.store.node.Load()
	if !n.accepts(job.Change.Path) || n.limited() && !t.place.ToNext() {
		return nil
	}
	return &n.Node
}

// started reads a job that changed state when another ended, in whose place it runs.
func (t *tx) started(ended *nestor.Job) func(scan) error {
	return func(read scan) error {
		j, err := t.store.tables.ScanJob(read)
		if err == nil {
			if j.State == nestor.JobRunning {
				j.Place = ended.Place
			}
			t.noteJob(&j)
		}
		return err
	}
}

func (t tables) eachJob(rows pgx.Rows, yield func(nestor.Job)) error {
	for rows.Next() {
		j, err := t.ScanJob(rows.Scan)
		if err != nil {
			return err
		}
		yield(j)
	}
	return rows.Err()
}

// Retry implements [store.Queue].
func (s *Store) Retry(ctx context.Context, job *nestor.Job, at time.Time, cause string) error {
	return s.putBack(ctx, job, at, "error = $6, attempts = "+withAttempt("$7::jsonb"), store.Storable(cause), store.Attempt(job, cause))
}

// PutOff implements [store.Queue].
func (s *Store) PutOff(ctx context.Context, job *nestor.Job, at time.Time, cause string) error {
	return s.putBack(ctx, job, at, "error = $6, attempt = attempt - 1", store.Storable(cause))
}

// putBack makes a job wait until at, and sets what else there is to say of it.
func (s *Store) putBack(ctx context.Context, job *nestor.Job, at time.Time, set string, values ...any) error {
	return s.transact(ctx, func(t *tx) error {
		t.commit.Waiting = true
		found := false
		err := t.send(steps{t.sign(), {
			text: `UPDATE jobs SET state = 'ready', owner = NULL, run_at = $1, ` + set + `
			WHERE key = $2 AND state = 'running' AND id = $3 AND owner = $4 AND attempt = $5 RETURNING n`,
			args: append([]any{nestor.Millis(at), job.Key, job.ID, job.Owner, job.Attempt}, values...),
			then: func(rows pgx.Rows) error {
				found = rows.Next()
				return rows.Err()
			},
		}})
		if err == nil && !found {
			err = store.LeaseLost(job)
		}
		return err
	})
}

// Revive implements [store.Queue].
func (s *Store) Revive(ctx context.Context, id string) error {
	return s.transact(ctx, func(t *tx) error {
		t.commit.Waiting = true
		found := false
		err := t.send(steps{t.sign(), {
			text: `SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM jobs WHERE id = $1 AND state = 'dead'`, args: []any{id},
		}, {text: `UPDATE jobs SET attempt = 0, run_at = $2, error = NULL, n = nextval(pg_get_serial_sequence('jobs', 'n')),
			state = CASE WHEN EXISTS (SELECT 1 FROM jobs other WHERE other.key = jobs.key AND other.state IN ('ready', 'running'))
				THEN 'blocked' ELSE 'ready' END
			WHERE id = $1 AND state = 'dead' RETURNING n`, args: []any{id, nestor.Millis(time.Now())}, then: func(rows pgx.Rows) error {
			found = rows.Next()
			return rows.Err()
		}}})
		if err == nil && !found {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no dead job %s", id)
		}
		return err
	})
}

// Discard implements [store.Queue].
func (s *Store) Discard(ctx context.Context, id string) error {
	return s.transact(ctx, func(t *tx) error {
		found := false
		err := t.send(steps{t.sign(), {text: "DELETE FROM jobs WHERE id = $1 AND state = 'dead' RETURNING n", args: []any{id}, then: func(rows pgx.Rows) error {
			found = rows.Next()
			return rows.Err()
		}}})
		if err == nil && !found {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no dead job %s", id)
		}
		return err
	})
}

// Busy implements [store.Queue].
func (s *Store) Busy(ctx context.Context, run nestor.Path) (busy bool, err error) {
	err = insist(ctx, func() error {
		return s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM jobs WHERE run = $1 AND state <> 'dead')", string(run)).Scan(&busy)
	})
	return busy, err
}

// Jobs implements [store.Queue].
func (s *Store) Jobs(ctx context.Context, f store.JobFilter) ([]nestor.Job, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	var jobs []nestor.Job
	err := insist(ctx, func() error {
		jobs = []nestor.Job{}
		of, args := "", []any{string(f.State), f.Trigger, f.Limit, f.Tenant, f.After}
		if f.Run != "" { // apart, so that the index of runs is used
			of, args = " AND run = $6", append(args, string(f.Run))
		}
		rows, err := s.pool.Query(ctx, "SELECT "+store.ListedColumns+` FROM jobs
			WHERE (state = $1 OR $1 = '' AND state <> 'dead') AND ($2 = '' OR trigger_id = $2) AND ($4 = '' OR `+tenant+` = $4) AND n > $5`+of+` ORDER BY n LIMIT $3`,
			args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			j, err := s.tables.ScanListedJob(rows.Scan)
			if err != nil {
				return err
			}
			jobs = append(jobs, j)
		}
		return rows.Err()
	})
	return jobs, err
}

// CountJobs implements [store.Queue].
func (s *Store) CountJobs(ctx context.Context) (map[nestor.JobState]int, error) {
	var counts map[nestor.JobState]int
	err := insist(ctx, func() error {
		counts = map[nestor.JobState]int{}
		rows, err := s.pool.Query(ctx, "SELECT state, count(*) FROM jobs GROUP BY state")
		if err != nil {
			return err
		}
		var state string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error {
			counts[nestor.JobState(state)] = n
			return nil
		})
		return err
	})
	return counts, err
}

// CountWaiting implements [store.Queue].
func (s *Store) CountWaiting(ctx context.Context, of string, most int) (n int, seq int64, err error) {
	text, args := countWaiting, []any{most, of}
	if of == "" {
		text, args = countAllWaiting, args[:1]
	}
	err = insist(ctx, func() error { return s.pool.QueryRow(ctx, text, args...).Scan(&n, &seq) })
	return n, seq, err
}

const (
	countAllWaiting = `SELECT (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'ready' LIMIT $1) AS r)
		+ (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'blocked' LIMIT $1) AS b)` + newestSeen
	countWaiting = `SELECT (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'ready' AND ` + tenant + ` = $2 LIMIT $1) AS r)
		+ (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'blocked' AND ` + tenant + ` = $2 LIMIT $1) AS b)` + newestSeen
	newestSeen = ", COALESCE((SELECT max(seq) FROM changes), 0)" // of the same snapshot
)

// Weigh implements [store.Queue].
func (s *Store) Weigh(ctx context.Context, of nestor.Path) (int64, error) {
	w := store.Weighing{
		Size: "pg_column_size(body)", // as it lies on the disk, which may be compressed
		Mark: func(n string) string { return "$" + n }, Number: func(text string) string { return "coalesce((" + text + ")::bigint, 0)" },
	}
	return s.Catalogue().Weigh(of, w, func(text string, args ...any) (n int64, err error) {
		err = insist(ctx, func() error { return s.pool.QueryRow(ctx, text, args...).Scan(&n) })
		return n, err
	})
}

// OldestReady implements [store.Queue].
func (s *Store) OldestReady(ctx context.Context) (time.Time, error) {
	var at *int64
	err := insist(ctx, func() error {
		return s.pool.QueryRow(ctx, "SELECT min(run_at) FROM jobs WHERE state = 'ready'").Scan(&at)
	})
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return time.UnixMilli(*at), nil
}
