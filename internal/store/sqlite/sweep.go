package sqlite

import (
	"context"
	"time"

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
	err = s.writer.exclusive(ctx, func(t *tx) error {
		keep := s.opts.Retention
		for _, sw := range []struct {
			sweep func(before int64) (int, error)
			keep  time.Duration
		}{
			{t.sweepTombstones, keep.Tombstones},
			{t.sweepDeadJobs, keep.DeadJobs},
			{t.sweepLog, keep.Log},
		} {
			n, err := sw.sweep(nestor.Millis(now.Add(-sw.keep)))
			if err != nil {
				return err
			}
			swept += n
		}
		return nil
	})
	return swept, err
}

// sweepTombstones removes some tombstones that are over, and notes up to where
// some are missing, so that nobody takes a list without them for complete.
func (t *tx) sweepTombstones(before int64) (n int, err error) {
	var newest int64
	err = t.conn.each("DELETE FROM tombstones WHERE path IN (SELECT path FROM tombstones WHERE deleted_at < ? LIMIT ?) RETURNING seq",
		[]any{before, store.SweepBatch}, func(r row) error {
			var seq int64
			err := r.Scan(&seq)
			n, newest = n+1, max(newest, seq)
			return err
		})
	if err != nil || n == 0 {
		return n, err
	}
	return n, t.conn.exec("UPDATE log_start SET tombstones = max(tombstones, ?)", newest)
}

func (t *tx) sweepDeadJobs(before int64) (int, error) {
	n, err := t.conn.affected("DELETE FROM jobs WHERE n IN (SELECT n FROM jobs WHERE state = 'dead' AND run_at < ? LIMIT ?)", before, store.SweepBatch)
	return int(n), err
}

// sweepLog removes the oldest entries. The newest always stays: it says where
// the numbering goes on.
func (t *tx) sweepLog(before int64) (int, error) {
	n, err := t.conn.affected(`UPDATE log_start SET seq = s.seq FROM (
		SELECT max(seq) AS seq FROM (
			SELECT seq, at FROM changes WHERE seq < (SELECT max(seq) FROM changes) ORDER BY seq LIMIT ?
		) WHERE at < ?) AS s WHERE s.seq IS NOT NULL`, store.SweepBatch, before)
	if err != nil || n == 0 {
		return 0, err
	}
	n, err = t.conn.affected("DELETE FROM changes WHERE seq <= (SELECT seq FROM log_start)")
	return int(n), err
}

func (s *Store) expired(ctx context.Context, e store.Expiry) (paths []nestor.Path, err error) {
	err = s.read(ctx, func(d *direct) error {
		if e.Glob == "" {
			paths, err = d.expiredIn(d.tables.For(e.Collection), "updated_at < ?", e.Before)
			return err
		}
		collections, err := d.userCollections(e.Glob)
		if err != nil {
			return err
		}
		for _, name := range collections {
			more, err := d.expiredIn(d.tables.For(e.Collection), "collection = ? AND updated_at < ?", name, e.Before)
			if paths = append(paths, more...); err != nil || len(paths) >= store.SweepBatch {
				return err
			}
		}
		return nil
	})
	return paths, err
}

func (d *direct) expiredIn(t *table, where string, args ...any) (paths []nestor.Path, err error) {
	text := "SELECT " + columns(t) + " FROM " + t.Name + " WHERE " + where + " LIMIT ?"
	err = d.each(text, append(args, store.SweepBatch), func(r row) error {
		doc, err := t.Scan(r.Scan)
		if err == nil {
			paths = append(paths, doc.Path)
		}
		return err
	})
	return paths, err
}

// userCollections steps from one collection name to the next in the index, so
// its cost grows with their number and not with the documents in them.
func (d *direct) userCollections(g nestor.Glob) (names []string, err error) {
	err = d.each(`WITH RECURSIVE names(name) AS (
		SELECT min(collection) FROM documents
		UNION ALL
		SELECT (SELECT min(collection) FROM documents WHERE collection > name) FROM names WHERE name IS NOT NULL
	) SELECT name FROM names WHERE name IS NOT NULL`, nil, func(r row) error {
		var name string
		err := r.Scan(&name)
		if err == nil && g.Match(name) {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
