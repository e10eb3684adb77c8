package store

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/nestorhq/nestor"
)

// Rows is what an engine supplies inside one transaction.
type Rows interface {
	// Load reads a document. With lock no other transaction can write it
	// before this one ends. A missing document is nil, nil.
	Load(p nestor.Path, lock bool) (*nestor.Document, error)
	// Deleted reports whether there is a tombstone of p.
	Deleted(p nestor.Path) (bool, error)
	// Below reads every document under p, deepest first.
	Below(p nestor.Path) ([]*nestor.Document, error)
	// Query runs a query that [Query.Check] accepted.
	Query(q Query) (Page, error)
	// Reserve allots n positions in the log and reports the version that a
	// tombstone holds for each of created, 0 where there is none.
	// Reserve fails with [ErrRetry] unless each of assumed is still the document
	// at its path; from then on nobody else can write it.
	Reserve(n int, created []nestor.Path, assumed []*nestor.Document) (seqs, versions []int64, err error)
	// Write stores the writes, their log entries and their jobs, in order.
	Write(writes []Write) error
}

// Write is one change to store and the jobs it causes.
type Write struct {
	nestor.Change
	// Row is the body as the table keeps it, empty for a delete. RowIfBorrowed is what an
	// update writes instead to a row for which [Collection.KeptSQL] holds.
	Row, RowIfBorrowed string
	// Returns are for those who borrow what this document will no longer have.
	Returns []Return
	Jobs    []nestor.Job
	// Absent marks a create that relies on having seen that there is no such
	// document: meeting one is a conflict to be resolved, not an error.
	Absent bool
}

// Rules are the limits a [Session] enforces and what its writes trigger.
type Rules struct {
	// Catalogue tells the kinds of documents. Defaults to [DefaultCatalogue].
	Catalogue *Catalogue
	// Planner may be nil: then writes cause no jobs.
	Planner Planner
	// MaxBody is the size limit of a body in bytes. Defaults to 1 MiB.
	MaxBody int
	// Admit is asked about each document that somebody outside of the runtime
	// ([FromOutside]) creates and that causes jobs of a tenant. Its error refuses
	// the transaction. It must be quick. May be nil: then all is admitted.
	Admit func(tenant string) error
	// Room is asked about each document that somebody outside of the runtime creates or
	// changes, with by how many bytes all that the transaction has written so far makes
	// the documents grow, and with how many bytes this write replaces, which the log
	// keeps. Its error refuses the transaction. It must be quick. May be nil: then there is
	// room for all.
	Room func(p nestor.Path, grows, replaces int64) error
	// Restores brings documents back as they were, as an import needs it: with
	// createdAt and updatedAt from their bodies, where they are, and without
	// [Collection.Check], since what they refer to may come later or be gone.
	Restores bool
	// Participant reports whether a user can talk to a participant; see [TalksTo]. May be nil:
	// then everybody can talk to all.
	Participant func(r Reader, userID, participant string) (bool, error)
	// Runs, if set, has work carry what began it.
	Runs *Runs
	// Bounds are how much one transaction may do.
	Bounds TxBounds
}

// WithDefaults fills what is not set.
func (r Rules) WithDefaults() Rules {
	if r.Catalogue == nil {
		r.Catalogue = DefaultCatalogue
	}
	if r.MaxBody == 0 {
		r.MaxBody = 1 << 20
	}
	r.Bounds = r.Bounds.WithDefaults()
	return r
}

// exclusive are [Rows] of an engine that serves one writing transaction at a time:
// whatever a transaction has read is as good as locked, and is not read again before
// it is written.
type exclusive interface{ Exclusive() }

