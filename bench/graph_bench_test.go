package bench

import (
	"context"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/nodes"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

const (
	chains = 32 // executions at once
	links  = 50 // resolutions of each
)

// BenchmarkResolutions measures how many nodes are resolved in a second, in 32
// executions at once, against bare jobs: as many chains of documents, each of which
// causes a job that creates the next. of-bare is the ratio, and cpu-of-bare that of the
// processor time of this process, which says more on a machine that others use, too.
//
//   - jobs: every turn is a job, as that of a model or a request is.
//   - mixed: of four turns one is a job, the others are quick, as in a graph that asks
//     models and decides on what they say.
//   - quick: all turns are quick.
func BenchmarkResolutions(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		open := map[string]func(testing.TB) engines.Database{"sqlite": engines.SQLite, "postgres": engines.Postgres}[name]
		for _, round := range []struct {
			name  string
			nodes []string
		}{{"jobs", []string{passing.ID}}, {"mixed", []string{passing.ID, "debug-log", "debug-log", "debug-log"}}, {"quick", []string{"debug-log"}}} {
			b.Run(name+"/"+round.name, func(b *testing.B) {
				w := newGraphBench(b, open(b))
				var ours, bare spent
				for n := 0; b.Loop(); n++ {
					ours.add(b, func() { w.executions(b, n, round.nodes) })
					bare.add(b, func() { w.chain(b, n) })
				}
				done := float64(b.N * chains * links)
				b.ReportMetric(done/ours.wall.Seconds(), "resolutions/s")
				b.ReportMetric(done/bare.wall.Seconds(), "bare-jobs/s")
				b.ReportMetric(bare.wall.Seconds()/ours.wall.Seconds(), "of-bare")
				b.ReportMetric(bare.processor.Seconds()/ours.processor.Seconds(), "cpu-of-bare")
			})
		}
	}
}

// spent is time that something took.
type spent struct{ wall, processor time.Duration }

func (s *spent) add(b *testing.B, do func()) {
	began, used := time.Now(), processorTime(b)
	do()
	s.wall += time.Since(began)
	s.processor += processorTime(b) - used
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// passing passes a value on, in a job.
var passing = engine.NodeType{
	Type: graph.Type{
		ID: "passing", Inputs: []graph.Port{{ID: "run", Type: graph.Signal}, {ID: "value", Type: graph.JSON}},
		Outputs: []graph.Port{{ID: "done", Type: graph.Signal}, {ID: "value", Type: graph.JSON}},
	},
	Run: func(_ context.Context, c *engine.Call) (engine.Outputs, error) {
		return engine.Outputs{"done": true, "value": c.Inputs["value"]}, nil
	},
}

// graphBench is a store with a worker that resolves nodes and follows chains.
type graphBench struct {
	store  store.Store
	engine *engine.Engine
	ended  chan struct{} // one for each execution and each chain that has ended
}

// bareLink is the handler of chains.
const bareLink = "bare-link"

func newGraphBench(b *testing.B, open engines.Database) *graphBench {
	w := &graphBench{ended: make(chan struct{}, chains)}
	m := module.Of[*graphBench]{
		Name: "graphs", Collections: record.Collections,
		Reactions: append([]nestor.Trigger{{
			ID: bareLink, Collection: "chains/*/links", Events: []nestor.ChangeType{nestor.Create}, Action: "POST /webhook/" + bareLink,
		}}, engine.Reactions[:1]...),
		Handlers: []module.Handler[*graphBench]{
			{
				Stage: trigger.Stage{Name: engine.Stage, Key: "node:{path}"},
				Run: func(w *graphBench, ctx context.Context, j *nestor.Job) (worker.Effect, error) {
					return w.engine.Resolve(ctx, j)
				},
			},
			{Stage: trigger.Stage{Name: bareLink, Key: "link:{path}"}, Run: (*graphBench).link},
		},
	}
	list := module.List{m}
	kinds, err := list.Catalogue()
	if err != nil {
		b.Fatal(err)
	}
	set, err := trigger.New(nil, trigger.Options{BuiltIn: list.Triggers()})
	if err != nil {
		b.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	w.store = open(b, store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: list.Schemas()})
	if w.engine, err = engine.New(engine.Options{Store: w.store, Logger: quiet}, append(nodes.All(nodes.Options{}), passing)...); err != nil {
		b.Fatal(err)
	}
	w.store.Observe(store.MemoryTurn, w.engine.Committed)
	w.store.Observe(store.MemoryTurn, w.committed)
	work := worker.New(w.store, worker.Options{Handlers: module.Handlers(w, m.Handlers), Plan: module.Plan(set), Logger: quiet})
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- work.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			b.Error(err)
		}
		if err := w.store.Close(); err != nil {
			b.Error(err)
		}
	})
	<-work.Joined()
	return w
}

