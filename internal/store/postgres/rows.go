package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Load implements [store.Rows].
func (t *tx) Load(p nestor.Path, lock bool) (*nestor.Document, error) {
	tb := t.store.tables.At(p)
	text := tb.load
	if lock {
		text = tb.lock
	}
	var d *nestor.Document
	err := t.send(append(t.takeWrites(), step{text: text, args: tb.Identity(p), then: func(rows pgx.Rows) (err error) {
		if rows.Next() {
			d, err = tb.loaded(p, rows)
		}
		return err
	}}))
	return d, err
}

// Deleted implements [store.Rows].
func (t *tx) Deleted(p nestor.Path) (deleted bool, err error) {
	err = t.send(append(t.takeWrites(), step{text: "SELECT FROM tombstones WHERE path = $1", args: []any{string(p)}, then: func(rows pgx.Rows) error {
		deleted = rows.Next()
		return nil
	}}))
	return deleted, err
}

// Query implements [store.Rows].
func (t *tx) Query(q store.Query) (store.Page, error) {
	if err := t.ready(); err != nil {
		return store.Page{}, err
	}
	return t.store.tables.query(t.ctx, t.conn, q)
}

// Below implements [store.Rows]. Those of a flat collection share the ids on p
// as their first key columns; those of the users' own share its text.
func (t *tx) Below(p nestor.Path) ([]*nestor.Document, error) {
	// With this lock nothing can be added below p behind our back.
	own := t.store.tables.At(p)
	if err := t.send(append(t.takeWrites(), step{text: own.load + " FOR UPDATE", args: own.Identity(p)})); err != nil {
		return nil, err
	}
	docs, err := t.store.tables.below(t.ctx, t.conn, p, " FOR UPDATE")
	slices.SortStableFunc(docs, func(a, b *nestor.Document) int {
		return strings.Count(string(b.Path), "/") - strings.Count(string(a.Path), "/")
	})
	return docs, err
}