// Session is the engine-independent half of a [Tx]. It keeps writes back
// until they are asked for or the transaction ends, so that an engine can send
// them together.
type Session struct {
	rows    Rows
	alone   bool // rows are exclusive
	rules   Rules
	now     int64
	pending []*Event
	known   map[nestor.Path]known // what this transaction read or wrote
	assumed []*nestor.Document    // and what it did not
	checked bool
	doubts  bool
	outside bool
	bounded bool  // by the room that there is
	grown   int64 // by how many bytes
	runs    runs
	job     *nestor.Job // that it is part of, nil for none
	spent   spent
	ended   atomic.Pointer[error]
}

type known struct {
	doc     *nestor.Document // nil: no such document
	version int64            // of the deleted document, where there was one
	written bool
	assumed bool
}

// NewSession starts the session of a transaction that ctx asked for. The rules have
// their defaults.
func NewSession(ctx context.Context, rows Rows, rules Rules) *Session {
	_, alone := rows.(exclusive)
	return &Session{
		rows: rows, alone: alone, rules: rules, now: nestor.Millis(time.Now()), known: map[nestor.Path]known{}, outside: isOutside(ctx),
		bounded: rules.Room != nil && isOutside(ctx) && !isEnding(ctx),
		runs:    runs{own: runIn(ctx), within: reachIn(ctx)}, job: JobOf(ctx),
	}
}

// Doubt makes the session read what it is told to assume.
func (s *Session) Doubt() { s.doubts = true }

// Assumes reports whether something was assumed. If so, a failure proves
// nothing: an engine runs the function again with doubt.
func (s *Session) Assumes() bool { return len(s.assumed) > 0 }

// Assume takes d, read earlier, for the document as it is now and so saves
// reading it again. That is as good as reading it: before anything is written the
// engine checks, under the document's lock, that it still has the version of d, and
// a version never stands for two contents. If it has another, or if the function
// fails, which may be due to what it assumed, nothing is written and the function
// runs again without assumptions.
//
// It is no part of [Tx]: those who know of it ask for it.
func (s *Session) Assume(d *nestor.Document) {
	if _, ok := s.known[d.Path]; ok || s.doubts || s.checked {
		return
	}
	s.known[d.Path] = known{doc: d, assumed: true}
	s.assumed = append(s.assumed, d)
}

// Assume spares a transaction to read documents that were read or written before, if it
// can be told to; see [Session.Assume]. Those that are nil are left out.
func Assume(tx Tx, docs ...*nestor.Document) {
	t, ok := tx.(interface{ Assume(d *nestor.Document) })
	for _, d := range docs {
		if ok && d != nil {
			t.Assume(d)
		}
	}
}

// Get implements [Reader].
func (s *Session) Get(p nestor.Path) (*nestor.Document, error) {
	d, err := s.load(p, false)
	if err == nil && d == nil {
		return nil, notFound(p)
	}
	return d, err
}

// GetToWrite is Get for a document that the transaction is about to write: nobody else
// writes it before the transaction ends. A missing document is nil, nil.
//
// It is no part of [Tx]: those who know of it ask for it.
func (s *Session) GetToWrite(p nestor.Path) (*nestor.Document, error) { return s.load(p, true) }

// Query implements [Reader]. It sees the transaction's own writes.
func (s *Session) Query(q Query) (Page, error) {
	if err := q.Check(s.rules.Catalogue); err != nil {
		return Page{}, err
	}
	if err := s.Flush(); err != nil {
		return Page{}, err
	}
	page, err := s.rows.Query(q)
	if err == nil {
		err = s.spendOn(page.Items)
	}
	return page, err
}

// Create implements [Tx].
func (s *Session) Create(p nestor.Path, body any) (*nestor.Document, error) {
	k, ok := s.known[p]
	if ok && k.doc != nil {
		return nil, exists(p)
	}
	m, err := Object(body)
	if err != nil {
		return nil, err
	}
	return s.write(p, nil, m, s.rules.Catalogue.Of(p).typed(body))
}

