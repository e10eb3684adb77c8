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
	// More says that another event follows at once.
	More bool

	feed *Feed
	held *held // nil for what is small
}

// Document is the one that the change left; the change must not be a delete. A
// caller that passes a large document on piece by piece asks for it with every
// piece, and keeps neither it nor the change in between, see [Event.Release]: so
// what a slow reader is being sent takes no memory that is not shared. It may
// have to be read from the log again.
func (e *Event) Document(ctx context.Context) (*nestor.Document, error) {
	if e.held == nil {
		return e.Change.After, nil
	}
	c, err := e.feed.load(ctx, e.held)
	if err != nil {
		return nil, err
	}
	return c.After, nil
}

// Release lets go of the change if Document can find it again.
func (e *Event) Release() {
	if e.held != nil {
		e.Change = nil
	}
}

// Follow yields the changes after a position whose path matches one of the globs,
// first from the log, then live, until ctx ends, the caller stops or an error is
// yielded. [nestor.CodeTooOld] means: read everything anew. While nothing happens
// it yields the position every beat, which defaults to that of the options.
func (f *Feed) Follow(ctx context.Context, after int64, beat time.Duration, globs ...nestor.Glob) iter.Seq2[Event, error] {
	if beat == 0 {
		beat = f.opts.Beat
	}
	return f.follow(ctx, subscriber{at: Position{Seq: after}, beat: beat, globs: globs})
}

// Events yields what Follow does and, among it, the deltas of the drafts in
// this process whose path matches one of the globs.
//
// The deltas of a draft come in order and without a gap; those that wait for a
// slow subscriber are merged. A subscriber that joins while a draft is open is
// told first what was said so far. One that resumes, or falls behind, gets
// exactly the deltas after its position, of drafts that are still open or were
// dropped; a draft that ended is told by its change. When the epoch of its
// position, its second part, changes, open drafts begin with a restart, and
// everything else that was a draft before is void: it is that of another process,
// or of before a great many drafts were dropped.
//
// A reader drops a draft at "drop" and when its document comes, which may be
// before "done" or after it, and ignores deltas of a document that it has: it may
// get such while it catches up.
func (f *Feed) Events(ctx context.Context, from Position, globs ...nestor.Glob) iter.Seq2[Event, error] {
	return f.follow(ctx, subscriber{at: from, drafts: true, beat: f.opts.Beat, globs: globs})
}

func (f *Feed) follow(ctx context.Context, as subscriber) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		select {
		case <-f.started:
		case <-ctx.Done():
			return
		}
		s := as
		s.ready = make(chan struct{}, 1)
		defer f.detach(&s)
		for f.catchUp(ctx, &s, yield) && f.live(ctx, &s, yield) {
			f.detach(&s)
		}
	}
}

// live yields what happens. It reports true when s has fallen behind, and false
// when it is to end.
func (f *Feed) live(ctx context.Context, s *subscriber, yield func(Event, error) bool) bool {
	beat := time.NewTimer(s.beat)
	defer beat.Stop()
	for quiet := true; ctx.Err() == nil; {
		events, behind := f.take(s)
		if !passOn(events, yield) {
			return false
		}
		if behind {
			return true
		}
		if len(events) > 0 {
			continue
		}
		if quiet && !yield(Event{Position: s.at}, nil) {
			return false
		}
		beat.Reset(s.beat)
		select {
		case <-ctx.Done():
		case <-s.ready:
			quiet = false
		case <-beat.C:
			quiet = true
		}
	}
	return false
}

// passOn yields events and keeps none that is being yielded.
func passOn(events []Event, yield func(Event, error) bool) bool {
	for i := range events {
		e := events[i]
		events[i] = Event{}
		if !yield(e, nil) {
			return false
		}
	}
	return true
}
