package engine

import (
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// plan is what does not change about an execution: its graph, name and input. The
// rest of the document is as it was when it was read.
type plan struct {
	execution *record.AgentGraphExecution
	schedule  *graph.Schedule
}

// plans remembers the plans of executions that run in this process, so that not every
// turn reads and checks the graph again.
type plans struct {
	mu   sync.Mutex
	kept map[nestor.Path]*plan
}

// maxPlans is how many are remembered. With more all are forgotten, and read again.
const maxPlans = 256

// plan returns nil if there is no such execution.
func (e *Engine) plan(r store.Reader, path nestor.Path) (*plan, error) {
	e.plans.mu.Lock()
	known := e.plans.kept[path]
	e.plans.mu.Unlock()
	if known != nil {
		return known, nil
	}
	x, err := store.Find[record.AgentGraphExecution](r, path)
	if err != nil || x == nil {
		return nil, err
	}
	// An older version of the program may have known other node types.
	if report := e.catalogue.Validate(&x.Graph); len(report.Errors) > 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the graph is not valid any more: %s", report.Errors[0].Message)
	}
	p := &plan{x, graph.NewSchedule(e.catalogue, &x.Graph)}
	e.plans.mu.Lock()
	defer e.plans.mu.Unlock()
	if e.plans.kept == nil || len(e.plans.kept) >= maxPlans {
		e.plans.kept = map[nestor.Path]*plan{}
	}
	e.plans.kept[path] = p
	return p, nil
}

// forget is called when an execution has ended.
func (p *plans) forget(path nestor.Path) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, path)
}
