package sqlite

import (
	"context"
	"errors"
	"strings"

	"github.com/nestorhq/nestor/internal/store"
)

// Since implements [store.Sync].
func (s *Store) Since(ctx context.Context, scope store.Scope, after store.Position, limit int) (delta store.Delta, err error) {
	err = s.read(ctx, func(d *direct) error {
		var swept, last int64
		if err := d.row("SELECT (SELECT tombstones FROM log_start), (SELECT COALESCE(max(seq), 0) FROM changes)").Scan(&swept, &last); err != nil {
			return err
		}
		if err := after.Check(swept, last); err != nil {
			return err
		}
		docs, err := d.writtenSince(scope, after.Read, limit)
		if err != nil {
			return err
		}
		gone, err := d.deletedSince(scope, after.Read, limit)
		delta = store.NewDelta(after, docs, gone, limit, last)
		return err
	})
	return delta, err
}

func (d *direct) writtenSince(scope store.Scope, seq int64, limit int) (*store.Written, error) {
	docs := &store.Written{}
	key, args := scope.Key()
	err := d.each("SELECT "+strings.Join(scope.Columns(dialect{}), ", ")+" FROM "+scope.Collection.Name+
		" WHERE "+strings.Join(key, " = ? AND ")+" = ? AND seq > ? ORDER BY seq LIMIT ?",
		append(args, seq, limit), func(r row) error {
			doc, err := scope.Scan(r.Scan)
			if err == nil && !docs.Add(doc) {
				err = errEnough
			}
			return err
		})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return docs, err
}

func (d *direct) deletedSince(scope store.Scope, seq int64, limit int) (gone []store.Latest, err error) {
	from, to := scope.Parents()
	match, args := "parent = ?", []any{scope.Collection.Name, from}
	if to != "" {
		match, args = "parent >= ? AND parent < ?", append(args, to)
	}
	err = d.each("SELECT path, version, seq, deleted_at FROM tombstones WHERE collection = ? AND "+match+" AND seq > ? ORDER BY seq LIMIT ?",
		append(args, seq, limit), func(r row) error {
			var l store.Latest
			err := r.Scan((*string)(&l.Path), &l.Version, &l.Seq, &l.At)
			gone = append(gone, l)
			return err
		})
	return gone, err
}
