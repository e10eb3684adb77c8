package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// proposal is a transaction without a connection of its own. Its function reads
// what is committed, without locks, and what it wants to write is committed
// together with the writes of others (group.go), if each document that it assumed
// or read in order to write it still has the version that it read. So nobody waits
// for a function, and a function holds nothing while it runs. It implements
// [store.Rows].
//
// That is as good as locks: whoever else relies on the lock of a document writes
// it, too, and so changes its version. A function that locks a document without
// writing it, reads its own writes or deletes runs alone, in a transaction of its
// own.
type proposal struct {
	*tx
	read    map[nestor.Path]*nestor.Document // nil: there is none
	toWrite map[nestor.Path]bool             // what was read to be written
	assumed []*nestor.Document
	alone   bool
	line    *places

	work   work
	failed error // of this one alone
	done   chan error

	// What it writes: how many, what it creates, and all paths.
	n       int
	created []nestor.Path
	paths   []nestor.Path

	unchanged int // how many of the assumed are as they were
}

// errAlone says that a transaction has to run by itself.
var errAlone = errors.New("this transaction runs alone")

// propose does the work together with that of others.
func (s *Store) propose(ctx context.Context, w work, line *places, doubt bool) (*tx, error) {
	p := newProposal(ctx, s, w, line)
	if doubt {
		p.session.Doubt()
	}
	if err := p.run(); err != nil || p.empty() {
		return p.tx, err
	}
	return p.tx, s.group.commit(s, p)
}

func newProposal(ctx context.Context, s *Store, w work, line *places) *proposal {
	p := &proposal{
		tx: &tx{store: s, ctx: ctx}, work: w, line: line, done: make(chan error, 1),
		read: map[nestor.Path]*nestor.Document{}, toWrite: map[nestor.Path]bool{},
	}
	p.session = store.NewSession(ctx, p, s.opts.Rules)
	p.session.Timed()
	if w.job != nil {
		p.session.Ends(w.job)
		p.place.Ends = w.job
	}
	return p
}

// run runs the function and finds out what it leaves to do.
func (p *proposal) run() error {
	if fn := p.work.fn; fn != nil {
		err := fn(p.session)
		if p.alone { // whatever the function made of it
			return errAlone
		}
		if errors.Is(err, nestor.ErrConflict) { // what it read may be of several moments: with locks it is certain
			return errAlone
		}
		if err == nil {
			err = p.session.Ended()
		}
		if err != nil {
			return err
		}
	}
	if !p.settle() {
		return errAlone
	}
	return nil
}

// settle finds out what the function left to do. It reports false if that cannot
// be done together with others.
func (p *proposal) settle() bool {
	p.paths = p.session.Written()
	n, created, assumed := p.session.Needs()
	p.n, p.created = n, created
	p.assumed = append(p.assumed, assumed...)
	written := make(map[nestor.Path]bool, n)
	for _, path := range p.paths {
		if written[path] {
			return false
		}
		written[path] = true
	}
	for path := range p.toWrite {
		d := p.read[path]
		if d == nil {
			continue // if it is there after all, creating it fails
		}
		if !written[path] {
			return false
		}
		p.assumed = append(p.assumed, d)
	}
	return true
}

func (p *proposal) empty() bool { return p.n == 0 && len(p.assumed) == 0 && p.work.job == nil }

// Load implements [store.Rows].
func (p *proposal) Load(path nestor.Path, lock bool) (*nestor.Document, error) {
	if lock {
		p.toWrite[path] = true
		p.line.lineUp(p.ctx, path)
	}
	if d, ok := p.read[path]; ok {
		return d, nil
	}
	d, err := p.store.loadOne(p.ctx, path)
	if err == nil {
		p.read[path] = d
	}
	return d, err
}

// Expect implements [store.Expecter].
func (p *proposal) Expect(paths ...nestor.Path) error {
	docs, err := p.store.loadAll(p.ctx, paths...)
	if err != nil {
		return err
	}
	for i, path := range paths {
		if _, ok := p.read[path]; !ok {
			p.read[path] = docs[i]
		}
	}
	return nil
}

// Deleted implements [store.Rows].
func (p *proposal) Deleted(path nestor.Path) (deleted bool, err error) {
	err = p.store.pool.QueryRow(p.ctx, "SELECT EXISTS (SELECT FROM tombstones WHERE path = $1)", string(path)).Scan(&deleted)
	return deleted, err
}

// Query implements [store.Rows].
func (p *proposal) Query(q store.Query) (store.Page, error) {
	return p.store.tables.query(p.ctx, p.store.pool, q)
}

// Below implements [store.Rows].
func (p *proposal) Below(nestor.Path) ([]*nestor.Document, error) { return nil, p.runAlone() }

// Reserve implements [store.Rows]. What is assumed is checked at the end.
func (p *proposal) Reserve(n int, _ []nestor.Path, assumed []*nestor.Document) (seqs, versions []int64, err error) {
	if n > 0 {
		return nil, nil, p.runAlone()
	}
	p.assumed = append(p.assumed, assumed...)
	return nil, nil, nil
}

// Write implements [store.Rows].
func (p *proposal) Write([]store.Write) error { return p.runAlone() }

func (p *proposal) runAlone() error {
	p.alone = true
	return errAlone
}

// meets reports whether two proposals cannot be in one transaction: one of them
// writes what the other wrote or relies on.
func (p *proposal) meets(written, relied map[nestor.Path]bool) bool {
	for _, path := range p.paths {
		if written[path] || relied[path] {
			return true
		}
	}
	return slices.ContainsFunc(p.assumed, func(d *nestor.Document) bool { return written[d.Path] })
}
