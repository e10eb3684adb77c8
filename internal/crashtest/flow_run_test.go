package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// report is what a child that finished the flow prints.
type report struct {
	// Passed counts the failpoints it passed.
	Passed killPoint
	State  []string
}

// runFlow starts the flow or goes on with it, to its end.
func runFlow(ctx context.Context, c *child) error {
	fail := &failpoints{killPoint: c.Kill}
	s, set, err := openWith(ctx, c.Database, flowTriggers(), store.Options{Committed: fail.committed})
	if err != nil {
		return err
	}
	defer s.Close()
	f := &flow{s}
	handlers := f.handlers()
	for name, h := range handlers {
		handlers[name] = fail.guard(h)
	}
	ended := make(chan struct{}, 1)
	w := worker.New(s, worker.Options{
		LeaseTTL: neverExpires, Grace: atOnce, Handlers: handlers, Plan: module.Plan(set),
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			select {
			case ended <- struct{}{}:
			default:
			}
		}},
	})
	if err := f.begin(ctx); err != nil {
		return err
	}
	if err := workUntil(ctx, w, ended, f.finished); err != nil {
		return err
	}
	state, err := endState(ctx, s)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{fail.passed(), state})
}

// openWith opens a database in which changes queue jobs as the triggers say.
func openWith(ctx context.Context, db engines.Place, triggers []nestor.Trigger, opts store.Options) (store.Store, *trigger.Set, error) {
	set, err := trigger.New(triggers, trigger.Options{})
	if err != nil {
		return nil, nil, err
	}
	opts.Planner = set
	s, err := db.Open(ctx, opts)
	return s, set, err
}

// neverExpires is the lease where it must be the death of the process, and
// not the passing of time, that frees its jobs.
const neverExpires = time.Hour

// atOnce is the grace of a node whose death nobody doubts.
const atOnce = time.Nanosecond

// workUntil runs w until finished, which is asked after every attempt.
func workUntil(ctx context.Context, w *worker.Worker, ended <-chan struct{}, finished func(context.Context) (bool, error)) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- w.Run(run) }()
	for {
		if ok, err := finished(ctx); ok || err != nil {
			stop()
			return errors.Join(err, <-stopped)
		}
		select {
		case <-ended:
		case err := <-stopped:
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// begin places the order, unless an earlier process has.
func (f *flow) begin(ctx context.Context) error {
	err := f.store.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Create(orderPath, map[string]any{"status": "new"})
		return err
	})
	if errors.Is(err, nestor.ErrExists) {
		return nil
	}
	return err
}

// finished reports whether the notice is there and no job is left.
func (f *flow) finished(ctx context.Context) (bool, error) {
	var given store.Page
	err := f.store.View(ctx, func(r store.Reader) (err error) {
		given, err = r.Query(store.Query{Collection: notices})
		return err
	})
	if err != nil || len(given.Items) == 0 {
		return false, err
	}
	left, err := f.store.Jobs(ctx, store.JobFilter{Limit: 1})
	return len(left) == 0, err
}
