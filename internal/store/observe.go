package store

import (
	"cmp"
	"log/slog"

	"github.com/nestorhq/nestor/internal/recovery"
)

// Turn says when an observer is told of a commit: those of an earlier turn before
// those of a later one, whoever registered first.
type Turn int

// The turns.
const (
	// First is for those who count, and for tests.
	First Turn = iota
	// FeedTurn comes before whoever acts on a commit, so that the feed has heard
	// of it when they ask.
	FeedTurn
	// MemoryTurn is for those who remember documents. A job that the worker
	// starts may rely on what they remember.
	MemoryTurn
	// WorkerTurn starts the jobs of the commit.
	WorkerTurn
	turns
)

// Observers implements the part of a [Store] that tells of commits.
type Observers struct {
	// Log is told of observers that panic. Defaults to slog.Default().
	Log *slog.Logger
	at  [turns][]func(Commit)
}

// Observe implements [Store].
func (o *Observers) Observe(turn Turn, fn func(Commit)) { o.at[turn] = append(o.at[turn], fn) }

// Tell tells all of a commit, in turn. One that panics is logged, and the next are told: the
// commit is durable, and its jobs wait to be started.
func (o *Observers) Tell(c Commit) {
	for _, turn := range o.at {
		for _, fn := range turn {
			o.tell(fn, c)
		}
	}
}

func (o *Observers) tell(fn func(Commit), c Commit) {
	defer o.recovered()
	fn(c)
}

func (o *Observers) recovered() {
	if p := recover(); p != nil {
		cmp.Or(o.Log, slog.Default()).Error("an observer of commits panicked", "error", recovery.Of(p))
	}
}

// SoleWriter is a store to whose database hardly anybody else writes. As long as the number
// is the same, what its observers were told of is all that was written. The store finds out
// when it writes, so somebody else's write may go unnoticed until then.
type SoleWriter interface {
	// WrittenElsewhere is how often somebody else was found to have written.
	WrittenElsewhere() int64
}
