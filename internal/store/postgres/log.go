package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// settled is true of a log entry before which nothing can appear any more; see
// the migration that makes the table.
const settled = "horizon < pg_snapshot_xmin(pg_current_snapshot())::text::bigint"

// Changes implements [store.Log]. It returns the entries up to the last
// settled one: those before it are settled too, in whatever order they were
// written.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]nestor.Change, error) {
	var out []nestor.Change
	err := s.read(ctx, func(t pgx.Tx) error {
		var first, last int64
		if err := t.QueryRow(ctx, "SELECT (SELECT seq FROM log_start), (SELECT last_value FROM change_seq)").Scan(&first, &last); err != nil {
			return err
		}
		if after < first || after > last {
			return store.OutsideLog(after, first, last)
		}
		rows, err := t.Query(ctx, "SELECT seq, type, path, version, at, replaced, "+settled+
			" FROM changes WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit)
		if err != nil {
			return err
		}
		if out, err = scanChanges(rows); err != nil {
			return err
		}
		return fillAfter(ctx, t, out)
	})
	return out, err
}

func scanChanges(rows pgx.Rows) ([]nestor.Change, error) {
	defer rows.Close()
	var out []nestor.Change
	end := 0
	for rows.Next() {
		var c nestor.Change
		var replaced []byte
		var isSettled bool
		err := rows.Scan(&c.Seq, (*string)(&c.Type), (*string)(&c.Path), &c.Version, &c.At, &replaced, &isSettled)
		if err == nil && replaced != nil {
			c.Before, err = store.DecodeReplaced(c.Path, replaced)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		if isSettled {
			end = len(out)
		}
	}
	return out[:end], rows.Err()
}

// fillAfter finds the documents as the changes left them: the current ones,
// or what the next change of that path replaced. Two round trips for all.
func fillAfter(ctx context.Context, t pgx.Tx, changes []nestor.Change) error {
	batch := &pgx.Batch{}
	var superseded []*nestor.Change
	for i := range changes {
		c := &changes[i]
		if c.Type == nestor.Delete {
			continue
		}
		tb := tableOf(store.CollectionOf(c.Path))
		batch.Queue(tb.load, tb.key(c.Path)...).QueryRow(func(row pgx.Row) error {
			d, err := tb.loaded(c.Path, row)
			if errors.Is(err, pgx.ErrNoRows) || err == nil && d.Seq != c.Seq {
				superseded = append(superseded, c)
				return nil
			}
			c.After = d
			return err
		})
	}
	if err := t.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	batch = &pgx.Batch{}
	for _, c := range superseded {
		batch.Queue("SELECT replaced FROM changes WHERE path = $1 AND seq > $2 AND replaced IS NOT NULL ORDER BY seq LIMIT 1",
			string(c.Path), c.Seq).QueryRow(func(row pgx.Row) error {
			var replaced []byte
			err := row.Scan(&replaced)
			if errors.Is(err, pgx.ErrNoRows) {
				return nestor.Errorf(nestor.CodeInternal, "the log has lost version %d of %s", c.Version, c.Path)
			}
			if err == nil {
				c.After, err = store.DecodeReplaced(c.Path, replaced)
			}
			return err
		})
	}
	return t.SendBatch(ctx, batch).Close()
}

// LastSeq implements [store.Log].
func (s *Store) LastSeq(ctx context.Context) (int64, error) {
	var seq int64
	err := s.pool.QueryRow(ctx, "SELECT COALESCE((SELECT seq FROM changes WHERE "+settled+
		" ORDER BY seq DESC LIMIT 1), (SELECT seq FROM log_start))").Scan(&seq)
	return seq, classify(err)
}
