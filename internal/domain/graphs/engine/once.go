package engine

import (
	"context"

	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// claim is what a job finds that wants to run a node of once.
type claim string

const (
	claimed   claim = "claimed"    // it is the first, and runs the node
	ranBefore claim = "ran before" // a run of this job was interrupted
	unwanted  claim = "unwanted"   // the resolution has ended, or is paused
)

// claim notes in the resolution that its node is run. Whoever finds the note later knows
// that a run was interrupted, however its process ended: the attempts of a job do not
// count those that a process gave back when it stopped.
func (e *Engine) claim(ctx context.Context, t *turn) (found claim, err error) {
	err = e.Store.Update(ctx, func(tx store.Tx) error {
		r, err := store.Find[record.Resolution](tx, t.path)
		switch {
		case err != nil:
			return err
		case r == nil || r.Status != record.ResolutionRunning || r.Paused && !r.Begun:
			found = unwanted
			return nil
		case r.Begun:
			found = ranBefore
			return nil
		}
		found, r.Begun = claimed, true
		t.read, err = tx.Put(t.path, r, store.AnyVersion)
		return err
	})
	t.resolution.Begun = found == claimed
	return found, err
}
