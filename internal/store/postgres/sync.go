package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor/internal/store"
)

// Since implements [store.Sync]. It reads all that is visible and not only
// what is complete. So it never knows less than another node did before, which
// readers that also follow a feed rely on.
func (s *Store) Since(ctx context.Context, scope store.Scope, after store.Position, limit int) (delta store.Delta, err error) {
	complete, err := s.completeUpTo(ctx) // before the snapshot is taken
	if err != nil {
		return store.Delta{}, classify(err)
	}
	err = s.read(ctx, func(q *snapshot) error {
		var docs store.Written
		var gone []store.Latest
		batch := q.batch()
		batch.Queue("SELECT (SELECT tombstones FROM log_start), (SELECT last_value FROM change_seq)").QueryRow(func(row pgx.Row) error {
			var swept, last int64
			if err := row.Scan(&swept, &last); err != nil {
				return err
			}
			return after.Check(swept, last)
		})
		writtenSince(batch, scope, after.Read, limit, &docs)
		deletedSince(batch, scope, after.Read, limit, &gone)
		if err := q.send(ctx, batch); err != nil {
			return err
		}
		delta = store.NewDelta(after, &docs, gone, limit, complete)
		return nil
	})
	return delta, err
}

func writtenSince(batch *pgx.Batch, scope store.Scope, seq int64, limit int, docs *store.Written) {
	key, args := scope.Key()
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s AND seq > $%d ORDER BY seq LIMIT %d",
		strings.Join(scope.Columns(dialect{}), ", "), scope.Collection.Name, equal(key, 1), len(key)+1, limit)
	batch.Queue(text, append(args, seq)...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			d, err := scope.Scan(rows.Scan)
			if err != nil {
				return err
			}
			if !docs.Add(d) {
				return nil
			}
		}
		return rows.Err()
	})
}

func deletedSince(batch *pgx.Batch, scope store.Scope, seq int64, limit int, gone *[]store.Latest) {
	from, to := scope.Parents()
	match, args := "parent = $3", []any{scope.Collection.Name, seq, from}
	if to != "" {
		match, args = "parent >= $3 AND parent < $4", append(args, to)
	}
	batch.Queue("SELECT path, version, seq, deleted_at FROM tombstones WHERE collection = $1 AND seq > $2 AND "+match+
		" ORDER BY seq LIMIT "+strconv.Itoa(limit), args...).Query(func(rows pgx.Rows) error {
		var l store.Latest
		_, err := pgx.ForEachRow(rows, []any{&l.Path, &l.Version, &l.Seq, &l.At}, func() error {
			*gone = append(*gone, l)
			return nil
		})
		return err
	})
}
