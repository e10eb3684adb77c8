package rules

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Reader lets a caller read through r what they may read. Nothing else seems to
// be there.
func (e *Engine) Reader(r store.Reader, c access.Caller) store.Reader {
	return &guard{judge: e.On(r, c), reader: r}
}

// Guard lets a caller read and write through tx what they may. A write is decided
// on before it is made, so one that is refused leaves nothing behind even if the
// transaction goes on.
func (e *Engine) Guard(tx store.Tx, c access.Caller) store.Tx {
	return &guardedTx{guard{judge: e.On(tx, c), reader: tx}, tx}
}

type guard struct {
	judge  *Judge
	reader store.Reader
}

// Get implements [store.Reader].
func (g *guard) Get(p nestor.Path) (*nestor.Document, error) {
	if nestor.IsSecret(string(p)) {
		return nil, noDocument(p)
	}
	d, err := g.reader.Get(p)
	if err != nil {
		return nil, err
	}
	if err := g.judge.May(Read, p, d, nil); err != nil {
		return nil, err // never the document: a caller might look at it before the error
	}
	return d, nil
}

type guardedTx struct {
	guard
	tx store.Tx
}

// Create implements [store.Tx].
func (g *guardedTx) Create(p nestor.Path, body any) (*nestor.Document, error) {
	before, hidden, err := g.current(p)
	switch {
	case err != nil:
		return nil, err
	case hidden:
		return nil, g.refuse(p, body)
	case before != nil:
		return nil, nestor.Errorf(nestor.CodeExists, "document %s exists already", p)
	}
	return g.create(p, body)
}

// CreateNew is Create through tx for a path whose id was just made. It does not
// look whether there is a document already: if there were one, the error would
// say so even to a caller who may not read it.
func (e *Engine) CreateNew(tx store.Tx, c access.Caller, p nestor.Path, body any) (*nestor.Document, error) {
	g := guardedTx{guard{judge: e.On(tx, c), reader: tx}, tx}
	if nestor.IsSecret(string(p)) {
		return nil, noDocument(p)
	}
	return g.create(p, body)
}

func (g *guardedTx) create(p nestor.Path, body any) (*nestor.Document, error) {
	m, err := store.Object(body)
	if err != nil {
		return nil, err
	}
	if err := g.decide(Create, p, nil, m); err != nil {
		return nil, err
	}
	return g.tx.Create(p, body)
}

// Put implements [store.Tx].
func (g *guardedTx) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	before, hidden, err := g.current(p)
	switch {
	case err != nil:
		return nil, err
	case hidden:
		return nil, g.refuse(p, body)
	}
	m, err := store.Object(body)
	if err != nil {
		return nil, err
	}
	op := Update
	if before == nil {
		op = Create
	}
	if err := g.decide(op, p, before, m); err != nil {
		return nil, err
	}
	return g.tx.Put(p, body, version)
}

// Patch implements [store.Tx].
func (g *guardedTx) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	before, err := g.Get(p)
	if err != nil {
		return nil, err
	}
	m, err := store.Object(patch)
	if err != nil {
		return nil, err
	}
	old, err := store.Object(before.Data)
	if err != nil {
		return nil, err
	}
	if err := g.decide(Update, p, before, store.Merge(old, m)); err != nil {
		return nil, err
	}
	return g.tx.Patch(p, patch, version)
}

// Delete implements [store.Tx].
func (g *guardedTx) Delete(p nestor.Path, version int64) error {
	before, err := g.Get(p)
	if err != nil {
		return err
	}
	if err := g.mayDelete(p, before); err != nil {
		return err
	}
	return g.tx.Delete(p, version)
}

// MayDelete reports why a caller may not delete the document d through tx.
func (e *Engine) MayDelete(tx store.Tx, c access.Caller, d *nestor.Document) error {
	g := guardedTx{guard{judge: e.On(tx, c), reader: tx}, tx}
	return g.mayDelete(d.Path, d)
}

// mayDelete asks the rules about a document. About what lies below it, and
// would be deleted with it, only the reach of the credential decides.
func (g *guardedTx) mayDelete(p nestor.Path, d *nestor.Document) error {
	if err := g.judge.May(Delete, p, d, nil); err != nil || g.judge.caller.ReachesBelow() {
		return err
	}
	below, err := g.tx.Below(p)
	if err != nil {
		return err
	}
	for _, b := range below {
		if !g.judge.caller.Reaches(b.Path, access.ToWrite, g.judge.engine.opts.Now()) {
			return nestor.Errorf(nestor.CodeForbidden, "you may not delete %s: below it lies what you may not write", p)
		}
	}
	return nil
}

// Below implements [store.Tx]. It shows what the caller may read.
func (g *guardedTx) Below(p nestor.Path) ([]*nestor.Document, error) {
	all, err := g.tx.Below(p)
	if err != nil {
		return nil, err
	}
	var readable []*nestor.Document
	for _, d := range all {
		err := g.judge.May(Read, d.Path, d, nil)
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		if err == nil {
			readable = append(readable, d)
		}
	}
	return readable, nil
}

// Deleted implements [store.Tx]. What the caller could not read was never there
// for them.
func (g *guardedTx) Deleted(p nestor.Path) (bool, error) {
	err := g.judge.May(Read, p, nil, nil)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return g.tx.Deleted(p)
}

// current is the document at p, nil if there is none. One that the caller may
// not read is hidden: it is not returned, and must not be written either.
func (g *guardedTx) current(p nestor.Path) (d *nestor.Document, hidden bool, err error) {
	if nestor.IsSecret(string(p)) {
		return nil, false, noDocument(p)
	}
	d, err = g.tx.Get(p)
	if isNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	err = g.judge.May(Read, p, d, nil)
	if isNotFound(err) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return d, false, nil
}

// refuse says why a caller may not write a hidden document. The answer is the
// same as where there is no document, so that it does not tell the two apart.
// Only rules that let somebody create what they may not read leave a
// difference.
func (g *guardedTx) refuse(p nestor.Path, body any) error {
	m, err := store.Object(body)
	if err != nil {
		return err
	}
	if err := g.decide(Create, p, nil, m); err != nil {
		return err
	}
	return noDocument(p)
}

func (g *guardedTx) decide(op Op, p nestor.Path, before *nestor.Document, after map[string]any) error {
	for _, f := range nestor.Reserved { // the store ignores these, so rules need not see them
		delete(after, f)
	}
	e := store.NewEvent(nestor.Change{Before: before})
	return g.judge.decide(op, p, before, e.BeforeBody, func() map[string]any { return after })
}
