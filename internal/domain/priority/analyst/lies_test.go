package analyst_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

var threeTasks = []string{"Design the shop", "Build the shop", "Announce the shop"}

// Whatever a model submits, the plan holds every task once and no other, in an order
// that its dependencies allow.
func TestAPlanIsVerifiedAndNotBelieved(t *testing.T) {
	const good = `"synthesis_summary": "So be it."`
	lies := []struct{ name, plan, notice string }{
		{"an id that no task has", `{"ordered_task_ids": ["ann-t1", "ghost", "ann-t2", "ann-t3"], ` + good + `}`, "ghost"},
		{"tasks that it forgot", `{"ordered_task_ids": ["ann-t2"], ` + good + `}`, "The model forgot these tasks; they were put last: “Design the shop”"},
		{"a task twice", `{"ordered_task_ids": ["ann-t1", "ann-t1", "ann-t2", "ann-t3"], ` + good + `}`, "more than once"},
		{"a task that depends on itself", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "dependencies": [{"source_task_id": "ann-t1", "target_task_id": "ann-t1", "relationship_type": "blocks", "confidence": 1}], ` + good + `}`, "itself"},
		{"a circle", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "dependencies": [
			{"source_task_id": "ann-t1", "target_task_id": "ann-t2", "relationship_type": "blocks", "confidence": 0.4},
			{"source_task_id": "ann-t2", "target_task_id": "ann-t1", "relationship_type": "prerequisite", "confidence": 0.9}], ` + good + `}`, ""},
		{"a dependency on nothing", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "dependencies": [{"source_task_id": "ann-t1", "target_task_id": "ghost", "relationship_type": "blocks", "confidence": 1}], ` + good + `}`, "ghost"},
		{"a type that does not exist", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "dependencies": [{"source_task_id": "ann-t1", "target_task_id": "ann-t2", "relationship_type": "hates", "confidence": 1}], ` + good + `}`, "hates"},
		{"confidence beyond all bounds", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "confidence_scores": {"ann-t1": 17, "ann-t2": -1, "ghost": 0.5}, ` + good + `}`, "ghost"},
		{"waves that contradict the order", `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "execution_waves": [{"wave_number": 1, "task_ids": ["ann-t3", "ann-t2", "ghost"]}], ` + good + `}`, "ghost"},
		{"a task of somebody else", `{"ordered_task_ids": ["bob-t1", "ann-t1", "ann-t2", "ann-t3"], ` + good + `}`, "bob-t1"},
	}
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.prepares("bob", "Rob a bank")
		w.relate("ann", "ann-t3", "ann-t2", record.OriginManual)
		for _, lie := range lies {
			w.says("ann", "-- reply --\ncall submit_plan "+strings.ReplaceAll(lie.plan, "\n", "\n| "))
			s, _ := w.analyses("ann")
			if s.Status != record.SessionCompleted || s.PrioritizedPlan == nil {
				t.Errorf("%s: the session is %+v", lie.name, s)
				continue
			}
			checkPlan(t, lie.name, s.PrioritizedPlan, []string{"ann-t1", "ann-t2", "ann-t3"})
			if notices := strings.Join(s.Notices, " "); !strings.Contains(notices, lie.notice) {
				t.Errorf("%s: the notices are %q", lie.name, notices)
			}
			if p := s.PrioritizedPlan; slices.Index(p.OrderedTaskIDs, "ann-t3") < slices.Index(p.OrderedTaskIDs, "ann-t2") {
				t.Errorf("%s: what a person said does not hold in %v", lie.name, p.OrderedTaskIDs)
			}
		}
	})
}

// checkPlan checks what holds of every plan.
func checkPlan(t *testing.T, name string, p *record.PrioritizedTaskPlan, tasks []string) {
	t.Helper()
	wave := map[string]int{}
	for i, w := range p.ExecutionWaves {
		for _, id := range w.TaskIDs {
			if wave[id] != 0 || w.WaveNumber != i+1 {
				t.Errorf("%s: the waves are %+v", name, p.ExecutionWaves)
			}
			wave[id] = w.WaveNumber
		}
	}
	if got := slices.Sorted(slices.Values(p.OrderedTaskIDs)); !slices.Equal(got, tasks) || len(wave) != len(tasks) || len(p.ConfidenceScores) != len(tasks) {
		t.Errorf("%s: the plan is %+v", name, p)
	}
	for _, id := range tasks {
		if c, ok := p.ConfidenceScores[id]; !ok || c < 0 || c > 1 || wave[id] == 0 {
			t.Errorf("%s: %s has confidence %v and wave %d", name, id, c, wave[id])
		}
	}
	for _, d := range p.Dependencies {
		if d.RelationshipType.Orders() && wave[d.TargetTaskID] >= wave[d.SourceTaskID] {
			t.Errorf("%s: %s does not come after %s", name, d.SourceTaskID, d.TargetTaskID)
		}
	}
}

// relate stores a relationship of a user.
func (w *world) relate(userID, source, target string, by record.Origin) {
	w.Helper()
	w.update(func(tx store.Tx) error {
		_, err := tx.Create(record.RelationshipAt(userID, source, target, record.Prerequisite), record.TaskRelationship{
			UserID: userID, SourceTaskID: source, TargetTaskID: target, Type: record.Prerequisite, Confidence: 0.2, Origin: by, DetectionMethod: record.StoredRelationship,
		})
		return err
	})
}

func TestAPlanThatCannotBeRepairedGoesBackWithAllReasons(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		script := w.says("ann", `
-- reply nothing --
when history lacks cannot be used
call submit_plan {"ordered_task_ids": ["ghost", "phantom"], "synthesis_summary": "?"}

