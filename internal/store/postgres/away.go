package postgres

import (
	"context"
	"time"
)

// A database that is away, because it restarts or connections are cut, gets
// some seconds to come back before callers are told.
const (
	patience   = 15 * time.Second
	firstPause = 50 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

// away counts how long the database has been away for one caller.
type away struct {
	since time.Time
	pause time.Duration // before the next attempt
}

// patient notes that it is away and reports whether to try again.
func (a *away) patient() bool {
	if a.since.IsZero() {
		a.since = time.Now()
		a.pause = firstPause
		return true
	}
	a.pause = min(2*a.pause, maxPause)
	return time.Since(a.since) < patience
}

// insist does something that can be repeated, again as long as connections
// break. The error has its code.
func insist(ctx context.Context, do func() error) error {
	for away := (away{}); ; {
		err := do()
		if !disconnected(err) || !away.patient() {
			return classify(err)
		}
		select {
		case <-ctx.Done():
			return classify(context.Cause(ctx))
		case <-time.After(away.pause):
		}
	}
}
