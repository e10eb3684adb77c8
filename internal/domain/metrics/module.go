// Package metrics is the domain of measurements: numbers with a name and dimensions that
// the runtime, handlers and clients record, and questions about them. What is stored is in
// package record, how points are rolled up and questions answered in package rollup, and
// how percentiles are kept in package sketch.
//
//   - Points that a client sends are durable when they are acknowledged.
//   - Points of the runtime and of handlers wait in the memory of their node for a second
//     ([Recorder]), so that work never waits for them. A crash loses those of that second;
//     a server that stops writes them first.
//   - Usage and budgets are kept by package budget, exactly, whatever becomes of metrics.
package metrics

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Options configure the domain.
type Options struct {
	// Recorder takes what the runtime and handlers record.
	Recorder *Recorder
	// KeepPoints is how long points that clients sent can be read one by one. Defaults
	// to 2 days.
	KeepPoints time.Duration
	// Keep is how long they count, by resolution.
	Keep Keep
}

// Keep is how long each resolution is kept.
type Keep = rollup.Keep

// Module is the domain of metrics.
func Module(opts Options) module.Of[*Metrics] {
	if opts.KeepPoints == 0 {
		opts.KeepPoints = 2 * 24 * time.Hour
	}
	return module.Of[*Metrics]{
		Name:        "metrics",
		Collections: record.Collections,
		Keep:        map[string]time.Duration{record.Points.Name: opts.KeepPoints},
		Tag:         httpapi.Tag{Name: "Metrics", Description: "Numbers with a name, a time and dimensions: what the runtime and clients recorded, and questions about it."},
		Routes:      routes(),
		Schemas:     schemas(),
		Commands:    commands,
		Committed:   func(m *Metrics, c store.Commit) { m.recorder.committed(c) },
		Run:         (*Metrics).run,
		Drained:     (*Metrics).drained,
		Metrics:     func(m *Metrics) []prometheus.Collector { return []prometheus.Collector{m.dropped()} },
		Open: func(_ context.Context, host module.Host) (*Metrics, error) {
			return &Metrics{
				store: host.Store, recorder: opts.Recorder, log: host.Logger,
				roller: rollup.Roller{Store: host.Store, Keep: opts.Keep.WithDefaults()},
			}, nil
		},
	}
}

// Metrics is what the routes of the module work with.
type Metrics struct {
	store    store.Store
	recorder *Recorder
	roller   rollup.Roller
	log      *slog.Logger
}

// How often it is looked what is to be rolled up, and who has hours and days to be
// rolled up or deleted.
const (
	rollPause = 10 * time.Second
	allPause  = 10 * time.Minute
)

// run writes what was recorded, and rolls it up, until ctx ends.
func (m *Metrics) run(ctx context.Context) error {
	flush := time.NewTicker(flushPause)
	defer flush.Stop()
	// Nodes that start together do not roll up together.
	roll := time.NewTicker(rollPause + rand.N(rollPause/10))
	defer roll.Stop()
	var all time.Time // when all owners were looked at
	failing := false
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-flush.C:
			err = m.flush(ctx)
		case <-m.recorder.many:
			m.recorder.look()
			continue
		case now := <-roll.C:
			whole := now.Sub(all) >= allPause
			if err = m.rollUp(ctx, now, whole); whole && err == nil {
				all = now
			}
		}
		// A database that is away is told of once.
		if err != nil && ctx.Err() == nil && !failing {
			m.log.Warn("metrics could not be written", "error", err)
		}
		failing = err != nil
	}
}

// drained writes what the last jobs recorded. That it could not be written keeps no
// server from stopping well.
func (m *Metrics) drained(ctx context.Context) error {
	if err := m.flush(ctx); err != nil {
		m.log.Warn("the last metrics could not be written", "error", err)
	}
	return nil
}

// flush writes what was recorded until now.
func (m *Metrics) flush(ctx context.Context) error { return m.recorder.Flush(ctx, m.store) }

// rollUp rolls up what there is. With all it looks at owners without new points, too.
func (m *Metrics) rollUp(ctx context.Context, now time.Time, all bool) error {
	owners, err := m.roller.Owners(ctx, now)
	if err == nil && all {
		var others []record.Owner
		others, err = m.roller.AllOwners(ctx)
		owners = append(owners, others...)
	}
	if err != nil {
		return err
	}
	var failed error
	for _, owner := range owners {
		for did := true; did && ctx.Err() == nil; {
			if did, err = m.roller.Pass(ctx, owner, now); err != nil {
				failed = errors.Join(failed, err) // the points of others are rolled up nevertheless
			}
		}
	}
	return failed
}

func (m *Metrics) dropped() prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "nestor_metrics_dropped_total", Help: "Points and commits that were not recorded, since they were wrong or too many at once.",
	}, func() float64 { return float64(m.recorder.dropped.Load()) })
}
