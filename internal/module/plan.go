package module

import (
	"time"

	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// hostWait is how long a delivery may wait for others to the same host. The
// timeout of its trigger is for the request alone.
const hostWait = 10 * time.Minute

// Plan tells the worker what a trigger's jobs do.
func Plan(set *trigger.Set) func(trigger string) (worker.Plan, bool) {
	return func(id string) (worker.Plan, bool) {
		t, ok := set.Get(id)
		p := worker.Plan{Handler: t.Handler, Retry: t.Retry, Timeout: time.Duration(t.Timeout)}
		if p.Handler == "" {
			p.Timeout += hostWait
		}
		return p, ok
	}
}
