package engine

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/store"
)

// Interrupts stop nodes whose execution has ended.
var Interrupts = []interrupt.Rule{{Collection: record.Executions, Ends: ended}}

// errEnded is why a node does nothing more.
var errEnded = nestor.Errorf(nestor.CodeCancelled, "the execution has ended")

// Committed is told of every commit of this process.
func (e *Engine) Committed(c store.Commit) {
	for i := range c.Changes {
		change := &c.Changes[i]
		if record.Progresses.Has(change.Path) && change.After != nil {
			e.plans.wrote(change.After)
		}
		if record.Resolutions.Has(change.Path) {
			e.plans.take(change.Path) // it is another now
		}
		if record.Executions.Has(change.Path) && ended(change) {
			e.plans.forget(change.Path)
		}
	}
	for i := range c.Claimed {
		j := &c.Claimed[i]
		at := slices.IndexFunc(c.Changes, func(change nestor.Change) bool { return change.Seq == j.Change.Seq })
		if j.Trigger == turnTrigger && j.Attempt == 1 && at >= 0 {
			e.plans.give(c.Changes[at].After)
		}
	}
}

func ended(c *nestor.Change) bool {
	if c.After == nil {
		return true
	}
	x, err := nestor.As[record.AgentGraphExecution](c.After)
	return err == nil && x.Status.Ended()
}
