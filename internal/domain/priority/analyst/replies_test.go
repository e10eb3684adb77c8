package analyst_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const shopPlan = `{"ordered_task_ids": ["ann-t1", "ann-t2", "ann-t3"], "synthesis_summary": "So be it."}`

// used are the tools of a trace with how their steps ended.
func used(trace record.ReasoningTrace) (all []string) {
	for _, s := range trace.Steps {
		all = append(all, *s.ToolName+" "+string(s.Status))
	}
	return all
}

func TestAllCallsOfAReplyAreCarriedOut(t *testing.T) {
	const graph = `call query-task-graph {"task_id": "ann-t1"}` + "\n"
	for _, test := range []struct {
		name, script string
		used         []string
		told         string // to the model in its last request
		notice       string
	}{
		{
			"two tools", "-- reply --\ntext: Both at once.\n" + graph + `call semantic-search {"query": "shop"}` +
				"\n\n-- reply plan --\nwhen last tool contains threshold_used\ncall submit_plan " + shopPlan,
			[]string{"query-task-graph success", "semantic-search success", "submit_plan success"},
			"", "",
		},
		{
			"a plan before a tool", "-- reply --\ncall submit_plan " + shopPlan + "\n" + graph,
			[]string{"query-task-graph success", "submit_plan success"},
			"", "",
		},
		{
			"a bad plan and a tool", "-- reply --\ncall submit_plan {\"ordered_task_ids\": []}\n" + graph +
				"\n-- reply again --\nwhen last tool contains cannot be used\ncall submit_plan " + shopPlan,
			[]string{"query-task-graph success", "submit_plan failed", "submit_plan success"},
			"", "",
		},
		{
			"more than there are steps for", "-- reply --\n" + strings.Repeat(graph, 10) + "call semantic-search {\"query\": \"shop\"}\n" +
				"\n-- reply plan --\nwhen last user contains last step\ncall submit_plan " + shopPlan,
			append(slices.Repeat([]string{"query-task-graph success"}, 9), "submit_plan success"),
			"skipped, since no step was left for them: query-task-graph, semantic-search", "semantic-search",
		},
		{
			"more than there are steps for, with a plan", "-- reply --\n" + strings.Repeat(graph, 11) + "call submit_plan " + shopPlan,
			append(slices.Repeat([]string{"query-task-graph success"}, 9), "submit_plan success"), "", "query-task-graph, query-task-graph",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) {
				w := newWorld(t, open, analyst.Options{})
				w.prepares("ann", threeTasks...)
				script := w.says("ann", test.script)
				s, trace := w.analyses("ann")
				if err := script.Finished(); err != nil {
					t.Error(err)
				}
				if s.Status != record.SessionCompleted || s.Partial || s.Doing != nil || s.Next != nil || s.PrioritizedPlan.SynthesisSummary != "So be it." {
					t.Errorf("the session is %+v", s)
				}
				if !slices.Equal(used(trace), test.used) {
					t.Fatalf("the steps are %q", used(trace))
				}
				for i, step := range trace.Steps {
					if step.StepNumber != i+1 || step.Timestamp == "" {
						t.Errorf("step %d is %+v", i+1, step)
					}
				}
				last := script.Requests()[len(script.Requests())-1].Messages
				if said, _ := last[len(last)-1].Parts[0].(llm.Text); !strings.Contains(said.Text, test.told) {
					t.Errorf("the model was told %q", said.Text)
				}
				if notices := strings.Join(s.Notices, " "); !strings.Contains(notices, test.notice) {
					t.Errorf("the notices are %q", notices)
				}
			})
		})
	}
}

