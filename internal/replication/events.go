package replication

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// outcome is what one or several changes did to a document.
type outcome struct {
	*nestor.Change // the last of them; nil when there was a later one
	// earlier are the states before each. A client may have pulled any of them.
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
		b = append(b, `data: {"scope":"`...)
		b = append(b, s.name...) // made of ids: nothing to escape
		b = append(b, `","documents":`...)
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
		b = append(b, `],"checkpoint":`...)
		b = append(appendCheckpoint(b, store.At(last)), "}\n\n"...)
	}
	return b
}

// appendOutcome is the document as it is now, or that it is gone, for one who
// may see the former or could see an earlier state. Else nothing.
func (f *follower) appendOutcome(b []byte, o outcome) []byte {
	readable := func(d *nestor.Document) bool { return f.caller.MayRead(o.Path, d) }
	switch {
	case o.After != nil && readable(o.After):
		return appendDocument(b, o.After)
	case slices.ContainsFunc(o.earlier, readable):
		return appendTombstone(b, o.Path, o.Version, o.Seq, o.At)
	}
	return b
}