-- reply no object --
when last tool contains ghost
when last tool contains phantom
call submit_plan ["ann-t1"]

-- reply garbage --
when last tool contains is no JSON object
text: Let me think about it a little longer.

-- reply json --
when last user contains neither a call
text: Here it is:
|
| {"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "synthesis_summary": "In a row."}
`)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if s.Status != record.SessionCompleted || s.Partial || s.PrioritizedPlan.SynthesisSummary != "In a row." {
			t.Errorf("the session is %+v", s)
		}
		if m := s.ExecutionMetadata; m.StepsTaken != 4 || m.ErrorCount != 0 || m.SuccessRate != 0.25 {
			t.Errorf("the metadata is %+v", m)
		}
		for i, want := range []record.StepStatus{record.StepFailed, record.StepFailed, record.StepFailed, record.StepSuccess} {
			if trace.Steps[i].Status != want || want == record.StepFailed && (trace.Steps[i].Error == "" || trace.Steps[i].ToolOutput != nil && string(trace.Steps[i].ToolOutput) != "null") {
				t.Errorf("step %d is %+v", i+1, trace.Steps[i])
			}
		}
	})
}

func TestInputThatNoDocumentHoldsFailsAStepAndIsTold(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		script := w.says("ann", `
-- reply number --
when history lacks out of range
call semantic-search {"query": "shop", "limit": 1e400}

-- reply integer --
when last tool contains 1e400 is out of range
call semantic-search {"query": "shop", "limit": 123456789012345678901}

-- reply nesting --
when last tool contains does not fit in 64 bits
call semantic-search {"query": "shop", "colour": `+deep+`}

-- reply text --
when last tool contains nested more than 48 levels
text: Here is a plan: {"ordered_task_ids": ["T1", "T2", "T3"], "synthesis_summary": "In a row.", "confidence_scores": {"T1": 1e400}}
`)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if s.Status != record.SessionCompleted || s.PrioritizedPlan == nil || s.PrioritizedPlan.SynthesisSummary != "In a row." {
			t.Errorf("the session is %+v", s)
		}
		for _, step := range trace.Steps {
			if strings.Contains(step.Error, "Go ") || strings.Contains(step.Error, "json:") || !strings.HasPrefix(string(step.ToolInput), "{") {
				t.Errorf("step %d is %+v", step.StepNumber, step)
			}
		}
	})
}

func TestAfterTenStepsTheServerPlansByItself(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.relate("ann", "ann-t1", "ann-t3", record.OriginDetected)
		script := w.says("ann", `
-- reply --
repeat
when tools contains query-task-graph
call query-task-graph {"task_id": "ann-t1"}

-- reply last --
when tools is submit_plan
when last user contains last step
text: I cannot decide.
`)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if len(trace.Steps) != record.MaxSteps || s.Status != record.SessionCompleted || !s.Partial || len(s.FailedTools) > 0 {
			t.Fatalf("the session is %+v with %d steps", s, len(trace.Steps))
		}
		checkPlan(t, "without the model", s.PrioritizedPlan, []string{"ann-t1", "ann-t2", "ann-t3"})
		if p := s.PrioritizedPlan; slices.Index(p.OrderedTaskIDs, "ann-t3") > slices.Index(p.OrderedTaskIDs, "ann-t1") ||
			!strings.Contains(p.SynthesisSummary, "without it") || !strings.Contains(strings.Join(s.Notices, ""), "10 steps") {
			t.Errorf("the plan is %+v, the notices are %q", p, s.Notices)
		}
	})
}

// broken is a library that fails, the first times or always.
type broken struct {
	analyst.Library
	failures *int
}

func (b broken) Search(ctx context.Context, userID, query string, limit int, threshold float64) ([]vector.Hit, error) {
	if *b.failures--; *b.failures >= 0 {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the index is away")
	}
	return b.Library.Search(ctx, userID, query, limit, threshold)
}

const searchThenPlan = `
-- reply --
when history lacks semantic-search
call semantic-search {"query": "shop"}

-- reply plan --
when history contains semantic-search
call submit_plan {"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "synthesis_summary": "."}
`

func TestAToolIsTriedAgainAndTheLoopGoesOnWithoutIt(t *testing.T) {
	for _, test := range []struct {
		name     string
		failures int
		failed   []string
		pauses   int
	}{
		{"a tool that recovers", 2, nil, 2},
		{"a tool that does not", 1000, []string{"semantic-search"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				w, failures := newWorld(t, open, analyst.Options{}), test.failures
				w.library = broken{w.library, &failures}
				w.prepares("ann", threeTasks...)
				script := w.says("ann", searchThenPlan)
				s, trace := w.analyses("ann")
				if err := script.Finished(); err != nil {
					t.Error(err)
				}
				if s.Status != record.SessionCompleted || s.Partial != (test.failed != nil) || !slices.Equal(s.FailedTools, test.failed) {
					t.Errorf("the session is %+v", s)
				}
				if (trace.Steps[0].Status == record.StepFailed) != (test.failed != nil) {
					t.Errorf("the step is %+v", trace.Steps[0])
				}
				if want := slices.Repeat([]time.Duration{2 * time.Second}, test.pauses); !slices.Equal(w.paused, want) {
					t.Errorf("it paused %v", w.paused)
				}
				// The model was told.
				last := script.Requests()[1]
				told := last.Messages[len(last.Messages)-1].Parts[0].(llm.ToolResult)
				if told.IsError != (test.failed != nil) || told.IsError && !strings.Contains(told.Content, "the index is away") {
					t.Errorf("the model was told %+v", told)
				}
			})
		})
	}
}

// What a model does to fail, and how the session ends that had a good plan before it.
func TestASessionThatFailsKeepsTheLastGoodPlan(t *testing.T) {
	const plan = `call submit_plan {"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "synthesis_summary": "."}`
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.says("ann", "-- reply --\n"+plan)
		good, _ := w.analyses("ann")
		for _, test := range []struct{ name, script, why string }{
			{"500 again and again", "-- reply --\nrepeat\nerror unavailable the provider is down", "the provider is down"},
			{"429 again and again", "-- reply --\nrepeat\nerror rate_limited slow down", "slow down"},
			{"a wrong key", "-- reply --\nerror unauthenticated the key is wrong", "the key is wrong"},
			{"a refusal", "-- reply --\ntext: No.\nfinish refusal", "declined"},
		} {
			w.says("ann", test.script)
			s, _ := w.analyses("ann")
			if s.Status != record.SessionFailed || !strings.Contains(s.Error, test.why) || s.Slot != "" || s.PrioritizedPlan != nil {
				t.Errorf("%s: the session is %+v", test.name, s)
			}
			if now, _ := w.session("ann", good.ID); now.Slot != record.SlotCurrent || now.PrioritizedPlan == nil {
				t.Errorf("%s: the one before is %+v", test.name, now)
			}
		}
		// A failure that passes is none.
		script := w.says("ann", "-- reply --\nerror unavailable just now\n\n-- reply again --\n"+plan)
		s, _ := w.analyses("ann")
		if err := script.Finished(); err != nil || s.Status != record.SessionCompleted || s.Slot != record.SlotCurrent {
			t.Errorf("the session is %+v: %v", s, err)
		}
		if before, _ := w.session("ann", good.ID); before.Slot != "" || before.PrioritizedPlan == nil {
			t.Errorf("the one before is %+v", before)
		}
	})
}

