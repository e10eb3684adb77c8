package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// completeness finds out up to where the log is complete. A smaller seq can commit
// after a larger one, so a reader must not pass an entry while a transaction
// that took a smaller seq may still commit.
//
// Whoever took a seq below one that is visible now had its transaction id
// before now. So: note the largest visible seq, then draw a transaction id of
// our own. Once every transaction below that id has ended, the log is complete
// up to the seq noted. (A snapshot's xmax would not do instead of the id: it
// says what has ended, not what has begun.)
type completeness struct {
	mu       sync.Mutex
	complete int64 // the log is complete up to here
	noted    int64 // and up to here once
	below    int64 // no transaction below this id is running; 0: nothing is noted
}

// completeUpTo returns the position up to which the log is complete.
func (s *Store) completeUpTo(ctx context.Context) (complete int64, err error) {
	err = insist(ctx, func() error {
		complete, err = s.findComplete(ctx)
		return err
	})
	return complete, err
}

func (s *Store) findComplete(ctx context.Context) (int64, error) {
	l := &s.completeness
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		var first, newest, running, next int64
		err := s.pool.QueryRow(ctx, `SELECT (SELECT seq FROM log_start), COALESCE((SELECT max(seq) FROM changes), 0),
			pg_snapshot_xmin(pg_current_snapshot())::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint`).
			Scan(&first, &newest, &running, &next)
		if err != nil {
			return 0, err
		}
		l.complete = max(l.complete, first) // what was swept was complete
		// Our id ended as soon as it was drawn. If the server is about to give it
		// out, it has crashed, and all transactions of that time have ended.
		if l.below > 0 && (running >= l.below || next <= l.below) {
			l.complete, l.below = l.noted, 0
		}
		if l.below > 0 || newest <= l.complete {
			return l.complete, nil
		}
		if err := s.noteNewest(ctx, l); err != nil {
			return 0, err
		}
	}
}

// noteNewest notes the largest visible seq, then draws an id, in this order.
func (s *Store) noteNewest(ctx context.Context, l *completeness) error {
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("SELECT COALESCE(max(seq), 0) FROM changes").QueryRow(func(row pgx.Row) error { return row.Scan(&l.noted) })
	batch.Queue("SELECT pg_current_xact_id()::text::bigint").QueryRow(func(row pgx.Row) error { return row.Scan(&l.below) })
	batch.Queue("COMMIT")
	err := s.pool.SendBatch(ctx, batch).Close()
	if err != nil {
		l.below = 0
	}
	return err
}

// Changes implements [store.Log].
func (s *Store) Changes(ctx context.Context, after int64, limit int, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	complete, err := s.completeUpTo(ctx)
	if err != nil {
		return nil, classify(err)
	}
	var out []nestor.Change
	err = s.read(ctx, func(q *snapshot) error {
		var first, last int64
		if err := q.QueryRow(ctx, "SELECT (SELECT seq FROM log_start), (SELECT last_value FROM change_seq)").Scan(&first, &last); err != nil {
			return err
		}
		if after < first || after > last {
			return store.OutsideLog(after, first, last)
		}
		rows, err := q.Query(ctx, "SELECT seq, type, path, version, at, replaced FROM changes WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3",
			after, complete, limit)
		if err != nil {
			return err
		}
		if out, err = s.tables.scanChanges(rows, wanted); err != nil {
			return err
		}
		out, err = s.tables.fillAfter(ctx, q, out, wanted)
		return err
	})
	return out, err
}

func (t tables) scanChanges(rows pgx.Rows, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	defer rows.Close()
	var out []nestor.Change
	for size := 0; size <= store.PageBytes && rows.Next(); {
		var e store.LogEntry
		if err := rows.Scan(&e.Seq, &e.Type, &e.Path, &e.Version, &e.At, &e.Replaced); err != nil {
			return nil, err
		}
		c, err := t.Change(&e, wanted)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		size += store.Size(&c)
	}
	rows.Close()
	return out, rows.Err()
}

// fillAfter finds the documents as the changes left them: the current ones,
// or what the next change of that path replaced. Two round trips for all. It
// returns as many of the changes as fit into a page; the documents of others
// are passed over as they arrive.
func (t tables) fillAfter(ctx context.Context, q *snapshot, changes []nestor.Change, wanted func(nestor.Path) bool) ([]nestor.Change, error) {
	full := newFilling(changes)
	var current, replaced steps
	found := make([]bool, len(changes))
	set := func(i int, d *nestor.Document) { full.set(i, d); found[i] = true }
	for i := range changes {
		c := &changes[i]
		tb := t.At(c.Path)
		if found[i] = c.Type == nestor.Delete || tb.Unfollowed || wanted != nil && !wanted(c.Path); found[i] {
			continue
		}
		current = append(current, tb.loading(c.Path, func(d *nestor.Document) {
			if d.Seq == c.Seq {
				set(i, d)
			}
		}))
	}
	if err := q.ask(ctx, current); err != nil {
		return nil, err
	}
	for i := range changes {
		if found[i] {
			continue
		}
		c := &changes[i]
		replaced = append(replaced, step{text: "SELECT replaced FROM changes WHERE replaces = $1", args: []any{c.Seq}, bulk: &bulk{text: replacedAll, row: func(read scan) error {
			var packed []byte
			if err := read(&packed); err != nil {
				return err
			}
			d, err := t.UnpackReplaced(c.Path, packed)
			if err == nil {
				set(i, d)
			}
			return err
		}}})
	}
	if err := q.ask(ctx, replaced); err != nil {
		return nil, err
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, nestor.Errorf(nestor.CodeInternal, "the log has lost version %d of %s", changes[i].Version, changes[i].Path)
	}
	return full.page(), nil
}

// replacedAll asks for each by the index: for a join the server might read the whole log.
const replacedAll = `SELECT i, c.replaced FROM unnest($1::bigint[]) WITH ORDINALITY AS row (seq, i)
	CROSS JOIN LATERAL (SELECT replaced FROM changes WHERE replaces = row.seq LIMIT 1) AS c`

// filling bounds the documents of a page while they arrive. In each of two
// rounds they come in the order of the changes, but not from round to round.
type filling struct {
	changes []nestor.Change
	size    int // of the changes[:n]
	n       int // changes beyond do not fit
}

func newFilling(changes []nestor.Change) *filling {
	f := &filling{changes: changes, n: len(changes)}
	for i := range changes {
		f.size += store.Size(&changes[i])
	}
	f.shrink()
	return f
}

// set gives a change its document, unless the change no longer fits.
func (f *filling) set(i int, d *nestor.Document) {
	if i >= f.n {
		return
	}
	f.changes[i].After = d
	f.size += len(d.Data)
	f.shrink()
}

// shrink lets go of changes at the end as long as those before exceed a page.
func (f *filling) shrink() {
	for f.n > 1 {
		last := store.Size(&f.changes[f.n-1])
		if f.size-last <= store.PageBytes {
			return
		}
		f.n--
		f.size -= last
		f.changes[f.n].Before, f.changes[f.n].After = nil, nil
	}
}

func (f *filling) page() []nestor.Change { return f.changes[:f.n] }

// LastSeq implements [store.Log].
func (s *Store) LastSeq(ctx context.Context) (int64, error) {
	seq, err := s.completeUpTo(ctx)
	return seq, classify(err)
}
