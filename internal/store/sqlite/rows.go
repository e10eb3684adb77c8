package sqlite

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// tx implements [store.Rows].

// Exclusive tells the session that the writer runs one transaction at a time, so
// that every read is as good as locked.
func (t *tx) Exclusive() {}

func (t *tx) Load(p nestor.Path, _ bool) (d *nestor.Document, err error) {
	if d, ok := t.ahead[p]; ok {
		return d, nil
	}
	err = t.on(func() (err error) {
		d, err = t.conn.load(p)
		return err
	})
	return d, err
}

// Expect implements [store.Expecter]. Between two questions of a transaction the writer
// waits for its function, and all others wait for the writer: so it is asked once.
func (t *tx) Expect(paths ...nestor.Path) error {
	if t.ahead == nil {
		t.ahead = make(map[nestor.Path]*nestor.Document, len(paths))
	}
	return t.on(func() error {
		for _, p := range paths {
			d, err := t.conn.load(p)
			if err != nil {
				return err
			}
			t.ahead[p] = d
		}
		return nil
	})
}

func (t *tx) Query(q store.Query) (page store.Page, err error) {
	err = t.on(func() (err error) {
		page, err = t.conn.find(q)
		return err
	})
	return page, err
}

// Deleted implements [store.Rows].
func (t *tx) Deleted(p nestor.Path) (deleted bool, err error) {
	err = t.on(func() error {
		return t.conn.row("SELECT EXISTS (SELECT 1 FROM tombstones WHERE path = ?)", string(p)).Scan(&deleted)
	})
	return deleted, err
}

// Below implements [store.Rows].
func (t *tx) Below(p nestor.Path) (docs []*nestor.Document, err error) {
	err = t.on(func() (err error) {
		docs, err = t.conn.below(p)
		return err
	})
	return docs, err
}

// below reads the documents under p. Those of a flat collection share the ids
// on p as their first key columns; those of the users' own share its text.
func (d *direct) below(p nestor.Path) ([]*nestor.Document, error) {
	var docs []*nestor.Document
	collect := func(tb *table, where string, args ...any) error {
		return d.each("SELECT "+columns(tb)+" FROM "+tb.Name+" WHERE "+where, args,
			func(r row) error {
				doc, err := tb.Scan(r.Scan)
				docs = append(docs, doc)
				return err
			})
	}
	for _, kind := range d.tables.All() {
		ids, ok := kind.Under(p)
		if !ok {
			continue
		}
		where := strings.Join(kind.KeyColumns()[:len(ids)], " = ? AND ") + " = ?"
		if err := collect(d.tables.For(kind), where, ids...); err != nil {
			return nil, err
		}
	}
	err := collect(d.tables.For(store.UserDocuments), "collection >= ? AND collection < ?", string(p)+"/", string(p)+"0")
	slices.SortStableFunc(docs, func(a, b *nestor.Document) int {
		return strings.Count(string(b.Path), "/") - strings.Count(string(a.Path), "/")
	})
	return docs, err
}

func (t *tx) Reserve(n int, created []nestor.Path, assumed []*nestor.Document) (seqs, versions []int64, err error) {
	err = t.on(func() error {
		if t.assumed = assumed; n == 0 {
			return t.verify(nil)
		}
		for range n {
			t.lastSeq++
			seqs = append(seqs, t.lastSeq)
		}
		versions = make([]int64, len(created))
		for i, p := range created {
			if !t.mayBeDeleted(p) {
				continue
			}
			err := t.conn.row("SELECT COALESCE((SELECT version FROM tombstones WHERE path = ?), 0)", string(p)).Scan(&versions[i])
			if err != nil {
				return err
			}
		}
		return nil
	})
	return seqs, versions, err
}

