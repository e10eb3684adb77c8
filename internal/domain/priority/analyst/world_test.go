package analyst_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// world is a store with a worker that runs sessions, and users whose models it has.
type world struct {
	testing.TB
	options store.Options
	store   store.Store
	analyst *analyst.Analyst
	stop    func() // as a server stops that cannot wait

	mu      sync.Mutex
	ended   chan struct{}        // is closed when a job ends, and another takes its place
	models  map[string]llm.Model // by user
	library analyst.Library
	paused  []time.Duration
}

var quiet = slog.New(slog.DiscardHandler)

// newWorld opens a store and has it work, once it is prepared.
func newWorld(t testing.TB, open engines.Database, opts analyst.Options, prepare ...func(*world)) *world {
	t.Helper()
	m := module.Of[*analyst.Analyst]{
		Name: "prioritisation", Collections: record.Collections, Reactions: analyst.Reactions,
		Handlers: []module.Handler[*analyst.Analyst]{{
			Stage: trigger.Stage{Name: analyst.Stage, Key: analyst.StageKey, Coalesce: true},
			Run:   (*analyst.Analyst).Prioritize, Exhausted: (*analyst.Analyst).GiveUp,
		}},
	}
	list := module.List{m}
	kinds, err := list.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	built := list.Triggers()
	for i := range built.Reactions { // no test waits for longer than it must
		built.Reactions[i].Retry.InitialBackoff, built.Reactions[i].Retry.MaxBackoff = nestor.Duration(time.Millisecond), nestor.Duration(time.Millisecond)
	}
	set, err := trigger.New(nil, trigger.Options{BuiltIn: built})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, models: map[string]llm.Model{}, ended: make(chan struct{})}
	w.options = store.Options{Rules: store.Rules{Catalogue: kinds, Planner: set}, Modules: list.Schemas()}
	w.store = open(t, w.options)
	opts.Store, opts.Models, opts.Logger = w.store, w, quiet
	w.library = library.New(library.Options{Store: w.store, Logger: quiet})
	running := &interrupt.Running{}
	opts.Library, opts.Running = w, running
	opts.Pause = func(_ context.Context, d time.Duration) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.paused = append(w.paused, d)
		return nil
	}
	w.analyst = analyst.New(opts)
	changes := feed.New(w.store, feed.Options{Logger: quiet})
	work := worker.New(w.store, worker.Options{
		Handlers: module.Handlers(w.analyst, m.Handlers), Plan: module.Plan(set), Logger: quiet, Poll: 10 * time.Millisecond, Drain: time.Nanosecond,
		Hooks: worker.Hooks{Ended: func(*nestor.Job, worker.Outcome, time.Duration) {
			w.mu.Lock()
			defer w.mu.Unlock()
			close(w.ended)
			w.ended = make(chan struct{})
		}},
	})
	for _, fn := range prepare {
		fn(w)
	}
	ctx, stop := context.WithCancel(context.Background())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return work.Run(ctx) })
	group.Go(func() error { return changes.Run(ctx) })
	group.Go(func() error {
		running.Follow(ctx, changes, analyst.Interrupts...)
		return nil
	})
	w.stop = sync.OnceFunc(func() {
		stop()
		if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	<-work.Joined()
	return w
}

// another opens the store once more, as another node does.
func (w *world) another(open engines.Database) store.Store {
	w.Helper()
	other := open(w.TB, w.options)
	w.Cleanup(func() {
		if err := other.Close(); err != nil {
			w.Error(err)
		}
	})
	return other
}

// Open implements [module.Models].
func (w *world) Open(_ context.Context, userID, _ string) (llm.Model, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.models[userID]; m != nil {
		return m, nil
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "%s has no model", userID)
}

// Search and Vectors implement [analyst.Library].
func (w *world) Search(ctx context.Context, userID, query string, limit int, threshold float64) ([]vector.Hit, error) {
	return w.library.Search(ctx, userID, query, limit, threshold)
}

func (w *world) Vectors(ctx context.Context, userID string, taskIDs []string) (map[string][]float32, error) {
	return w.library.Vectors(ctx, userID, taskIDs)
}

// has gives a user a model.
func (w *world) has(userID string, m llm.Model) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.models[userID] = m
}

// says gives a user a model that says what a script tells it to.
func (w *world) says(userID, script string) *scripted.Model {
	w.Helper()
	m, err := scripted.Parse([]byte(script))
	if err != nil {
		w.Fatal(err)
	}
	w.has(userID, m)
	return m
}

func (w *world) update(fn func(store.Tx) error) {
	w.Helper()
	if err := w.store.Update(context.Background(), fn); err != nil {
		w.Fatal(err)
	}
}