// gate is a model that says nothing until its context ends.
type gate struct{ asked chan struct{} }

func (g gate) Name() string { return "gate" }

func (g gate) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		g.asked <- struct{}{}
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}
}

// A model that hangs is left alone as soon as nobody wants the session any more.
func TestASessionIsStoppedByCancellingAndByDeletingIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		model := gate{make(chan struct{}, 10)}
		w.has("ann", model)
		id, err := w.start("ann")
		if err != nil {
			t.Fatal(err)
		}
		<-model.asked
		if _, err := w.start("ann"); nestor.CodeOf(err) != nestor.CodeConflict || !strings.Contains(fmt.Sprint(detail(err, "session_id")), id) {
			t.Errorf("a second one: %v", err)
		}
		path := record.Of("ann").Child("agent-sessions", id)
		w.update(func(tx store.Tx) error { return analyst.Cancel(tx, path) })
		if s, trace := w.end("ann", id); s.Status != record.SessionFailed || s.Error != analyst.Cancelled || s.Doing != nil || len(trace.Steps) > 0 {
			t.Errorf("the session is %+v", s)
		}
		if err := w.store.Update(t.Context(), func(tx store.Tx) error { return analyst.Cancel(tx, path) }); nestor.CodeOf(err) != nestor.CodeConflict {
			t.Errorf("cancelled again: %v", err)
		}
		if id, err = w.start("ann"); err != nil {
			t.Fatal(err)
		}
		<-model.asked
		w.update(func(tx store.Tx) error {
			return tx.Delete(record.Of("ann").Child("agent-sessions", id), store.AnyVersion)
		})
		w.idle("ann")
	})
}

