package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// enqueue stores a job: running for this process if its key is free and there
// is room, ready if there is none, blocked behind the key's other jobs.
func (t *tx) enqueue(j *nestor.Job) {
	owner, attempt := t.taker(j.Change.Path), 0
	if owner != nil {
		attempt = 1
	}
	text := insertJob + returningState
	if j.Coalesce {
		text = coalesceJob
	}
	c := &j.Change
	j.RunAt, j.CreatedAt = c.At, c.At
	t.keys, t.claims = append(t.keys, j.Key), append(t.claims, j.Key)
	t.queued = append(t.queued, j)
	t.jobs = append(t.jobs, step{text, []any{
		j.ID, j.Key, j.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.store.tables.JobDocuments(j), owner, attempt,
	}, func(rows pgx.Rows) error {
		var state string
		_, err := pgx.ForEachRow(rows, []any{&state}, func() error {
			if j.State = nestor.JobState(state); j.State == nestor.JobRunning {
				j.Owner, j.Attempt = *owner, attempt
			} else {
				t.commit.Left = append(t.commit.Left, c.Path.Tenant())
			}
			t.noteJob(j)
			return nil
		})
		return err
	}})
}

// The statements run under the key's advisory lock. Each part of them has an
// index to go by: a part that asked for all waiting jobs at once would read the
// whole table. The job that a coalescing one finds waiting is locked, so that it
// cannot start before our commit: when it does, it sees what we wrote.
const (
	insertJob = `
INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, documents, owner, attempt, run_at)
SELECT $1, $2, CASE WHEN taken THEN 'blocked' WHEN $10::text IS NULL THEN 'ready' ELSE 'running' END,
       $3, $4, $5, $6, $7, $8, $9, CASE WHEN NOT taken THEN $10::text END, CASE WHEN taken THEN 0 ELSE $11::integer END, $8
FROM (SELECT EXISTS (SELECT 1 FROM jobs WHERE key = $2 AND state IN ('ready', 'running')) AS taken) AS k`
	returningState = `
RETURNING state`
	coalesceJob = `
WITH ready AS (SELECT n FROM jobs WHERE key = $2 AND trigger_id = $3 AND state = 'ready' FOR UPDATE),
  blocked AS (SELECT n FROM jobs WHERE key = $2 AND trigger_id = $3 AND state = 'blocked' ORDER BY n LIMIT 1 FOR UPDATE)` +
		insertJob + `
WHERE NOT EXISTS (SELECT 1 FROM ready) AND NOT EXISTS (SELECT 1 FROM blocked)` + returningState
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
	return s.commit(ctx, work{fn: fn, job: job, cause: &cause})
}

// endJob ends a job if it is still ours, and starts the next of its key. It comes
// after all that the transaction queues, so that the next can be one of these.
func (t *tx) endJob(job *nestor.Job, cause *string) {
	t.keys = append(t.keys, job.Key) // to be locked in order with those of the jobs that were queued
	t.ends = true
	if next := slices.IndexFunc(t.queued, func(j *nestor.Job) bool { return j.Key == job.Key }); next >= 0 && cause == nil {
		t.jobs[next] = t.relay(job, t.queued[next])
	} else {
		t.finish(job, cause)
	}
}

// finish ends a job and starts the next of its key, under the key's lock, which
// the statement takes itself.
func (t *tx) finish(job *nestor.Job, cause *string) {
	t.claims = append(t.claims, job.Key)
	t.jobs = append(t.jobs, step{
		"SELECT " + store.JobColumns + " FROM finish_job($1, $2, $3, $4, $5, $6, $7)",
		[]any{job.ID, job.Key, job.Owner, job.Attempt, cause, nestor.Millis(time.Now()), t.taker(job.Change.Path)},
		t.started,
	})
}

