package rules

import (
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Judge decides for one caller. It believes what it looks up for that, chats
// and roles, for a second: so a change of them soon takes effect on open
// streams.
type Judge struct {
	engine *Engine
	reader store.Reader
	caller access.Caller

	segments []string // of the latest path, to be used again
	chats    map[nestor.Path]remembered[chat]
	roles    map[string]remembered[string] // by account
	since    remembered[int64]             // when the caller's user was made, as a position in the log
	err      error                         // why a look-up failed
}

// May reports why the caller may not do something with the document at p: with
// [nestor.CodeNotFound] if they may not even read it, and
// [nestor.CodeForbidden] otherwise. Before is the document as it is and after
// as it will be, nil where there is none. If a look-up failed, nothing was
// decided, and the error is that of the look-up.
//
// Deleting a document deletes what lies below it. The rules for the document
// alone decide about that, but no credential reaches further by it: see
// [Engine.MayDelete].
func (j *Judge) May(op Op, p nestor.Path, before, after *nestor.Document) error {
	e := store.NewEvent(nestor.Change{Before: before, After: after})
	return j.decide(op, p, before, e.BeforeBody, e.AfterBody)
}

// MayAt is [Judge.May] for reading or acting on the document at p as it is, if
// there is one.
func (j *Judge) MayAt(op Op, p nestor.Path) error {
	d, err := store.FindDocument(j.reader, p)
	if err != nil {
		return err
	}
	return j.May(op, p, d, nil)
}

func (j *Judge) decide(op Op, p nestor.Path, doc *nestor.Document, before, after func() map[string]any) error {
	f := &frame{judge: j, op: op, path: p, doc: doc, before: before, after: after}
	if j.allows(f) {
		return nil
	}
	refused := noDocument(p)
	if op != Read && j.err == nil {
		// What is about to be created may be read if the caller could read it once it
		// is there.
		seen := &frame{judge: j, op: Read, path: p, doc: doc, before: before, after: nothing}
		if doc == nil {
			seen.before = after
		}
		if j.allows(seen) {
			refused = nestor.Errorf(nestor.CodeForbidden, "you may not %s %s", op, p)
		}
	}
	if err := j.failure(); err != nil {
		return err
	}
	return refused
}

// failure is why a look-up failed since failure was last called.
func (j *Judge) failure() error {
	err := j.err
	j.err = nil
	return err
}

func nothing() map[string]any { return nil }

// allows looks for a rule that allows f.
func (j *Judge) allows(f *frame) bool {
	if !j.caller.Reaches(f.path, f.op.need(), j.engine.opts.Now()) {
		return false
	}
	switch of := j.engine.opts.Catalogue.Of(f.path); f.op {
	case Create, Update:
		if of.ServerWrites {
			return false
		}
	case Delete:
		if of.ServerDeletes {
			return false
		}
	}
	j.segments = j.segments[:0]
	for segment := range strings.SplitSeq(string(f.path), "/") {
		j.segments = append(j.segments, segment)
	}
	f.segments = j.segments
	allowed := false
	j.engine.rules[f.op].Match(string(f.path), func(r *rule) {
		allowed = allowed || j.err == nil && r.path.fits(f.segments) && r.when.holds(f)
	})
	return allowed && j.err == nil
}

// Sight is what a caller may know of a change.
type Sight int

// What a caller may know.
const (
	// Hidden: nothing.
	Hidden Sight = iota
	// Gone: that the document is no longer there for them, and none of its
	// content.
	Gone
	// Shown: the document as it is now, or that it was deleted. They may not have
	// been allowed to see what it was before.
	Shown
)

// Sees decides about a change of the feed. What lay below a chat that is gone
// is hidden from all but the chat's own user: a reader who saw the chat drops
// what is below.
//
// The log reaches back to users and chats that are gone. Whoever has the id of one of them
// later sees nothing of it.
func (j *Judge) Sees(c *nestor.Change) (Sight, error) {
	if j.isOfAnEarlier(c) {
		return Hidden, j.failure()
	}
	if c.After != nil {
		err := j.May(Read, c.Path, c.After, nil)
		if err == nil {
			return Shown, nil
		}
		if !isNotFound(err) {
			return Hidden, err
		}
	}
	if c.Before == nil {
		return Hidden, nil
	}
	err := j.May(Read, c.Path, c.Before, nil)
	switch {
	case err == nil && c.After == nil:
		return Shown, nil
	case err == nil:
		return Gone, nil
	case isNotFound(err):
		return Hidden, nil
	}
	return Hidden, err
}

func noDocument(p nestor.Path) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no document %s", p)
}
