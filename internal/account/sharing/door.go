package sharing

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/runtimedoc"
	"github.com/nestorhq/nestor/internal/store"
)

// Door returns tx, a transaction over all, as one in which a caller writes of the runtime
// what they may, whatever the rules allow.
func Door(all store.Tx, e *rules.Engine, c access.Caller, tx store.Tx) store.Tx {
	return doorOf(all, e, c).Tx(tx)
}

// MayCreate reports why a caller may not create a document of the runtime, whatever the
// rules allow.
func MayCreate(all store.Reader, e *rules.Engine, c access.Caller, d *nestor.Document) error {
	return doorOf(all, e, c).MayCreate(d.Path, d.Data)
}

// MayDelete reports why a caller may not delete a document of the runtime, whatever the
// rules allow.
func MayDelete(all store.Reader, e *rules.Engine, c access.Caller, p nestor.Path) error {
	return doorOf(all, e, c).MayDelete(p)
}

// MayName reports why a caller may not name the files of parts in a chat, for the one in
// whose name they speak.
func MayName(all store.Reader, e *rules.Engine, c access.Caller, chat nestor.Path, parts []nestor.Part) error {
	for _, p := range parts {
		if p.FileID == "" {
			continue
		}
		if _, err := doorOf(all, e, c).Named(chat, runtimedoc.Speaker(c), p.FileID); err != nil {
			return err
		}
	}
	return nil
}

func doorOf(all store.Reader, e *rules.Engine, c access.Caller) runtimedoc.Door {
	judge := e.On(all, c)
	return runtimedoc.Door{Reader: all, Caller: c, MayRead: func(p nestor.Path) error { return judge.MayAt(rules.Read, p) }}
}

// completing is a guarded transaction that leaves to the server the fields that a Put
// leaves out, and that says which field is why rules refuse a write.
type completing struct {
	store.Tx
	door runtimedoc.Door
}

// Create implements [store.Tx].
func (t completing) Create(p nestor.Path, body any) (*nestor.Document, error) {
	d, err := t.Tx.Create(p, body)
	if err != nil {
		err = t.door.Explain(err, p, nil, body, false)
	}
	return d, err
}

// Put implements [store.Tx].
func (t completing) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	if !runtimedoc.Guards(p) {
		return t.Tx.Put(p, body, version)
	}
	before, err := store.FindDocument(t.Tx, p)
	if err != nil {
		return nil, err
	}
	body = runtimedoc.Complete(p, before, body)
	d, err := t.Tx.Put(p, body, version)
	if err != nil {
		err = t.door.Explain(err, p, before, body, false)
	}
	return d, err
}

// Patch implements [store.Tx].
func (t completing) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	d, err := t.Tx.Patch(p, patch, version)
	if nestor.CodeOf(err) != nestor.CodeForbidden || !runtimedoc.Guards(p) {
		return d, err
	}
	before, failed := store.FindDocument(t.Tx, p)
	if failed != nil || before == nil {
		return d, err
	}
	return d, t.door.Explain(err, p, before, patch, true)
}

// Speaker is in whose name a caller speaks.
func Speaker(c access.Caller) string { return runtimedoc.Speaker(c) }
