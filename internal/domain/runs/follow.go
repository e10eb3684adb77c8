package runs

import (
	"context"
	"iter"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
)

// Positioned is an event and where a follower stands that has seen it.
type Positioned struct {
	Event
	Position string
}

// Follow yields what happens in a run, in order, from its begin or, if from is the
// position of an event, from after that one; first from the log, then live, until the
// run has ended, ctx ends or the caller stops. What was said before a follower came is
// told by its message if that is written, else by the deltas of what is being said.
//
// An error of [nestor.CodeTooOld] means that the log no longer reaches back so far:
// ask for the [Runs.Result]. A follower that has seen the end gets nothing more. Whether the caller may read the run is for the
// door to ask.
func (r *Runs) Follow(ctx context.Context, at nestor.Path, from string) iter.Seq2[Positioned, error] {
	return func(yield func(Positioned, error) bool) {
		run, err := store.Load[nestor.Run](ctx, r.store, at)
		if err == nil && run == nil {
			err = nestor.Errorf(nestor.CodeNotFound, "there is no run %s", at.ID())
		}
		position := feed.Position{}
		if err == nil && from != "" {
			position, err = feed.ParsePosition(from)
		} else if err == nil {
			position.Seq = beginOf(run)
		}
		if err != nil {
			yield(Positioned{}, err)
			return
		}
		if run.Status.Ended() && position.Seq >= run.Seq {
			return
		}
		t := newTeller(run)
		for e, err := range r.feed.Events(ctx, position, globsOf(run)...) {
			var events []Event
			switch {
			case err != nil:
			case e.Change != nil:
				events, err = t.change(e.Change)
			case e.Delta != nil:
				events = t.delta(e.Delta)
			}
			if err != nil {
				yield(Positioned{}, err)
				return
			}
			for i, one := range events {
				told := Positioned{Event: one}
				if i == len(events)-1 {
					told.Position = e.Position.String()
				}
				if !yield(told, nil) || one.Type == RunEnded {
					return
				}
			}
		}
	}
}

// beginOf is the position in the log before the run.
func beginOf(run *nestor.Run) int64 { return run.CreatedSeq - 1 }

// globsOf are where what happens in a run is written.
func globsOf(run *nestor.Run) []nestor.Glob {
	user := nestor.Path("users/" + run.UserID)
	globs := []nestor.Glob{nestor.Glob(user.Child("runs", run.ID))}
	switch run.Kind {
	case nestor.RunOfMessage, nestor.RunOfTask:
		return append(globs, nestor.Glob(user.Child("orch-chats", run.ChatID)+"/**"))
	case nestor.RunOfGraph: // its agents work in chats of their own
		return append(globs, nestor.Glob(run.Of(run.Root)+"/**"), nestor.Glob(user+"/orch-chats/**"))
	}
	return append(globs, nestor.Glob(run.Of(run.Root)+"/**"))
}