// The node that a person talks to need not be the one that works.
func TestASessionIsStoppedFromAnotherNode(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		model := gate{make(chan struct{}, 10)}
		node := newWorld(t, open, analyst.Options{}, func(w *world) { w.has("ann", model) })
		other := node.another(open)
		node.prepares("ann", threeTasks...)
		id, err := node.start("ann")
		if err != nil {
			t.Fatal(err)
		}
		<-model.asked
		err = other.Update(t.Context(), func(tx store.Tx) error {
			return analyst.Cancel(tx, record.Of("ann").Child("agent-sessions", id))
		})
		if err != nil {
			t.Fatal(err)
		}
		if s, _ := node.end("ann", id); s.Status != record.SessionFailed || s.Error != analyst.Cancelled {
			t.Errorf("the session is %+v", s)
		}
	})
}

// A server that stops while the model thinks is no reason to stop the session.
func TestASessionGoesOnAfterTheServerWasStopped(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		model := gate{make(chan struct{}, 10)}
		w.has("ann", model)
		id, err := w.start("ann")
		if err != nil {
			t.Fatal(err)
		}
		<-model.asked
		w.stop()
		again := newWorld(t, open, analyst.Options{}, func(w *world) { w.says("ann", searchThenPlan) })
		if s, trace := again.end("ann", id); s.Status != record.SessionCompleted || len(trace.Steps) != 2 {
			t.Errorf("the session is %+v", s)
		}
	})
}

func detail(err error, name string) any {
	e, _ := err.(*nestor.Error)
	if e == nil {
		return nil
	}
	return e.Details[name]
}