// Put implements [Tx].
func (s *Session) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	m, err := Object(body)
	if err != nil {
		return nil, err
	}
	before, err := s.loadVersion(p, version)
	if err != nil {
		return nil, err
	}
	return s.write(p, before, m, s.rules.Catalogue.Of(p).typed(body))
}

// Patch implements [Tx].
func (s *Session) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	m, err := Object(patch)
	if err != nil {
		return nil, err
	}
	before, err := s.loadVersion(p, version)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, notFound(p)
	}
	old, err := decodeObject(before.Data)
	if err != nil {
		return nil, err
	}
	return s.write(p, before, Merge(old, m), false)
}

// Delete implements [Tx].
func (s *Session) Delete(p nestor.Path, version int64) error {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return err
	}
	d, err := s.loadVersion(p, version)
	if err != nil {
		return err
	}
	if d == nil {
		return notFound(p)
	}
	below, err := s.Below(p)
	if err != nil {
		return err
	}
	doomed, err := s.beforeDelete(append(below, d))
	if err != nil {
		return err
	}
	for _, b := range doomed {
		s.pending = append(s.pending, NewEvent(nestor.Change{
			Type: nestor.Delete, Path: b.Path, Version: b.Version + 1, At: s.now, Before: b,
		}))
		s.known[b.Path] = known{version: b.Version + 1, written: true}
	}
	s.noteDeleted(d)
	return nil
}

// beforeDelete asks those who want to know before documents are deleted. It returns
// them with the others that are to go, too.
func (s *Session) beforeDelete(doomed []*nestor.Document) ([]*nestor.Document, error) {
	all := doomed
	for _, c := range s.rules.Catalogue.beforeDelete {
		also, err := c.BeforeDelete(s, doomed)
		if err != nil {
			return nil, err
		}
		all = append(also, all...)
	}
	return all, nil
}

// Deleted implements [Tx].
func (s *Session) Deleted(p nestor.Path) (bool, error) {
	if err := s.spend(1, 0); err != nil {
		return false, err
	}
	if k := s.known[p]; k.written {
		return k.doc == nil, nil
	}
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return false, err
	}
	return s.rows.Deleted(p)
}

// Below implements [Tx].
func (s *Session) Below(p nestor.Path) ([]*nestor.Document, error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	if err := s.Flush(); err != nil {
		return nil, err
	}
	below, err := s.rows.Below(p)
	if err == nil {
		err = s.spendOn(below)
	}
	return below, err
}

// Flush hands the pending writes to the engine.
func (s *Session) Flush() error {
	if err := s.Ended(); err != nil {
		return err
	}
	n, created, assumed := s.Needs()
	if n == 0 && len(assumed) == 0 {
		return nil
	}
	seqs, versions, err := s.rows.Reserve(n, created, assumed)
	if err != nil || n == 0 {
		return err
	}
	writes, err := s.Numbered(seqs, versions)
	if err != nil {
		return err
	}
	return s.rows.Write(writes)
}

// Needs are what [Rows.Reserve] has to be asked before the pending writes can be
// stored.
func (s *Session) Needs() (n int, created []nestor.Path, assumed []*nestor.Document) {
	for _, e := range s.pending {
		if e.Type == nestor.Create {
			created = append(created, e.Path)
		}
	}
	if s.unchecked() {
		assumed, s.checked = s.assumed, true
	}
	return len(s.pending), created, assumed
}