// below reads the documents under p, in no order.
func (t tables) below(ctx context.Context, q querier, p nestor.Path, lock string) ([]*nestor.Document, error) {
	var docs []*nestor.Document
	for _, c := range t.All() {
		ids, ok := c.Under(p)
		if !ok {
			continue
		}
		tb := t.For(c)
		more, err := collect(ctx, q, tb, "SELECT "+tb.selected+" FROM "+tb.Name+" WHERE "+
			equal(c.KeyColumns()[:len(ids)], 1)+lock, ids...)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	tb := t.For(store.UserDocuments)
	more, err := collect(ctx, q, tb, "SELECT "+tb.selected+" FROM "+tb.Name+
		" WHERE collection >= $1 AND collection < $2"+lock, string(p)+"/", string(p)+"0")
	return append(docs, more...), err
}

// ready begins the transaction and sends the writes so far.
func (t *tx) ready() error {
	if t.begun && len(t.writes) == 0 {
		return nil
	}
	return t.send(t.takeWrites())
}

func (t *tx) takeWrites() steps {
	list := t.writes
	t.writes = nil
	return list
}

// Reserve implements [store.Rows].
func (t *tx) Reserve(n int, created []nestor.Path, assumed []*nestor.Document) (seqs, versions []int64, err error) {
	list := t.takeWrites()
	for _, d := range assumed {
		list = append(list, t.store.tables.verify(d))
	}
	if n > 0 {
		list = append(list, t.reserve(n, created, &seqs, &versions))
	}
	err = t.send(list)
	return seqs, versions, err
}

// reserve allots positions in the log and reads the versions that tombstones hold.
// The transaction has its id before it takes a seq, because readers of the log
// depend on that order; hence the sub-select, which is evaluated first. It also takes
// the lock of the token (see outcome.go).
func (t *tx) reserve(n int, created []nestor.Path, seqs, versions *[]int64) step {
	return step{
		text: `SELECT nextval('change_seq'), (SELECT json_object_agg(path, version) FROM tombstones WHERE path = ANY ($2))
		FROM (SELECT pg_current_xact_id() AS id, pg_advisory_xact_lock($3) OFFSET 0) AS me, generate_series(1, $1) WHERE me.id IS NOT NULL`,
		args: []any{n, created, t.signed()},
		then: func(rows pgx.Rows) error {
			var seq int64
			var deleted map[nestor.Path]int64
			_, err := pgx.ForEachRow(rows, []any{&seq, &deleted}, func() error {
				*seqs = append(*seqs, seq)
				return nil
			})
			for _, p := range created {
				*versions = append(*versions, deleted[p])
			}
			return err
		},
	}
}

// verify locks d and fails if it is not the document at its path any more. The
// update cannot do that: the commit is sent along with it.
func (t tables) verify(d *nestor.Document) step {
	tb := t.At(d.Path)
	return step{text: tb.lock, args: tb.Identity(d.Path), then: func(rows pgx.Rows) error {
		if rows.Next() {
			now, err := tb.loaded(d.Path, rows)
			if err != nil || now.Version == d.Version {
				return err
			}
		}
		return store.ErrRetry
	}}
}

// Write implements [store.Rows]: it keeps the statements for the commit.
func (t *tx) Write(writes []store.Write) error {
	for _, r := range store.Returns(writes) {
		borrower := t.store.tables.At(r.Path)
		t.writes.add(borrower.ownCopy, r.Args(borrower.Collection)...)
	}
	changes := make([]nestor.Change, len(writes))
	for i := range writes {
		w := &writes[i]
		t.document(w)
		if w.Absent {
			t.absent[&t.writes[len(t.writes)-1].args[0]] = true
		}
		changes[i] = w.Change
		t.note(w)
	}
	t.log(changes)
	return nil
}

// note keeps what the observers are told of a write, and queues its jobs.
func (t *tx) note(w *store.Write) {
	t.commit.Changes = append(t.commit.Changes, w.Change)
	for i := range w.Jobs {
		t.enqueue(&w.Jobs[i])
	}
}

func (t *tx) document(w *store.Write) {
	c := &w.Change
	tb := t.store.tables.At(c.Path)
	key := tb.Identity(c.Path)
	switch c.Type {
	case nestor.Create:
		d := c.After
		if d.Version > 1 { // it takes the place of its tombstone
			t.writes.add("DELETE FROM tombstones WHERE path = $1", string(c.Path))
		}
		t.writes = append(t.writes, tb.inserting(w))
	case nestor.Update:
		d := c.After
		args := []any{d.Version, d.Seq, d.UpdatedAt, w.Row}
		if tb.Borrows != nil {
			args = append(args, w.RowIfBorrowed)
		}
		t.writes = append(t.writes, step{text: tb.update, args: append(args, key...), bulk: &bulk{text: tb.updateAll}})
	default:
		t.writes.add(tb.remove, key...)
		t.writes.add("INSERT INTO tombstones (path, collection, version, seq, deleted_at) VALUES ($1, $2, $3, $4, $5)",
			string(c.Path), tb.Name, c.Version, c.Seq, c.At)
	}
}

// insertChanges asks for each tombstone by the index, as the statements of jobs do.
const insertChanges = `INSERT INTO changes (seq, at, version, token, replaces, type, path, replaced)
	SELECT CASE WHEN (SELECT true FROM tombstones t WHERE t.path = c.created LIMIT 1) IS NULL THEN seq END,
	       at, version, CASE WHEN seq = $9 THEN $10::bigint END, replaces, type, path, replaced
	FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::smallint[], $6::bytea[], $7::bytea[], $8::text[])
	  AS c (seq, at, version, replaces, type, path, replaced, created)`

// log follows the documents. An insert of one may have waited for others to
// make and delete the same; they left a tombstone that Reserve did not see, and
// the version would stand for two contents. Then the null violates a
// constraint, which is a [conflict].
func (t *tx) log(changes []nestor.Change) {
	n := len(changes)
	seqs, types, versions, times := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	created, paths, replaces, replaced := make([]*string, n), make([][]byte, n), make([]*int64, n), make([][]byte, n)
	for i := range changes {
		c := &changes[i]
		e := t.store.tables.LogEntry(c)
		seqs[i], types[i], paths[i], versions[i], times[i], replaces[i], replaced[i] = e.Seq, e.Type, e.Path, e.Version, e.At, e.Replaces, e.Replaced
		if c.Type == nestor.Create {
			created[i] = (*string)(&c.Path)
		}
	}
	if t.entry == 0 {
		t.entry = seqs[0]
	}
	t.writes.add(insertChanges, seqs, times, versions, replaces, types, paths, replaced, created, t.entry, t.token)
}
