package store

import (
	"cmp"
	"fmt"
	"time"

	"github.com/nestorhq/nestor"
)

// TxBounds are how much one transaction may do, since all others share the process with it
// and, on SQLite, the only connection that writes. One that meets a bound is ended with an
// error and leaves nothing.
type TxBounds struct {
	// Time is how long a transaction may keep others waiting. What it waits for others
	// itself does not count. The error is of [nestor.CodeTimeout]. Defaults to 10 seconds.
	Time time.Duration
	// Documents is how many documents it asks for and writes, each time counted. The error
	// is of [nestor.CodeTooLarge]. Defaults to a million.
	Documents int
	// Bytes is how large the documents are together that it reads and writes. The error is
	// of [nestor.CodeTooLarge]. Defaults to 256 MiB.
	Bytes int
}

// Unbounded are the bounds of a command that a person runs, which may take as long as it
// takes.
var Unbounded = TxBounds{Time: 1 << 62, Documents: 1 << 62, Bytes: 1 << 62}

// WithDefaults fills what is not set.
func (b TxBounds) WithDefaults() TxBounds {
	return TxBounds{cmp.Or(b.Time, 10*time.Second), cmp.Or(b.Documents, 1_000_000), cmp.Or(b.Bytes, 256<<20)}
}

// spent is what a transaction has done.
type spent struct {
	documents, bytes int
	began            time.Time // zero: an engine looks at the time
	waited           time.Duration
}

// Timed has the session look at the time itself, from now on. An engine that does not call
// it calls [Session.Stop].
func (s *Session) Timed() { s.spent.began = time.Now() }

// Stop ends the transaction from outside of its function: whatever that does next fails
// with the error, which is returned.
func (s *Session) Stop() error {
	return s.end(nestor.CodeTimeout, "kept others waiting for more than %v", s.rules.Bounds.Time)
}

// Ended is why the transaction was ended, nil if it was not.
func (s *Session) Ended() error {
	if err := s.ended.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Session) end(code nestor.Code, format string, args ...any) error {
	whose := "a transaction"
	if j := s.job; j != nil {
		whose = fmt.Sprintf("the transaction of job %s of %s (trigger %s, key %s)", j.ID, j.Change.Path, j.Trigger, j.Key)
	}
	err := error(nestor.Errorf(code, "%s %s and was ended: nothing of it was written", whose, fmt.Sprintf(format, args...)))
	if !s.ended.CompareAndSwap(nil, &err) {
		return s.Ended()
	}
	return err
}

// looks is how many documents a session counts between two looks at the clock. So one that
// asks for few never looks.
const looks = 32

// spend counts documents that are asked for or written, and their bytes.
func (s *Session) spend(documents, bytes int) error {
	if err := s.Ended(); err != nil {
		return err
	}
	before := s.spent.documents
	s.spent.documents += documents
	s.spent.bytes += bytes
	switch b := &s.rules.Bounds; {
	case s.spent.documents > b.Documents:
		return s.end(nestor.CodeTooLarge, "asked for and wrote more than %d documents", b.Documents)
	case s.spent.bytes > b.Bytes:
		return s.end(nestor.CodeTooLarge, "read and wrote more than %d bytes", b.Bytes)
	case before/looks != s.spent.documents/looks && !s.spent.began.IsZero() && time.Since(s.spent.began)-s.spent.waited > b.Time:
		return s.Stop()
	}
	return nil
}

// spendOn counts documents that were read.
func (s *Session) spendOn(docs []*nestor.Document) error {
	bytes := 0
	for _, d := range docs {
		bytes += len(d.Data)
	}
	return s.spend(1+len(docs), bytes)
}
