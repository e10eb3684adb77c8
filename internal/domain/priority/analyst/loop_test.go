package analyst_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// wholeAnalysis uses every tool once. Its tasks are those of ann.
const wholeAnalysis = `
-- reply 1 --
when tools contains submit_plan
when history lacks threshold_used
text: What is the shop about?
call semantic-search {"query": "launch the shop", "threshold": 0.9}
usage in=100 out=20

-- reply 2 --
when last tool contains threshold_used
text: What do the notes say?
call get-document-context {"task_ids": ["ann-t1"]}

-- reply 3 --
when last tool contains Plan of ann
call detect-dependencies {"task_ids": ["ann-t1", "ann-t2", "ann-t3", "ann-t9"]}

-- reply report --
when tools contains report_dependencies
call report_dependencies {"dependencies": [
| {"source_task_id": "ann-t2", "target_task_id": "ann-t1", "relationship_type": "prerequisite", "confidence": 0.9, "reasoning": "No shop without a design."},
| {"source_task_id": "ann-t3", "target_task_id": "ann-t2", "relationship_type": "blocks", "confidence": 0.8, "reasoning": "Nothing to announce before."},
| {"source_task_id": "ann-t3", "target_task_id": "ann-t7", "relationship_type": "blocks", "confidence": 0.8, "reasoning": "Made up."}]}
usage in=50 out=10

-- reply 4 --
when last tool contains kept_manual
call query-task-graph {"task_ids": ["ann-t1", "ann-t3"]}

-- reply 5 --
when last tool contains statistics
call cluster-by-similarity {"task_ids": ["ann-t1", "ann-t2", "ann-t3"]}

-- reply 6 --
when last tool contains ungrouped
text: I know enough.
call submit_plan {"ordered_task_ids": ["ann-t3", "ann-t1", "ann-t2"], "confidence_scores": {"ann-t1": 0.9, "ann-t2": 0.8, "ann-t3": 0.7}, "synthesis_summary": "Design, build, announce."}
`

func TestAnAnalysisUsesItsToolsAndEndsInAPlan(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.prepares("ann", "Design the shop", "Build the shop", "Announce the shop")
		script := w.says("ann", wholeAnalysis)
		s, trace := w.analyses("ann")
		if err := script.Finished(); err != nil {
			t.Error(err)
		}
		if s.Status != record.SessionCompleted || s.Slot != record.SlotCurrent || s.Partial || s.Error != "" || s.Doing != nil {
			t.Fatalf("the session is %+v", s)
		}
		// The model's order is not believed: the detected dependencies count.
		if got := strings.Join(s.PrioritizedPlan.OrderedTaskIDs, " "); got != "ann-t1 ann-t2 ann-t3" || len(s.PrioritizedPlan.ExecutionWaves) != 3 {
			t.Errorf("the plan is %+v", s.PrioritizedPlan)
		}
		want := []string{"semantic-search", "get-document-context", "detect-dependencies", "query-task-graph", "cluster-by-similarity", "submit_plan"}
		var used []string
		for i, step := range trace.Steps {
			used = append(used, *step.ToolName)
			if step.StepNumber != i+1 || step.Status != record.StepSuccess || !json.Valid(step.ToolOutput) || step.Timestamp == "" {
				t.Errorf("step %d is %+v", i+1, step)
			}
		}
		if !slices.Equal(used, want) || trace.TotalSteps != 6 || trace.ToolsUsedCount["submit_plan"] != 1 || *trace.Steps[0].Thought != "What is the shop about?" {
			t.Errorf("the trace is %+v", trace)
		}
		if m := s.ExecutionMetadata; m.StepsTaken != 6 || m.ErrorCount != 0 || m.SuccessRate != 1 || m.ToolCallCount["detect-dependencies"] != 1 {
			t.Errorf("the metadata is %+v", m)
		}
		if got := w.relationships("ann"); !slices.Equal(got, []string{"ann-t2>ann-t1 prerequisite detected", "ann-t3>ann-t2 blocks detected"}) {
			t.Errorf("stored is %q", got)
		}
		detected := string(trace.Steps[2].ToolOutput)
		if !strings.Contains(detected, `"unknown_task_ids":["ann-t9"]`) || !strings.Contains(detected, "ann-t7 must come before ann-t3: one of them is none") {
			t.Errorf("detect-dependencies said %s", detected)
		}
	})
}