// Numbered are the pending writes with what was reserved for them, and with the jobs
// that they cause. It fails if these are too many.
func (s *Session) Numbered(seqs, versions []int64) ([]Write, error) {
	writes := make([]Write, len(s.pending))
	loans := s.rules.Catalogue.loans(s.pending)
	for i, e := range s.pending {
		e.Seq = seqs[i]
		switch e.Type {
		case nestor.Create:
			// A document that is made anew goes on counting where its
			// tombstone stopped: a version never stands for two contents.
			e.After.Version = max(e.After.Version, versions[0]+1)
			e.After.CreatedSeq = e.Seq
			versions = versions[1:]
		case nestor.Update:
			e.After.Version, e.After.CreatedSeq = e.Before.Version+1, e.Before.CreatedSeq
		}
		if e.After != nil {
			e.After.Seq, e.Version = e.Seq, e.After.Version
		}
		writes[i] = Write{Change: e.Change, Returns: s.rules.Catalogue.returns(e, loans), Absent: e.absent}
		if e.After != nil {
			row, ifBorrowed := s.rules.Catalogue.Of(e.Path).rows(e, loans)
			// Nobody changes them any more.
			writes[i].Row = unsafe.String(unsafe.SliceData(row), len(row))
			writes[i].RowIfBorrowed = unsafe.String(unsafe.SliceData(ifBorrowed), len(ifBorrowed))
		}
		if err := s.fits(e); err != nil {
			return nil, err
		}
		if s.rules.Planner != nil {
			writes[i].Jobs = s.rules.Planner.Plan(e)
			s.assignRun(e, writes[i].Jobs)
			if err := s.admit(&writes[i]); err != nil {
				return nil, err
			}
		}
	}
	s.pending = nil
	return writes, nil
}

// Written are the paths of the pending writes, in order.
func (s *Session) Written() []nestor.Path {
	paths := make([]nestor.Path, len(s.pending))
	for i, e := range s.pending {
		paths[i] = e.Path
	}
	return paths
}

// admit asks whether a write may cause its jobs. Changes of what is there may: they
// end work, or let it go on.
func (s *Session) admit(w *Write) error {
	if !s.outside || s.rules.Admit == nil || w.Type != nestor.Create || len(w.Jobs) == 0 {
		return nil
	}
	return s.rules.Admit(w.Path.Tenant())
}

// fits asks whether there is room for a write.
func (s *Session) fits(e *Event) error {
	if !s.bounded {
		return nil
	}
	before := s.rules.Catalogue.Weight(e.Before)
	s.grown += s.rules.Catalogue.Weight(e.After) - before
	if e.Type == nestor.Delete {
		return nil
	}
	return s.rules.Room(e.Path, s.grown, before)
}

// Pending reports whether there is something to flush.
func (s *Session) Pending() bool { return len(s.pending) > 0 || s.unchecked() }

func (s *Session) unchecked() bool { return len(s.assumed) > 0 && !s.checked }

// load reads p once per transaction, or again under lock when it is about to
// be written. A document that changed in between cannot be written on the
// strength of what was read before.
func (s *Session) load(p nestor.Path, lock bool) (*nestor.Document, error) {
	if err := s.spend(1, 0); err != nil {
		return nil, err
	}
	k, ok := s.known[p]
	if ok && (k.written || k.assumed || !lock || s.alone) {
		return k.doc, nil
	}
	if !ok {
		if _, err := nestor.ParsePath(string(p)); err != nil {
			return nil, err
		}
	}
	d, err := s.loadRow(p, lock)
	if err != nil {
		return nil, err
	}
	if ok && (d == nil) != (k.doc == nil) || ok && d != nil && d.Version != k.doc.Version {
		return nil, ErrRetry
	}
	s.known[p] = known{doc: d}
	return d, nil
}

// loadRow reads a document. Whoever locks it may wait for others, which costs nobody anything.
func (s *Session) loadRow(p nestor.Path, lock bool) (*nestor.Document, error) {
	var began time.Time
	if lock && !s.spent.began.IsZero() {
		began = time.Now()
	}
	d, err := s.rows.Load(p, lock)
	if !began.IsZero() {
		s.spent.waited += time.Since(began)
	}
	if err != nil || d == nil {
		return nil, err
	}
	return d, s.spend(0, len(d.Data))
}