func (w *world) view(fn func(store.Reader) error) {
	w.Helper()
	if err := w.store.View(context.Background(), fn); err != nil {
		w.Fatal(err)
	}
}

// prepares gives a user an outcome, and one document with tasks, whose ids are t1, t2
// and so on after the user's name.
func (w *world) prepares(userID string, tasks ...string) {
	w.Helper()
	doc := record.SourceDocument{UserID: userID, Title: "Plan of " + userID, SourceType: "text", Status: record.DocumentCompleted, StructuredOutput: &record.StructuredOutput{ExtractedBy: "rules"}}
	for i, text := range tasks {
		doc.Content += "- " + text + "\n"
		doc.StructuredOutput.Tasks = append(doc.StructuredOutput.Tasks, record.ExtractedTask{ID: fmt.Sprintf("%s-t%d", userID, i+1), Text: text, EffortHours: 1})
	}
	w.update(func(tx store.Tx) error {
		_, err := tx.Create(record.Of(userID).Child("outcomes", "o1"), record.Outcome{
			UserID:    userID,
			Direction: "launch", Object: "the shop", Metric: "first order", Clarifier: "by selling online",
			AssembledText: "Launch the shop", Slot: record.SlotActive,
		})
		if err != nil {
			return err
		}
		_, err = tx.Create(record.Of(userID).Child("processed-documents", "d1"), doc)
		return err
	})
}

// start asks for an analysis.
func (w *world) start(userID string) (id string, err error) {
	path := analyst.NewSession(userID)
	err = w.store.Update(context.Background(), func(tx store.Tx) error {
		return analyst.Start(tx, path)
	})
	return path.ID(), err
}

// analyses asks for an analysis and waits for its end.
func (w *world) analyses(userID string) (record.AgentSession, record.ReasoningTrace) {
	w.Helper()
	id, err := w.start(userID)
	if err != nil {
		w.Fatal(err)
	}
	return w.end(userID, id)
}

// end waits for the end of a session, and until nothing is left to do.
func (w *world) end(userID, id string) (s record.AgentSession, t record.ReasoningTrace) {
	w.Helper()
	w.idle(userID)
	return w.session(userID, id)
}

// idle waits until no job of a user is left: every session that has not ended has one.
func (w *world) idle(userID string) {
	w.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for {
		w.mu.Lock()
		ended := w.ended
		w.mu.Unlock()
		jobs, err := w.store.Jobs(context.Background(), store.JobFilter{Limit: 100})
		if err != nil {
			w.Fatal(err)
		}
		if !slices.ContainsFunc(jobs, func(j nestor.Job) bool { return j.Change.Path.UserID() == userID }) {
			return
		}
		select {
		case <-ended:
		case <-late.C:
			w.Fatalf("there is no end: %+v", jobs)
		}
	}
}

func (w *world) session(userID, id string) (s record.AgentSession, t record.ReasoningTrace) {
	w.Helper()
	p := record.Of(userID).Child("agent-sessions", id)
	w.view(func(r store.Reader) error {
		d, err := r.Get(p)
		if err != nil {
			return err
		}
		if err := d.Decode(&s); err != nil {
			return err
		}
		if d, err = r.Get(analyst.TraceOf(p)); err != nil {
			return err
		}
		t = record.ReasoningTrace{}
		return d.Decode(&t)
	})
	return s, t
}

// relationships are those of a user, each as "source>target type origin".
func (w *world) relationships(userID string) (all []string) {
	w.Helper()
	w.view(func(r store.Reader) error {
		all = nil
		page, err := r.Query(store.Query{Collection: string(record.Of(userID)) + "/task-relationships"})
		for _, d := range page.Items {
			rel, err := nestor.As[record.TaskRelationship](d)
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s>%s %s %s", rel.SourceTaskID, rel.TargetTaskID, rel.Type, rel.Origin))
		}
		slices.Sort(all)
		return err
	})
	return all
}

// call uses a tool as agents and people do.
func (w *world) call(userID, name, arguments string) tool.Result {
	w.Helper()
	for _, t := range w.analyst.Tools() {
		if t.Name == name {
			return tool.Execute(context.Background(), t, tool.Call{
				Scope: tool.Scope{UserID: userID, AskedBy: nestor.Askers{userID}}, ID: "c1", IdempotencyKey: nestor.NewID(), Name: name, Arguments: arguments,
			}, tool.Options{Logger: quiet})
		}
	}
	w.Fatalf("there is no tool %s", name)
	return tool.Result{}
}
