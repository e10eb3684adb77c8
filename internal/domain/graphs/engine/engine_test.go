package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const execution = nestor.Path("users/alice/agent-graph-executions/x")

var (
	in   = []graph.Port{{ID: "run", Type: graph.Signal}, {ID: "value", Type: graph.JSON}}
	out  = []graph.Port{{ID: "done", Type: graph.Signal}, {ID: "value", Type: graph.JSON}}
	some = func(context.Context, *engine.Call) (engine.Outputs, error) {
		return engine.Outputs{"done": true, "value": "some\x00"}, nil
	}
	begin = engine.NodeType{Type: graph.Type{ID: "begin", Start: true, Outputs: out}, Run: some}
	work  = engine.NodeType{Type: graph.Type{ID: "work", Inputs: in, Outputs: out}, Run: some}
)

// world is a store without a worker: a test runs the jobs.
type world struct {
	testing.TB
	store.Store
	*engine.Engine
	retry bool // nodes are tried up to three times
}

func each(t *testing.T, types []engine.NodeType, fn func(t *testing.T, w *world)) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		kinds, err := store.NewCatalogue(record.Collections...)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{TB: t, retry: true, Store: open(t, store.Options{Rules: store.Rules{Catalogue: kinds}, Modules: []store.Schema{{Module: "graphs", Collections: record.Collections}}})}
		t.Cleanup(func() { _ = w.Close() })
		w.Engine = w.with(types...)
		w.Observe(store.MemoryTurn, w.Committed)
		fn(t, w)
	})
}