// relay ends a job that another of its key follows.
func (t *tx) relay(job, next *nestor.Job) step {
	c := &next.Change
	return step{
		"SELECT " + store.JobColumns + " FROM relay_job($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		[]any{
			job.ID, job.Key, job.Owner, job.Attempt, t.taker(next.Change.Path),
			next.ID, next.Trigger, string(c.Type), string(c.Path), c.Version, c.Seq, c.At, t.store.tables.JobDocuments(next), next.Coalesce,
		},
		t.started,
	}
}

// taker is this node if it has room for a job about the document at p.
func (t *tx) taker(p nestor.Path) *string {
	if n := t.store.node.Load(); n.accepts(p) {
		return &n.Node
	}
	return nil
}

func (t *tx) started(rows pgx.Rows) error {
	return t.store.tables.eachJob(rows, func(j nestor.Job) { t.noteJob(&j) })
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
	return s.putBack(ctx, job, at, cause, 1)
}

// PutOff implements [store.Queue].
func (s *Store) PutOff(ctx context.Context, job *nestor.Job, at time.Time, cause string) error {
	return s.putBack(ctx, job, at, cause, 0)
}

// putBack makes a job wait until at. Its last run counts as so many attempts.
func (s *Store) putBack(ctx context.Context, job *nestor.Job, at time.Time, cause string, attempts int) error {
	return s.transact(ctx, func(t *tx) error {
		t.commit.Waiting = true
		found := false
		err := t.send(steps{t.sign(), {
			`UPDATE jobs SET state = 'ready', owner = NULL, run_at = $1, error = $2, attempt = attempt - 1 + $7
			WHERE key = $3 AND state = 'running' AND id = $4 AND owner = $5 AND attempt = $6 RETURNING n`,
			[]any{nestor.Millis(at), cause, job.Key, job.ID, job.Owner, job.Attempt, attempts},
			func(rows pgx.Rows) error {
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
		}, {`UPDATE jobs SET attempt = 0, run_at = $2, error = NULL, n = nextval(pg_get_serial_sequence('jobs', 'n')),
			state = CASE WHEN EXISTS (SELECT 1 FROM jobs other WHERE other.key = jobs.key AND other.state IN ('ready', 'running'))
				THEN 'blocked' ELSE 'ready' END
			WHERE id = $1 AND state = 'dead' RETURNING n`, []any{id, nestor.Millis(time.Now())}, func(rows pgx.Rows) error {
			found = rows.Next()
			return rows.Err()
		}}})
		if err == nil && !found {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no dead job %s", id)
		}
		return err
	})
}

// Jobs implements [store.Queue].
func (s *Store) Jobs(ctx context.Context, f store.JobFilter) ([]nestor.Job, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	var jobs []nestor.Job
	err := insist(ctx, func() error {
		jobs = []nestor.Job{}
		rows, err := s.pool.Query(ctx, "SELECT "+store.JobColumns+` FROM jobs
			WHERE (state = $1 OR $1 = '' AND state <> 'dead') AND ($2 = '' OR trigger_id = $2) ORDER BY n LIMIT $3`,
			string(f.State), f.Trigger, f.Limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		return s.tables.eachJob(rows, func(j nestor.Job) { jobs = append(jobs, j) })
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
func (s *Store) CountWaiting(ctx context.Context, of string, most int) (n int, err error) {
	text, args := countWaiting, []any{most, of}
	if of == "" {
		text, args = countAllWaiting, args[:1]
	}
	err = insist(ctx, func() error { return s.pool.QueryRow(ctx, text, args...).Scan(&n) })
	return n, err
}

const (
	countAllWaiting = `SELECT (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'ready' LIMIT $1) AS r)
		+ (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'blocked' LIMIT $1) AS b)`
	countWaiting = `SELECT (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'ready' AND ` + tenant + ` = $2 LIMIT $1) AS r)
		+ (SELECT count(*) FROM (SELECT FROM jobs WHERE state = 'blocked' AND ` + tenant + ` = $2 LIMIT $1) AS b)`
)

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