// committed notes the end of executions and chains.
func (w *graphBench) committed(c store.Commit) {
	for i := range c.Changes {
		change := &c.Changes[i]
		if record.Executions.Has(change.Path) && change.Type == nestor.Update || change.Path.ID() == fmt.Sprint(links) {
			w.ended <- struct{}{}
		}
	}
}

// executions runs executions whose nodes go round until the bound.
func (w *graphBench) executions(b *testing.B, n int, round []string) {
	drawn := &record.AgentGraph{Name: "round", Graph: graph.Graph{
		MaxResolutions: links,
		Nodes:          []graph.Node{{ID: "s", NodeID: "on-start"}},
		Edges: []graph.Edge{
			{SourceNodeID: "s", SourcePortID: "signal", TargetNodeID: "0", TargetPortID: "run"},
			{SourceNodeID: "s", SourcePortID: "input", TargetNodeID: "0", TargetPortID: "value"},
		},
	}}
	for i, kind := range round {
		from, to := fmt.Sprint(i), fmt.Sprint((i+1)%len(round))
		drawn.Nodes = append(drawn.Nodes, graph.Node{ID: from, NodeID: kind})
		drawn.Edges = append(drawn.Edges, graph.Edge{SourceNodeID: from, SourcePortID: "done", TargetNodeID: to, TargetPortID: "run"},
			graph.Edge{SourceNodeID: from, SourcePortID: "value", TargetNodeID: to, TargetPortID: "value"})
	}
	w.all(b, func(tx store.Tx, i int) error {
		return w.engine.Start(tx, nestor.Path(fmt.Sprintf("users/u%d/agent-graph-executions/x%d", i, n)), drawn, []byte(`{"content":"How many people live in Portugal?"}`))
	})
}

// chain has jobs create documents, one after the other.
func (w *graphBench) chain(b *testing.B, n int) {
	w.all(b, func(tx store.Tx, i int) error {
		_, err := tx.Create(nestor.Path(fmt.Sprintf("chains/c%d-%d/links/1", n, i)), map[string]any{"content": "How many people live in Portugal?", "number": 1})
		return err
	})
}

func (w *graphBench) link(_ context.Context, j *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		var now struct {
			Content string `json:"content"`
			Number  int    `json:"number"`
		}
		d, err := tx.Get(j.Change.Path)
		if err != nil {
			return err
		}
		if err := d.Decode(&now); err != nil || now.Number == links {
			return err
		}
		now.Number++
		_, err = tx.Create(j.Change.Path.Parent().Child("links", fmt.Sprint(now.Number)), now)
		return err
	}, nil
}

// all begins all chains and waits for their ends.
func (w *graphBench) all(b *testing.B, begin func(store.Tx, int) error) {
	for i := range chains {
		if err := w.store.Update(b.Context(), func(tx store.Tx) error { return begin(tx, i) }); err != nil {
			b.Fatal(err)
		}
	}
	for range chains {
		<-w.ended
	}
}
