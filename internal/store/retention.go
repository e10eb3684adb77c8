package store

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
)

// Retention says how long things are kept.
type Retention struct {
	// Collections by flat name or by glob over collection paths: documents
	// not updated for so long are deleted. Defaults to keeping all.
	Collections map[string]time.Duration
	// Tombstones is how long deletes stay visible to sync. Defaults to 30 days.
	Tombstones time.Duration
	// Log is how far back the change log reaches. Defaults to 7 days.
	Log time.Duration
	// DeadJobs defaults to 30 days.
	DeadJobs time.Duration
}

// WithDefaults fills what is not set.
func (r Retention) WithDefaults() Retention {
	if r.Tombstones == 0 {
		r.Tombstones = 30 * 24 * time.Hour
	}
	if r.Log == 0 {
		r.Log = 7 * 24 * time.Hour
	}
	if r.DeadJobs == 0 {
		r.DeadJobs = 30 * 24 * time.Hour
	}
	return r
}

// Expiry is a rule of [Retention.Collections] made ready for an engine.
type Expiry struct {
	Collection *Collection
	Glob       nestor.Glob // over collection paths, for collections of the user's own
	Before     int64       // Unix milliseconds
}

// expiries lists what is over at now.
func (r Retention) expiries(in *Catalogue, now time.Time) []Expiry {
	var out []Expiry
	for name, keep := range r.Collections {
		e := Expiry{Collection: UserDocuments, Glob: nestor.Glob(name), Before: nestor.Millis(now.Add(-keep))}
		if c, ok := in.Flat(name); ok {
			e.Collection, e.Glob = c, ""
		}
		out = append(out, e)
	}
	return out
}

// SweepBatch is how many rows one [Store.Sweep] removes at most, so that a
// sweep never holds writers up.
const SweepBatch = 200

// Sweep deletes a batch of what is over, as a person would: with tombstones,
// changes and triggers. Expired finds the candidates.
func (r Retention) Sweep(ctx context.Context, docs Documents, now time.Time,
	expired func(context.Context, Expiry) ([]nestor.Path, error),
) (int, error) {
	swept := 0
	for _, e := range r.expiries(docs.Catalogue(), now) {
		paths, err := expired(ctx, e)
		if err != nil {
			return swept, err
		}
		if len(paths) == 0 {
			continue
		}
		n := 0
		err = docs.Update(ctx, func(tx Tx) (err error) {
			n, err = deleteExpired(tx, paths, e.Before)
			return err
		})
		if err != nil {
			return swept, err
		}
		swept += n
	}
	return swept, nil
}

// deleteExpired deletes those of paths that are still there and were not
// updated since, and counts them.
func deleteExpired(tx Tx, paths []nestor.Path, before int64) (int, error) {
	n := 0
	for _, p := range paths {
		d, err := tx.Get(p)
		if nestor.CodeOf(err) == nestor.CodeNotFound || err == nil && d.UpdatedAt >= before {
			continue
		}
		if err != nil {
			return n, err
		}
		if err := tx.Delete(p, d.Version); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
