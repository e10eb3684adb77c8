package runtimedoc

import (
	"bytes"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Door is what a caller may write of the runtime.
type Door struct {
	// Reader sees all documents, with the writes of the transaction.
	Reader store.Reader
	Caller access.Caller
	// MayRead reports why the caller may not read the document at a path.
	MayRead func(nestor.Path) error
}

// Guards reports whether documents of the kind of p are written through doors.
func Guards(p nestor.Path) bool { return kindOf(p) != nil }

func kindOf(p nestor.Path) *store.Collection {
	for _, c := range store.DefaultCatalogue.All() {
		if c.Has(p) {
			return c
		}
	}
	return nil
}

// Tx returns tx as a transaction in which the caller writes what the door lets through.
// What is refused changes nothing. A write that repeats what is there makes no new
// version.
func (d Door) Tx(tx store.Tx) store.Tx { return guarded{tx, d} }

type guarded struct {
	store.Tx
	door Door
}

// Create implements [store.Tx].
func (g guarded) Create(p nestor.Path, body any) (*nestor.Document, error) {
	if err := g.door.MayCreate(p, body); err != nil {
		return nil, err
	}
	return g.Tx.Create(p, body)
}

// Put implements [store.Tx].
func (g guarded) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	return g.write(p, version, func(before *nestor.Document) (*write, error) {
		return g.door.write(p, before, body)
	}, func() (*nestor.Document, error) { return g.Tx.Put(p, body, version) })
}

// Patch implements [store.Tx].
func (g guarded) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	return g.write(p, version, func(before *nestor.Document) (*write, error) {
		return g.door.patch(p, before, patch)
	}, func() (*nestor.Document, error) { return g.Tx.Patch(p, patch, version) })
}

func (g guarded) write(
	p nestor.Path, version int64, read func(before *nestor.Document) (*write, error), carryOut func() (*nestor.Document, error),
) (*nestor.Document, error) {
	if !Guards(p) {
		return carryOut()
	}
	before, err := store.FindDocument(g.Tx, p)
	if err != nil {
		return nil, err
	}
	w, err := read(before)
	if err != nil {
		return nil, err
	}
	if before != nil && len(w.changed) == 0 && (version == store.AnyVersion || version == before.Version) {
		return before, nil
	}
	if err := w.judge(); err != nil {
		return nil, err
	}
	return carryOut()
}

// Delete implements [store.Tx].
func (g guarded) Delete(p nestor.Path, version int64) error {
	if err := g.door.MayDelete(p); err != nil {
		return err
	}
	return g.Tx.Delete(p, version)
}

// MayDelete reports why the caller may not delete the document at p. Of the documents of
// the runtime people delete chats, with all that is in them, and nothing else.
func (d Door) MayDelete(p nestor.Path) error {
	switch c := kindOf(p); {
	case c == store.Chats && d.Caller.Kind != access.AsWebhook:
		return nil
	case c != nil:
		return nestor.Errorf(nestor.CodeForbidden, "%s cannot be deleted by itself: people delete a chat, and with it all that is in it", p)
	}
	return nil
}

// MayCreate reports why the caller may not create a document at p.
func (d Door) MayCreate(p nestor.Path, body any) error {
	if !Guards(p) {
		return nil
	}
	w, err := d.write(p, nil, body)
	if err != nil {
		return err
	}
	return w.judge()
}

// Explain returns why the door refuses a write that was refused already, by rules that
// say less, and refused if the door would let it through. The caller can read before.
func (d Door) Explain(refused error, p nestor.Path, before *nestor.Document, body any, isPatch bool) error {
	if nestor.CodeOf(refused) != nestor.CodeForbidden || !Guards(p) {
		return refused
	}
	read := d.write
	if isPatch {
		read = d.patch
	}
	if w, err := read(p, before, body); err == nil {
		if why := w.judge(); why != nil {
			return why
		}
	}
	return refused
}

// Complete returns the body of a Put with the fields of the document before it that it
// leaves out and that are the server's. Fields of a chat that are for people go, but a
// chat stays in its project.
func Complete(p nestor.Path, before *nestor.Document, body any) any {
	if !Guards(p) || before == nil {
		return body
	}
	old, err := fieldsOf(before.Data)
	if err != nil {
		return body
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return body // the store says what is wrong
	}
	account, moves := fields["accountId"]
	moves = moves && !bytes.Equal(account, old["accountId"])
	for name, value := range old {
		keeps := !store.Chats.Has(p) || !slices.Contains(ofPeople, name) || name == "projectId" && !moves
		if _, sent := fields[name]; !sent && keeps {
			fields[name] = value
		}
	}
	return fields
}