func (s *Session) loadVersion(p nestor.Path, version int64) (*nestor.Document, error) {
	d, err := s.load(p, true)
	if err != nil || version == AnyVersion {
		return d, err
	}
	if d == nil {
		return nil, nestor.Errorf(nestor.CodeConflict, "document %s does not exist, version %d was expected", p, version)
	}
	if d.Version != version {
		return nil, nestor.Errorf(nestor.CodeConflict, "document %s is at version %d, not %d", p, d.Version, version).
			With("version", d.Version)
	}
	return d, nil
}

// times are those of a new document with the body m.
func (s *Session) times(m map[string]any) (created, updated int64) {
	created, updated = s.now, s.now
	if s.rules.Restores {
		if v, ok := m["createdAt"].(int64); ok {
			created = v
		}
		if v, ok := m["updatedAt"].(int64); ok {
			updated = v
		}
	}
	return created, updated
}

// write queues the new content m of the document at p.
func (s *Session) write(p nestor.Path, before *nestor.Document, m map[string]any, typed bool) (*nestor.Document, error) {
	if _, err := nestor.ParsePath(string(p)); err != nil {
		return nil, err
	}
	c := s.rules.Catalogue.Of(p)
	created, updated := s.times(m)
	if before == nil {
		c.complete(m)
	}
	if err := s.beforeWrite(p, before, m); err != nil {
		return nil, err
	}
	run, err := s.runOf(c, p, before, m)
	if err != nil {
		return nil, err
	}
	row, err := c.body(p, m, typed, s.rules.MaxBody+c.Overhead)
	if err != nil {
		return nil, err
	}
	if err := s.spend(1, len(row)); err != nil {
		return nil, err
	}
	d := &nestor.Document{Path: p, Version: 1, CreatedAt: created, UpdatedAt: updated, Data: slices.Clip(c.Data(p, row))}
	change := nestor.Change{Type: nestor.Create, Path: p, At: s.now, After: d}
	if before != nil {
		change.Type, change.Before = nestor.Update, before
		d.CreatedAt, d.Version = before.CreatedAt, before.Version+1
	}
	if c.Check != nil && !s.rules.Restores {
		if err := c.Check(s, before, d); err != nil {
			return nil, err
		}
	}
	k, looked := s.known[p]
	if before == nil && k.version > 0 {
		d.Version = k.version + 1 // deleted earlier in this transaction
	}
	e := NewEvent(change)
	e.after, e.row, e.absent, e.run = m, row, before == nil && looked && !k.written, run
	s.pending = append(s.pending, e)
	s.known[p] = known{doc: d, written: true}
	return d, nil
}

// beforeWrite asks those who want to know before documents are written.
func (s *Session) beforeWrite(p nestor.Path, before *nestor.Document, m map[string]any) error {
	if s.rules.Restores {
		return nil
	}
	for _, c := range s.rules.Catalogue.beforeWrite {
		if err := c.BeforeWrite(s, p, before, m); err != nil {
			return err
		}
	}
	return nil
}

// body checks m as the content of the document at p and encodes it for its row. On return
// m holds what clients would see, less the reserved fields.
func (c *Collection) body(p nestor.Path, m map[string]any, typed bool, limit int) ([]byte, error) {
	for _, f := range nestor.Reserved {
		delete(m, f)
	}
	keys := c.KeyValues(p)
	for i, k := range c.Keys {
		if v, ok := m[k.Field]; ok && v != keys[i] {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s: field %s is %v but the path says %q", p, k.Field, v, keys[i])
		}
		delete(m, k.Field)
	}
	validate := c.validate
	if typed {
		validate = c.validateTyped
	}
	if err := validate(p, m); err != nil {
		return nil, err
	}
	row, err := Encode(m)
	if err != nil {
		return nil, err
	}
	if len(row) > limit {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "the body of %s has %d bytes: at most %d are allowed", p, len(row), limit)
	}
	for i, k := range c.Keys {
		m[k.Field] = keys[i]
	}
	return row, nil
}