func (w *world) with(types ...engine.NodeType) *engine.Engine {
	e, err := engine.New(engine.Options{
		Store: w.Store, Logger: slog.New(slog.DiscardHandler), Pause: func(context.Context, time.Duration) error { return nil },
	}, types...)
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// starts begins an execution of nodes "id type" and edges "a>b", each for signal and
// value.
func (w *world) starts(nodes, edges string) {
	w.Helper()
	g := &record.AgentGraph{Name: "g"}
	for n := range strings.SplitSeq(nodes, ",") {
		id, kind, _ := strings.Cut(n, " ")
		node := graph.Node{ID: id, NodeID: kind}
		if w.retry {
			node.Retry = &graph.Retry{Attempts: 3}
		}
		g.Nodes = append(g.Nodes, node)
	}
	for e := range strings.SplitSeq(edges, ",") {
		a, b, _ := strings.Cut(e, ">")
		g.Edges = append(g.Edges, graph.Edge{SourceNodeID: a, SourcePortID: "value", TargetNodeID: b, TargetPortID: "value"}, graph.Edge{SourceNodeID: a, SourcePortID: "done", TargetNodeID: b, TargetPortID: "run"})
	}
	if err := w.Update(w.Context(), func(tx store.Tx) error { return w.Start(tx, execution, g, nil) }); err != nil {
		w.Fatal(err)
	}
}

func (w *world) deletes() {
	w.Helper()
	if err := w.Update(w.Context(), func(tx store.Tx) error { return tx.Delete(execution, store.AnyVersion) }); err != nil {
		w.Fatal(err)
	}
}

func job(number, attempt int) *nestor.Job {
	return &nestor.Job{ID: fmt.Sprint("job", number), Attempt: attempt, Change: nestor.Change{Path: record.ResolutionAt(execution, number)}}
}

// resolves runs the job of a resolution and returns its effect.
func (w *world) resolves(number, attempt int) worker.Effect {
	w.Helper()
	effect, err := w.Resolve(w.Context(), job(number, attempt))
	if err != nil {
		w.Fatal(err)
	}
	return effect
}

func (w *world) commits(effect worker.Effect) {
	w.Helper()
	if err := w.Update(w.Context(), effect); err != nil {
		w.Error(err)
	}
}

// state is the execution and its resolutions.
func (w *world) state() (x record.AgentGraphExecution, all []record.Resolution) {
	w.Helper()
	err := w.View(w.Context(), func(r store.Reader) error {
		d, err := r.Get(execution)
		if err != nil {
			return err
		}
		if x, err = nestor.As[record.AgentGraphExecution](d); err != nil {
			return err
		}
		page, err := r.Query(store.Query{Collection: string(execution) + "/resolutions", OrderBy: []store.Order{{Field: "id"}}})
		all = nil
		for _, d := range page.Items {
			one, err := nestor.As[record.Resolution](d)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return x, all
}

func TestTwoNodesThatEndAtOnceDoNotMissEachOther(t *testing.T) {
	each(t, []engine.NodeType{begin, work}, func(t *testing.T, w *world) {
		w.starts("s begin,a work,b work,c work,d work,last work", "s>a,s>b,s>c,s>d,a>last,b>last,c>last,d>last")
		w.commits(w.resolves(1, 1))
		var all sync.WaitGroup
		for number := 2; number <= 5; number++ {
			effect := w.resolves(number, 1)
			all.Go(func() { w.commits(effect) })
		}
		all.Wait()
		_, resolutions := w.state()
		if len(resolutions) != 6 || resolutions[5].NodeID != "last" || string(resolutions[5].Inputs["value"]) != `"some�"` {
			t.Fatalf("there are %+v", resolutions)
		}
		last := w.resolves(6, 1)
		w.commits(last)
		if x, _ := w.state(); x.Status != record.ExecutionCompleted || x.EndTime == 0 {
			t.Errorf("it ended as %+v", x)
		}
		w.commits(last) // which counts for nothing any more
		if x, resolutions := w.state(); x.Version != 2 || len(resolutions) != 6 {
			t.Errorf("it is at version %d, with %d resolutions", x.Version, len(resolutions))
		}
	})
}

func TestTurnsOfQuickNodesAreHadInTheStepThatGivesThem(t *testing.T) {
	quick := engine.NodeType{Type: graph.Type{ID: "quick", Inputs: in, Outputs: out}, Quick: true, Run: some}
	bad := engine.NodeType{Type: graph.Type{ID: "bad", Inputs: in, Outputs: out}, Quick: true, Run: func(context.Context, *engine.Call) (engine.Outputs, error) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "no")
	}}
	each(t, []engine.NodeType{begin, work, quick, bad}, func(t *testing.T, w *world) {
		w.retry = false
		w.starts("s begin,a quick,b quick,w work,last quick", "s>a,a>b,b>w,w>last")
		w.commits(w.resolves(1, 1))
		if x, all := w.state(); x.Status != record.ExecutionRunning || len(all) != 4 || all[2].Status != record.ResolutionCompleted || all[2].Version != 1 || all[3].Status != record.ResolutionRunning {
			t.Fatalf("after the first step it is %s, with %+v", x.Status, all)
		}
		w.commits(w.resolves(4, 1))
		if x, all := w.state(); x.Status != record.ExecutionCompleted || len(all) != 5 || string(all[4].Inputs["value"]) != "\"some\uFFFD\"" {
			t.Errorf("it ended as %s, with %+v", x.Status, all)
		}
		w.deletes()

		w.starts("s begin,b bad,w work", "s>b,s>w")
		w.commits(w.resolves(1, 1))
		if x, all := w.state(); x.Status != record.ExecutionFailed || x.Error.NodeID != "b" || len(all) != 2 {
			t.Errorf("it ended as %s, %+v, with %+v", x.Status, x.Error, all)
		}
		w.deletes()

		// A circle does not keep others from writing for long.
		w.starts("s begin,q quick", "s>q,q>q")
		w.commits(w.resolves(1, 1))
		if x, all := w.state(); x.Status != record.ExecutionRunning || len(all) != 52 || all[51].Status != record.ResolutionRunning {
			t.Fatalf("after the first step it is %s, with %d turns", x.Status, len(all))
		}
		w.commits(w.resolves(52, 1))
		if x, all := w.state(); x.Status != record.ExecutionFailed || len(all) != 100 {
			t.Errorf("it ended as %s, with %d turns", x.Status, len(all))
		}
	})
}

func TestANodeOfOnceIsNotRunAgain(t *testing.T) {
	runs := 0
	letter := engine.NodeType{Type: graph.Type{ID: "letter", Effect: tool.Once, Inputs: in, Outputs: out}, Run: func(context.Context, *engine.Call) (engine.Outputs, error) {
		runs++
		return engine.Outputs{}, nil
	}}
	each(t, []engine.NodeType{begin, letter}, func(t *testing.T, w *world) {
		runs = 0
		w.starts("s begin,l letter", "s>l")
		w.commits(w.resolves(1, 2)) // a pure node may run again
		w.resolves(2, 1)            // whose process ends before the commit
		w.commits(w.resolves(2, 1)) // as a process that stops gives the job back uncounted
		x, _ := w.state()
		if runs != 1 || x.Status != record.ExecutionFailed || x.Error.Code != engine.CodeInterrupted || x.Error.NodeID != "l" {
			t.Errorf("it ran %d times and ended as %s, %+v", runs, x.Status, x.Error)
		}
	})
}

func TestATurnThatIsGivenWhileAnExecutionIsPausedDoesNotBegin(t *testing.T) {
	runs := 0
	letter := engine.NodeType{Type: graph.Type{ID: "letter", Effect: tool.Once, Inputs: in, Outputs: out}, Run: func(context.Context, *engine.Call) (engine.Outputs, error) {
		runs++
		return engine.Outputs{}, nil
	}}
	steers := func(w *world, how func(store.Tx, nestor.Path) error) {
		if err := w.Update(w.Context(), func(tx store.Tx) error { return how(tx, execution) }); err != nil {
			w.Fatal(err)
		}
	}
	each(t, []engine.NodeType{begin, work, letter}, func(t *testing.T, w *world) {
		runs = 0
		w.starts("s begin,a letter,b work", "s>a,s>b")
		w.commits(w.resolves(1, 1))
		late := w.resolves(3, 1) // it runs when the others are paused
		steers(w, w.Pause)
		if effect := w.resolves(2, 1); effect != nil || runs > 0 {
			t.Errorf("a node began, %d times", runs)
		}
		w.commits(late)
		if x, all := w.state(); x.Status != record.ExecutionPaused || all[1].Status != record.ResolutionRunning || all[2].Status != record.ResolutionCompleted {
			t.Errorf("it is %s, with %+v", x.Status, all)
		}
		steers(w, w.Resume)
		w.commits(w.resolves(2, 1))
		if x, _ := w.state(); x.Status != record.ExecutionCompleted || runs != 1 {
			t.Errorf("it ended as %s, with %d letters", x.Status, runs)
		}
		w.deletes()

		// What may have had its effect is not taken for something that did not begin.
		w.starts("s begin,a letter", "s>a")
		w.commits(w.resolves(1, 1))
		w.resolves(2, 1)
		steers(w, w.Pause)
		w.commits(w.resolves(2, 2))
		if x, _ := w.state(); x.Status != record.ExecutionFailed || x.Error.Code != engine.CodeInterrupted {
			t.Errorf("it ended as %s, %+v", x.Status, x.Error)
		}
	})
}

func TestWhatNodesDoWrongFailsTheExecutionWithTheNode(t *testing.T) {
	tries := 0
	for name, tt := range map[string]struct {
		run   func(context.Context, *engine.Call) (engine.Outputs, error)
		code  string
		text  string
		tries int
	}{
		"it panics": {func(context.Context, *engine.Call) (engine.Outputs, error) { tries++; panic("secret") }, "internal", "of the server's own", 3},
		"it puts out too much": {func(context.Context, *engine.Call) (engine.Outputs, error) {
			tries++
			return engine.Outputs{"value": strings.Repeat("x", engine.MaxValue)}, nil
		}, "too_large", `the output "value" has`, 1},
		"it puts out what is no JSON": {func(context.Context, *engine.Call) (engine.Outputs, error) {
			tries++
			return engine.Outputs{"value": json.RawMessage(`{`)}, nil
		}, "invalid", "is no JSON", 1},
		"it fails for a while": {func(context.Context, *engine.Call) (engine.Outputs, error) {
			tries++
			return nil, nestor.Errorf(nestor.CodeUnavailable, "nobody is there\x00")
		}, "unavailable", "nobody is there\uFFFD", 3},
	} {
		t.Run(name, func(t *testing.T) {
			bad := engine.NodeType{Type: graph.Type{ID: "bad", Inputs: in, Outputs: out}, Run: tt.run}
			each(t, []engine.NodeType{begin, work, bad}, func(t *testing.T, w *world) {
				tries = 0
				w.starts("s begin,b bad,other work", "s>b,s>other")
				w.commits(w.resolves(1, 1))
				w.commits(w.resolves(2, 1))
				x, all := w.state()
				if x.Status != record.ExecutionFailed || x.Error.NodeID != "b" || x.Error.Code != tt.code || !strings.Contains(x.Error.Message, tt.text) || tries != tt.tries {
					t.Errorf("after %d tries it ended as %s, %+v", tries, x.Status, x.Error)
				}
				if all[1].Status != record.ResolutionFailed || all[2].Status != record.ResolutionCancelled {
					t.Errorf("the nodes are %s and %s", all[1].Status, all[2].Status)
				}
				if effect := w.resolves(3, 1); effect != nil {
					t.Error("a node of an execution that has ended is run")
				}
			})
		})
	}
}

func TestAnExecutionWhoseNodeTypesAreGoneFails(t *testing.T) {
	each(t, []engine.NodeType{begin, work}, func(t *testing.T, w *world) {
		w.starts("s begin,a work", "s>a")
		w.commits(w.resolves(1, 1))
		later := w.with(begin)
		_, err := later.Resolve(t.Context(), job(2, 1))
		if nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Fatalf("it went on: %v", err)
		}
		w.commits(later.GiveUp(job(2, 1), err))
		if x, all := w.state(); x.Status != record.ExecutionFailed || !strings.Contains(x.Error.Message, "not valid any more") || all[1].Status != record.ResolutionCancelled {
			t.Errorf("it ended as %s, %+v", x.Status, x.Error)
		}
	})
}
