package feed

import (
	"context"
	"iter"
	"time"

	"github.com/nestorhq/nestor"
)

// Event is a change or a delta. One that is neither says only where the
// subscriber stands: when it has caught up, and now and then while nothing
// happens, so that the log is not swept past it.
type Event struct {
	Change *nestor.Change
	Delta  *Delta
	// Position is where a subscriber stands that has seen the event.
	Position Position
}

// Changes yields the changes after a position whose path matches one of the
// globs, first from the log, then live, until ctx ends, the caller stops or an
// error is yielded. [nestor.CodeTooOld] means: read everything anew.
func (f *Feed) Changes(ctx context.Context, after int64, globs ...nestor.Glob) iter.Seq2[*nestor.Change, error] {
	return func(yield func(*nestor.Change, error) bool) {
		for e, err := range f.follow(ctx, subscriber{at: Position{Seq: after}}, globs) {
			if (e.Change != nil || err != nil) && !yield(e.Change, err) {
				return
			}
		}
	}
}

// Events yields what Changes does and, among it, the deltas of the drafts in
// this process whose path matches one of the globs.
//
// The deltas of a draft come in order and without a gap; those that wait for a
// slow subscriber are merged. Who joins while a draft is open is told first
// what was said so far. Who resumes gets exactly the deltas after its position,
// of drafts that are still open or were dropped; of one that ended the change
// tells. When the position is from another process, open drafts begin with a
// restart, and everything else that was a draft there is void.
//
// A reader drops a draft at "drop" and when its document comes, which may be
// before "done" or after it, and ignores deltas of a document that it has: one
// who was catching up may be told of such.
func (f *Feed) Events(ctx context.Context, from Position, globs ...nestor.Glob) iter.Seq2[Event, error] {
	return f.follow(ctx, subscriber{at: from, drafts: true}, globs)
}

func (f *Feed) follow(ctx context.Context, as subscriber, globs []nestor.Glob) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		select {
		case <-f.started:
		case <-ctx.Done():
			return
		}
		s := as
		s.ready = make(chan struct{}, 1)
		if !f.catchUp(ctx, &s, globs, yield) {
			return
		}
		defer f.detach(&s, globs)
		beat := time.NewTimer(f.opts.Beat)
		defer beat.Stop()
		for quiet := true; ; {
			events, err := f.take(&s)
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if quiet && !yield(Event{Position: s.at}, nil) {
				return
			}
			beat.Reset(f.opts.Beat)
			select {
			case <-ctx.Done():
				return
			case <-s.ready:
				quiet = false
			case <-beat.C:
				quiet = true
			}
		}
	}
}

// catchUp yields what the log holds after the position of s until s is live. It
// reports whether that came about.
func (f *Feed) catchUp(ctx context.Context, s *subscriber, globs []nestor.Glob, yield func(Event, error) bool) bool {
	for checked := false; ; checked = true {
		attached, err := f.attach(s, globs, checked)
		if attached {
			return true
		}
		var changes []nestor.Change
		if err == nil {
			changes, err = f.log.Changes(ctx, s.at.Seq, page)
		}
		if err != nil {
			if ctx.Err() == nil {
				yield(Event{}, err)
			}
			return false
		}
		for i := range changes {
			s.at.Seq = changes[i].Seq
			if matches(globs, string(changes[i].Path)) && !yield(Event{Change: &changes[i], Position: s.at}, nil) {
				return false
			}
		}
	}
}

func matches(globs []nestor.Glob, path string) bool {
	for _, g := range globs {
		if g.Match(path) {
			return true
		}
	}
	return false
}
