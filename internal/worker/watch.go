package worker

import (
	"context"
	"time"
)

// watch takes over from nodes that are gone until ctx ends: at once what the last process
// left, then as soon as the store says, and now and then in any case. Where no other
// nodes can be there is nobody to look for.
func (w *Worker) watch(ctx context.Context, others bool) {
	look := w.opts.Look
	if !others {
		look = w.opts.Poll
	}
	var regular, due time.Time
	for ctx.Err() == nil {
		now := time.Now()
		if !now.Before(regular) || !due.IsZero() && !now.Before(due) {
			regular = now.Add(w.opts.Poll)
			w.takeOver(ctx)
		}
		// A question that fails is asked again soon, and the take-over tells of it.
		due, _ = w.store.Missed(ctx)
		wait := min(look, time.Until(regular))
		if !due.IsZero() {
			wait = min(wait, time.Until(due))
		}
		timer := time.NewTimer(max(wait, 5*time.Millisecond))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// takeOver makes the jobs of nodes that are gone ready, and has them claimed.
func (w *Worker) takeOver(ctx context.Context) {
	n, err := w.store.TakeOver(ctx)
	if err != nil {
		w.warn(ctx, "taking over jobs", err)
	} else if n > 0 {
		w.log.Info("took over jobs of a node that is gone", "jobs", n)
		w.poke()
	}
}