// What the numbers of an analysis count, whatever a model does.
func TestTheNumbersOfAnAnalysisCountWhatTheySay(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w, failures := newWorld(t, open, analyst.Options{}), 1000
		w.library = broken{w.library, &failures}
		w.prepares("ann", threeTasks...)
		script := w.says("ann", `
-- reply unknown --
when history lacks there is no tool
call read-minds {"whose": "ann"}

-- reply list --
when last tool contains there is no tool
call query-task-graph ["ann-t1"]

-- reply text --
when last tool contains one JSON object
call query-task-graph ann-t1

-- reply search --
when last tool contains one JSON object
call semantic-search {"query": "shop"}

-- reply talk --
when last tool contains the index is away
text: Hm.

-- reply plan --
when last user contains neither a call
call submit_plan `+shopPlan)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if s.Status != record.SessionCompleted || !slices.Equal(s.FailedTools, []string{"query-task-graph", "semantic-search"}) {
			t.Errorf("the session is %+v", s)
		}
		m := s.ExecutionMetadata
		if m.StepsTaken != 6 || m.ErrorCount != 3 || m.SuccessRate != 0.1667 {
			t.Errorf("the metadata is %+v", m)
		}
		for _, counts := range []map[string]int{m.ToolCallCount, trace.ToolsUsedCount} {
			if len(counts) != 3 || counts["query-task-graph"] != 2 || counts["semantic-search"] != 1 || counts["submit_plan"] != 1 {
				t.Errorf("the counts are %v", counts)
			}
		}
		sum := int64(0)
		for i, step := range trace.Steps {
			sum += step.DurationMS
			var input map[string]any
			if step.ToolName != nil && json.Unmarshal(step.ToolInput, &input) != nil {
				t.Errorf("the input of step %d is %s", i+1, step.ToolInput)
			}
		}
		if trace.TotalDurationMS != sum {
			t.Errorf("the steps took %d ms, and the trace says %d", sum, trace.TotalDurationMS)
		}
	})
}

func TestAPlanIsFoundInWhateverStandsAroundIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		for name, text := range map[string]string{
			"braces of prose":         "I looked at {ann-t1} and {} first.\n| " + shopPlan,
			"another object":          `The outcome was {"object": "the shop"}, so:` + "\n| " + shopPlan + " That is all {really}.",
			"an object around it":     `{"plan": ` + shopPlan + `}`,
			"a field of another type": `{"ordered_task_ids": ["ann-t1", 7, "ann-t2", "ann-t3"], "synthesis_summary": "So be it.", "execution_waves": [{"wave_number": "one", "task_ids": ["ann-t1"], "estimated_duration_hours": "2h"}, 3], "confidence_scores": {"ann-t1": "0.9", "ann-t2": "high"}}`,
		} {
			w.says("ann", "-- reply --\ntext: "+text)
			s, trace := w.analyses("ann")
			if len(trace.Steps) != 1 || s.Partial || s.PrioritizedPlan == nil || s.PrioritizedPlan.SynthesisSummary != "So be it." {
				t.Errorf("%s: the session is %+v after %+v", name, s, trace.Steps)
			}
		}
	})
}

// A model that detects something says so in the plan; what a person says is stored.
func TestAPlanSaysHowItsDependenciesBecameKnown(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", threeTasks...)
		w.relate("ann", "ann-t3", "ann-t2", record.OriginManual)
		script := w.says("ann", `
-- reply --
when tools contains detect-dependencies
call detect-dependencies {"task_ids": ["ann-t1", "ann-t2"]}
call submit_plan `+shopPlan+`

-- reply report --
when tools is report_dependencies
text: I weighed {a} against {b}: {"dependencies": [
| {"source_task_id": "ann-t2", "target_task_id": "ann-t1", "relationship_type": "prerequisite", "confidence": "0.9", "reasoning": 5},
| {"source_task_id": 7, "target_task_id": "ann-t1", "relationship_type": "prerequisite", "confidence": 0.9, "reasoning": ""}]}
`)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if s.PrioritizedPlan == nil || len(s.FailedTools) > 0 {
			t.Fatalf("the session is %+v after %+v", s, trace.Steps)
		}
		how := map[string]record.DetectionMethod{}
		for _, d := range s.PrioritizedPlan.Dependencies {
			how[d.SourceTaskID] = d.DetectionMethod
		}
		if len(how) != 2 || how["ann-t2"] != record.AIInference || how["ann-t3"] != record.StoredRelationship {
			t.Errorf("the dependencies are %+v", s.PrioritizedPlan.Dependencies)
		}
		if !strings.Contains(string(trace.Steps[0].ToolOutput), "1 that are not of the form") {
			t.Errorf("detect-dependencies said %s", trace.Steps[0].ToolOutput)
		}
	})
}
