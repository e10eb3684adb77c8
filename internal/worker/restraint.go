package worker

import (
	"context"
	"math/rand/v2"
	"time"
)

// restraint keeps the nodes from asking for the same few jobs in the same moment.
// Every node is woken by a job that one had no room for, or whose time has come, and
// one of them gets it. A node that asked in vain lets others go first the next time,
// and longer each time; the more nodes there are, the sooner one of them asks
// nevertheless. One that got a job asks at once.
type restraint struct {
	most  time.Duration
	pause time.Duration
}

const firstRestraint = time.Millisecond

func (r *restraint) got() { r.pause = 0 }

func (r *restraint) inVain() { r.pause = min(max(2*r.pause, firstRestraint), r.most) }

// crowd is a store that knows how many other nodes there are.
type crowd interface{ Others() int }

// most is the longest pause: a quarter of the time between two polls, and from 25 nodes on
// longer, up to all of it. So a hundred nodes ask no more often in all than 25 do,
// and of many that have room one asks soon all the same.
func (w *Worker) most() time.Duration {
	quarter := w.opts.Poll / 4
	if c, ok := w.store.(crowd); ok {
		return min(max(quarter, time.Duration(c.Others())*w.opts.Poll/100), w.opts.Poll)
	}
	return quarter
}

// delay is how long to let others go first.
func (r *restraint) delay() time.Duration {
	if r.pause == 0 {
		return 0
	}
	return rand.N(r.pause)
}

// letOthers waits for that long, unless this process has jobs or room of its own.
func (w *Worker) letOthers(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-w.wake:
	case <-timer.C:
	}
}
