package access

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

const sweepBatch = 100

// Sweep removes a batch of sessions and links that have expired and of failed
// logins that no longer count, and reports how many went. Zero means there is nothing left to
// do now.
func (g *Gate) Sweep(ctx context.Context) (n int, err error) {
	now := g.opts.Now()
	sessions := store.Query{
		Collection: secretPath("sessions", "x").Collection(), Limit: sweepBatch,
		Where: store.Where("expiresAt", store.Lt, nestor.Millis(now)),
	}
	failed := store.Query{
		Collection: secretPath("failures", "x").Collection(), Limit: sweepBatch,
		Where: store.Where("lastAt", store.Lt, nestor.Millis(now.Add(-failuresKept))),
	}
	links := store.Query{
		Collection: linkPath("").Collection(), Limit: sweepBatch,
		Where: store.Where("expiresAt", store.Lt, nestor.Millis(now)),
	}
	err = g.opts.Store.Update(ctx, func(tx store.Tx) error {
		n = 0
		expired, err := tx.Query(sessions)
		if err != nil {
			return err
		}
		for _, d := range expired.Items {
			s, err := nestor.As[sessionSecret](d)
			if err != nil {
				return err
			}
			if err := endSession(tx, s.UserID, d.Path.ID()); err != nil {
				return err
			}
			n++
		}
		for _, q := range []store.Query{failed, links} {
			old, err := tx.Query(q)
			if err != nil {
				return err
			}
			for _, d := range old.Items {
				if err := tx.Delete(d.Path, store.AnyVersion); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
	return n, err
}
