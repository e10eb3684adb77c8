package metrics

import (
	"context"
	"time"

	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
)

// RollUp does what a server does every few seconds.
func RollUp(ctx context.Context, s store.Store, now time.Time) error {
	m := &Metrics{store: s, roller: rollup.Roller{Store: s, Keep: rollup.Keep{}.WithDefaults()}}
	return m.rollUp(ctx, now, true)
}

// Committed lets tests observe a store of their own.
var Committed = (*Recorder).committed

// Look does what a server does when many commits wait, and reports false if too few do.
func (r *Recorder) Look() bool {
	select {
	case <-r.many:
		r.look()
		return true
	default:
		return false
	}
}

// Waiting is how many commits nobody has looked at.
func (r *Recorder) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.commits)
}

const ManyCommits = manyCommits
