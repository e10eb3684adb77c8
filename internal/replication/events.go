package replication

import (
	"context"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// outcome is what one or several changes did to a document.
type outcome struct {
	*nestor.Change // the last of them; nil when there was a later one
	// earlier are the states before each change. A client may have pulled any of
	// them.
	earlier []*nestor.Document
}

// collapse makes one outcome for each document, in the place of its last change.
func collapse(changes []*nestor.Change) []outcome {
	outcomes := make([]outcome, 0, len(changes))
	at := make(map[nestor.Path]int, len(changes))
	for _, c := range changes {
		o := outcome{Change: c}
		if i, ok := at[c.Path]; ok {
			o.earlier = outcomes[i].earlier
			outcomes[i].Change = nil
		}
		if c.Before != nil {
			o.earlier = append(o.earlier, c.Before)
		}
		at[c.Path] = len(outcomes)
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// events has one event for each scope in which something happened that the
// caller may know of.
func (f *follower) events(changes []*nestor.Change) (b []byte) {
	outcomes := collapse(changes)
	for _, s := range f.scopes {
		begin := len(b)
		b = append(b, s.opening()...)
		var last int64
		for _, o := range outcomes {
			if o.Change == nil || !s.Documents().Match(string(o.Path)) {
				continue
			}
			separator := byte(',')
			if last == 0 {
				separator = '['
			}
			if told := f.appendOutcome(append(b, separator), o); len(told) > len(b)+1 {
				b, last = told, o.Seq
			}
		}
		if last == 0 {
			b = b[:begin]
			continue
		}
		b = appendClosing(b, last)
	}
	return b
}

// opening is what an event about a scope begins with. Names are made of ids:
// there is nothing to escape.
func (s scope) opening() string { return `data: {"scope":"` + s.name + `","documents":` }

func appendClosing(b []byte, seq int64) []byte {
	b = append(b, `],"checkpoint":`...)
	return append(appendCheckpoint(b, store.At(seq)), "}\n\n"...)
}

// tellLarge tells of a change whose document is sent in pieces, so that it is
// not kept for a client that does not read.
func (f *follower) tellLarge(ctx context.Context, e *feed.Event) {
	path, seq := e.Change.Path, e.Change.Seq
	text, end := "", "" // text instead of the document, or the end of the document
	if e.Change.After == nil || !f.caller.MayRead(path, e.Change.After) {
		text = string(f.appendOutcome(nil, collapse([]*nestor.Change{e.Change})[0]))
		if text == "" {
			return
		}
	} else {
		end = ending(f.kinds.Of(path), e.Change.After)
	}
	e.Release()
	for _, s := range f.scopes {
		if !s.Documents().Match(string(path)) {
			continue
		}
		f.out.Put(s.opening() + "[" + text)
		if text == "" {
			f.out.Document(func() (*nestor.Document, error) { return e.Document(ctx) }, end)
		}
		f.out.Put(string(appendClosing(nil, seq)))
	}
}

// appendOutcome writes the document as it is now if the caller may see it, or
// that it is gone if they could see an earlier state. Else it writes nothing.
func (f *follower) appendOutcome(b []byte, o outcome) []byte {
	readable := func(d *nestor.Document) bool { return f.caller.MayRead(o.Path, d) }
	switch {
	case o.After != nil && readable(o.After):
		return appendDocument(b, f.kinds.Of(o.Path), o.After)
	case slices.ContainsFunc(o.earlier, readable):
		return f.appendTombstone(b, o.Path, o.Version, o.Seq, o.At)
	}
	return b
}