// verify fails if a document that was assumed is not the one at its path any
// more. One that is written is left to the update, but not several: the update of
// the second would find out when the first is written, and undo the whole group.
func (t *tx) verify(writes []store.Write) error {
	for _, d := range t.assumed {
		if len(t.assumed) == 1 && slices.ContainsFunc(writes, func(w store.Write) bool { return w.Type == nestor.Update && w.Before == d }) {
			continue
		}
		tb := t.conn.tables.At(d.Path)
		var version int64
		err := t.conn.row(tb.version, tb.Identity(d.Path)...).Scan(&version)
		if errors.Is(err, sql.ErrNoRows) || err == nil && version != d.Version {
			return store.ErrRetry
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) Write(writes []store.Write) error {
	return t.on(func() error {
		if err := t.verify(writes); err != nil {
			return err
		}
		if err := t.begin(); err != nil {
			return err
		}
		t.wrote = true
		for _, r := range store.Returns(writes) {
			borrower := t.conn.tables.At(r.Path)
			if err := t.conn.exec(borrower.ownCopy, r.Args(borrower.Collection)...); err != nil {
				return err
			}
		}
		began := time.Now()
		for i := range writes {
			if i%maxLogged == maxLogged-1 && len(t.queue) > 0 && time.Since(began) > t.store.opts.Bounds.Time {
				return t.session.Stop()
			}
			if err := t.document(&writes[i]); err != nil {
				return err
			}
			t.commit.Changes = append(t.commit.Changes, writes[i].Change)
		}
		for some := range slices.Chunk(writes, maxLogged) {
			if err := t.log(some); err != nil {
				return err
			}
		}
		for i := range writes {
			for j := range writes[i].Jobs {
				if err := t.enqueue(&writes[i].Jobs[j]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (t *tx) document(w *store.Write) error {
	c := &w.Change
	tb := t.conn.tables.At(c.Path)
	key := tb.Identity(c.Path)
	switch c.Type {
	case nestor.Create:
		d := c.After
		if d.Version > 1 { // it takes the place of its tombstone
			if err := t.conn.exec("DELETE FROM tombstones WHERE path = ?", string(c.Path)); err != nil {
				return err
			}
		}
		return t.conn.exec(tb.insert, append(key, d.Version, d.Seq, d.CreatedSeq, d.CreatedAt, d.UpdatedAt, w.Row)...)
	case nestor.Update:
		d := c.After
		args := []any{d.Version, d.Seq, d.UpdatedAt}
		if tb.Borrows != nil {
			args = append(args, w.RowIfBorrowed)
		}
		args = append(append(args, w.Row), key...)
		n, err := t.conn.affected(tb.update, append(args, c.Before.Version)...)
		if err == nil && n == 0 {
			err = store.ErrRetry // it was assumed to be another
		}
		return err
	default:
		t.deleted[tb.Name], t.strays = true, t.strays || tb.Collection == store.UserDocuments
		if err := t.conn.exec(tb.remove, key...); err != nil {
			return err
		}
		return t.conn.exec("INSERT INTO tombstones (path, collection, version, seq, deleted_at) VALUES (?, ?, ?, ?, ?)",
			string(c.Path), tb.Name, c.Version, c.Seq, c.At)
	}
}

// maxLogged is how many log entries are written by one statement.
const maxLogged = 32

func (t *tx) log(writes []store.Write) error {
	args := make([]any, 0, 7*len(writes))
	for i := range writes {
		e := t.conn.tables.LogEntry(&writes[i].Change)
		var replaces, replaced any
		if e.Replaces != nil {
			replaces, replaced = *e.Replaces, e.Replaced
		}
		args = append(args, e.Seq, e.Type, e.Path, e.Version, e.At, replaces, replaced)
	}
	return t.conn.exec(logChanges[len(writes)], args...)
}

// logChanges are the statements that write so many entries.
var logChanges = func() (texts [maxLogged + 1]string) {
	for n := range texts {
		texts[n] = "INSERT INTO changes (seq, type, path, version, at, replaces, replaced) VALUES (?, ?, ?, ?, ?, ?, ?)" +
			strings.Repeat(", (?, ?, ?, ?, ?, ?, ?)", max(0, n-1))
	}
	return texts
}()
