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
	// written is the progress of these executions as this process wrote it last.
	written map[nestor.Path]*nestor.Document
	// given are resolutions whose job began with the commit that wrote them.
	given map[nestor.Path]*nestor.Document
}

// maxPlans is how many are remembered. With more all are forgotten, and read again.
const maxPlans = 256

// of returns nil if the plan of an execution is not remembered.
func (p *plans) of(path nestor.Path) *plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept[path]
}

// plan returns nil if there is no such execution.
func (e *Engine) plan(r store.Reader, path nestor.Path) (*plan, error) {
	if known := e.plans.of(path); known != nil {
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
		e.plans.kept, e.plans.written = map[nestor.Path]*plan{}, map[nestor.Path]*nestor.Document{}
	}
	e.plans.kept[path] = p
	return p, nil
}

// forget is called when an execution has ended.
func (p *plans) forget(path nestor.Path) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, path)
	delete(p.written, path)
}

// wrote is called when a progress was written. That of an execution without a plan is
// not kept.
func (p *plans) wrote(d *nestor.Document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path := d.Path.Parent(); p.kept[path] != nil {
		p.written[path] = d
	}
}

// give is called when a resolution was written whose job this process runs.
func (p *plans) give(d *nestor.Document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given == nil {
		p.given = map[nestor.Path]*nestor.Document{}
	}
	p.given[d.Path] = d
}

// take returns the resolution that the first attempt of a job begins with, nil if it has
// to be read. Who took it has it alone.
func (p *plans) take(path nestor.Path) *nestor.Document {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.given[path]
	delete(p.given, path)
	return d
}

// progress is nil if it is not known.
func (p *plans) progress(path nestor.Path) *nestor.Document {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written[path]
}

// findToWrite reads a document that the transaction is about to write, nil if there is
// none. It waits for others that write it, which is shorter than to find out at the
// end that they did.
func findToWrite[T any](tx store.Tx, path nestor.Path) (*T, error) {
	t, ok := tx.(interface {
		GetToWrite(p nestor.Path) (*nestor.Document, error)
	})
	if !ok {
		return store.Find[T](tx, path)
	}
	d, err := t.GetToWrite(path)
	if err != nil || d == nil {
		return nil, err
	}
	v, err := nestor.As[T](d)
	return &v, err
}
