package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Sweep implements [store.Store].
func (s *Store) Sweep(ctx context.Context) (int, error) {
	now := time.Now()
	swept, err := s.opts.Retention.Sweep(ctx, s, now, s.expired)
	if swept > 0 || err != nil {
		return swept, err
	}
	for _, sw := range []struct {
		text string
		keep time.Duration
	}{
		{sweepTombstones, s.opts.Retention.Tombstones},
		{sweepDeadJobs, s.opts.Retention.DeadJobs},
	} {
		tag, err := s.pool.Exec(ctx, sw.text, nestor.Millis(now.Add(-sw.keep)), store.SweepBatch)
		if err != nil {
			return swept, classify(err)
		}
		swept += int(tag.RowsAffected())
	}
	tag, err := s.pool.Exec(ctx, sweepTokens, tokensKept, tokenBatch)
	if err != nil {
		return swept, classify(err)
	}
	swept += int(tag.RowsAffected())
	complete, err := s.completeUpTo(ctx)
	if err != nil {
		return swept, classify(err)
	}
	tag, err = s.pool.Exec(ctx, sweepLog, nestor.Millis(now.Add(-s.opts.Retention.Log)), store.SweepBatch, complete)
	return swept + int(tag.RowsAffected()), classify(err)
}

const sweepDeadJobs = `DELETE FROM jobs WHERE n IN (
	SELECT n FROM jobs WHERE state = 'dead' AND run_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`

// sweepTokens removes tokens that nobody asks for any more. They are many, one for
// each job that ended with no effects, and small.
const sweepTokens = `DELETE FROM commits WHERE token IN (
	SELECT token FROM commits WHERE at < now() - $1::interval LIMIT $2 FOR UPDATE SKIP LOCKED)`

const tokenBatch = 2000

// sweepTombstones removes some tombstones that are over, and notes up to where
// some are missing, so that nobody takes a list without them for complete.
const sweepTombstones = `
WITH gone AS (
  DELETE FROM tombstones WHERE path IN (
    SELECT path FROM tombstones WHERE deleted_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING seq
), noted AS (
  UPDATE log_start SET tombstones = s.seq FROM (SELECT max(seq) AS seq FROM gone) AS s WHERE s.seq > log_start.tombstones
)
SELECT FROM gone`

// sweepLog removes the oldest entries up to where the log is complete. The newest
// always stays, as on SQLite, where it says where the numbering goes on. Moving
// log_start first makes sweepers on several nodes take turns.
const sweepLog = `
WITH moved AS (
  UPDATE log_start SET seq = s.seq FROM (
    SELECT max(seq) AS seq FROM (
      SELECT seq, at FROM changes WHERE seq < (SELECT max(seq) FROM changes) AND seq <= $3 ORDER BY seq LIMIT $2
    ) AS oldest WHERE at < $1
  ) AS s WHERE s.seq > log_start.seq RETURNING log_start.seq
)
DELETE FROM changes WHERE seq <= (SELECT seq FROM moved)`

func (s *Store) expired(ctx context.Context, e store.Expiry) (paths []nestor.Path, err error) {
	t := s.tables.For(e.Collection)
	find := func(where string, args ...any) error {
		docs, err := collect(ctx, s.pool, t, "SELECT "+t.selected+" FROM "+t.Name+" WHERE updated_at < $1"+where+" LIMIT $2",
			append([]any{e.Before, store.SweepBatch}, args...)...)
		for _, d := range docs {
			paths = append(paths, d.Path)
		}
		return classify(err)
	}
	if e.Glob == "" {
		return paths, find("")
	}
	collections, err := s.userCollections(ctx, e.Glob)
	for _, name := range collections {
		if err := find(" AND collection = $3", name); err != nil || len(paths) >= store.SweepBatch {
			return paths, err
		}
	}
	return paths, err
}

// userCollections steps from one collection name to the next in the index, so
// its cost grows with their number and not with the documents in them.
func (s *Store) userCollections(ctx context.Context, g nestor.Glob) (names []string, err error) {
	rows, err := s.pool.Query(ctx, `WITH RECURSIVE names(name) AS (
		SELECT min(collection) FROM documents
		UNION ALL
		SELECT (SELECT min(collection) FROM documents WHERE collection > name) FROM names WHERE name IS NOT NULL
	) SELECT name FROM names WHERE name IS NOT NULL`)
	if err != nil {
		return nil, classify(err)
	}
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
		if g.Match(name) {
			names = append(names, name)
		}
		return nil
	})
	return names, classify(err)
}
