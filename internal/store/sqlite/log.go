package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Changes implements [store.Log]. Writers commit one after the other, so the
// order of seq is the order of commits.
func (s *Store) Changes(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	var out []nestor.Change
	err := s.read(ctx, func(d *direct) error {
		size := 0
		var first, last int64
		if err := d.row("SELECT (SELECT seq FROM log_start), (SELECT COALESCE(max(seq), 0) FROM changes)").Scan(&first, &last); err != nil {
			return err
		}
		if after < first || after > last {
			return store.OutsideLog(after, first, last)
		}
		err := d.each("SELECT seq, type, path, version, at, replaced FROM changes WHERE seq > ? ORDER BY seq LIMIT ?",
			[]any{after, limit}, func(r row) error {
				var entry store.LogEntry
				if err := r.Scan(&entry.Seq, &entry.Type, &entry.Path, &entry.Version, &entry.At, &entry.Replaced); err != nil {
					return err
				}
				ch, err := d.tables.Change(&entry, wanted)
				out = append(out, ch)
				if size += store.Size(&ch); err == nil && size > store.PageBytes {
					err = io.EOF // as after the last row
				}
				return err
			})
		if err != nil {
			return err
		}
		size = 0
		for i := range out {
			if wanted == nil || wanted(out[i].Path) {
				if err := d.fillAfter(&out[i]); err != nil {
					return err
				}
			}
			if size += store.Size(&out[i]); size > store.PageBytes {
				clear(out[i+1:])
				out = out[:i+1]
				break
			}
		}
		return nil
	})
	return out, err
}

// fillAfter finds the document as the change left it: the current one, or what
// the next change of that path replaced.
func (d *direct) fillAfter(ch *nestor.Change) error {
	if ch.Type == nestor.Delete || d.tables.Of(ch.Path).Unfollowed {
		return nil
	}
	doc, err := d.load(ch.Path)
	if err != nil {
		return err
	}
	if doc != nil && doc.Seq == ch.Seq {
		ch.After = doc
		return nil
	}
	var replaced []byte
	err = d.row("SELECT replaced FROM changes WHERE replaces = ?", ch.Seq).Scan(&replaced)
	if errors.Is(err, sql.ErrNoRows) {
		return nestor.Errorf(nestor.CodeInternal, "the log has lost version %d of %s", ch.Version, ch.Path)
	}
	if err == nil {
		ch.After, err = d.tables.UnpackReplaced(ch.Path, replaced)
	}
	return err
}

// LastSeq implements [store.Log].
func (s *Store) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.read(ctx, func(d *direct) error {
		return d.row("SELECT COALESCE(max(seq), 0) FROM changes").Scan(&seq)
	})
	return seq, err
}

// Wake implements [store.Log]. Nothing tells us of another process's writes;
// followers poll for them.
func (s *Store) Wake() <-chan struct{} { return nil }

// Left implements [store.Queue].
func (s *Store) Left() <-chan struct{} { return nil }
