package analyst_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// shop and press are documents as people write them, with eight tasks in all.
const shop = `# Online shop

Notes from the meeting on Tuesday. Anna is away until 20 January, she has the contract with the payment provider.

- [ ] Choose a name for the shop (1h)
- [ ] Ask Anna for the contract
- [ ] Design the product page (6h)
- [ ] Build the product page after the design is agreed (2 days)
- [ ] Test an order with a real card (1h)
`

const press = `Before we open we want two articles in local papers.

1. Write the press release (3h)
2. Send the press release to the papers, due 8 January
3. Call the photographer
`

// idMiddle is in the ids of these tasks and nowhere else.
const idMiddle = "4k7w2m9qz5x8c1v3bt"

func id(document string, n int) string { return fmt.Sprint(document, idMiddle, n) }

// hasTwoDocuments gives ann eight tasks in two documents.
func (w *world) hasTwoDocuments() {
	w.Helper()
	w.prepares("ann")
	w.update(func(tx store.Tx) error {
		for document, text := range map[string]string{"d1": shop, "d2": press} {
			texts := map[string][]string{
				"d1": {"Choose a name for the shop (1h)", "Ask Anna for the contract", "Design the product page (6h)", "Build the product page after the design is agreed (2 days)", "Test an order with a real card (1h)"},
				"d2": {"Write the press release (3h)", "Send the press release to the papers, due 8 January", "Call the photographer"},
			}[document]
			d := record.SourceDocument{UserID: "ann", Title: "Shop " + document, Content: text, SourceType: "markdown", Status: record.DocumentCompleted, StructuredOutput: &record.StructuredOutput{ExtractedBy: "rules"}}
			for i, t := range texts {
				d.StructuredOutput.Tasks = append(d.StructuredOutput.Tasks, record.ExtractedTask{ID: id(document, i+1), Text: t, EffortHours: 2})
			}
			found := d.StructuredOutput.Tasks
			if document == "d1" {
				found[1].NotBefore = "2999-01-20" // whenever the test runs
			} else {
				found[1].DueDate = "2998-01-08"
			}
			if _, err := tx.Put(record.Of("ann").Child("processed-documents", document), d, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	})
}

// eight are the handles of the tasks of hasTwoDocuments, in their order.
const eight = `["T1","T2","T3","T4","T5","T6","T7","T8"]`

const atOnce = `
-- reply --
text: T3 leads to T4. [T1] helps.
call submit_plan {"ordered_task_ids": ["T1", "t3", "[T4]", "Task 5", "T6: Write it", 7, "Call the photographer", "T2", "T99"],
| "dependencies": [{"first": "T3", "then": "T4", "confidence": 0.9}, {"first": "T6", "then": "T7", "confidence": 0.8}],
| "confidence_scores": {"T1": 0.9, "T2": 0.9, "T3": 0.9, "T4": 0.9, "T5": 0.9, "T6": 0.9, "T7": 0.9, "T8": 0.4}, "synthesis_summary": "T3 comes before T4."}
`

// A small set stands in the first message, so that a model can answer with the plan. What is stored
// has ids, and what people read has the texts of tasks.
func TestASmallSetIsPlannedInOneCall(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open, analyst.Options{})
		w.hasTwoDocuments()
		script := w.says("ann", atOnce)
		s, trace := w.analyses("ann")
		if len(script.Requests()) != 1 || s.Status != record.SessionCompleted || len(trace.Steps) != 1 {
			t.Fatalf("after %d requests the session is %+v, the trace %+v", len(script.Requests()), s, trace)
		}
		if want := []string{`The model named a task that does not exist, which was left out: "T99".`, "This task is not possible yet, so it stands after those that are: “Ask Anna for the contract” (not before 20 January 2999)."}; !slices.Equal(s.Notices, want) {
			t.Errorf("the notices are %q", s.Notices)
		}
		var waves []string
		for _, wave := range s.PrioritizedPlan.ExecutionWaves {
			waves = append(waves, strings.Join(wave.TaskIDs, " "))
		}
		if got := strings.ReplaceAll(strings.Join(waves, "|"), idMiddle, "."); got != "d1.1 d1.3 d1.5 d2.1 d2.3|d1.4 d2.2|d1.2" {
			t.Errorf("the waves are %s", got)
		}
		if got := s.PrioritizedPlan.SynthesisSummary; got != "“Design the product page (6h)” comes before “Build the product page after the design is agreed (2 days)”." {
			t.Errorf("the summary is %q", got)
		}
		step := trace.Steps[0]
		var input struct {
			Order        []string                `json:"ordered_task_ids"`
			Dependencies []record.TaskDependency `json:"dependencies"`
			Scores       map[string]float64      `json:"confidence_scores"`
		}
		if err := json.Unmarshal(step.ToolInput, &input); err != nil || !slices.Equal(input.Order, []string{id("d1", 1), id("d1", 3), id("d1", 4), id("d1", 5), id("d2", 1), id("d2", 2), id("d2", 3), id("d1", 2), "T99"}) {
			t.Errorf("the input is %s: %v", step.ToolInput, err)
		}
		if d := input.Dependencies[0]; d.SourceTaskID != id("d1", 4) || d.TargetTaskID != id("d1", 3) || d.RelationshipType != record.Prerequisite || input.Scores[id("d2", 3)] != 0.4 {
			t.Errorf("the input is %s", step.ToolInput)
		}
		if *step.Thought != "“Design the product page (6h)” leads to “Build the product page after the design is agreed (2 days)”. [“Choose a name for the shop (1h)”] helps." {
			t.Errorf("the thought is %q", *step.Thought)
		}
	})
}

func TestTheFirstMessageOfASmallSetHasAllThatIsStored(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.hasTwoDocuments()
	w.relate("ann", id("d1", 5), id("d1", 4), record.OriginManual)
	w.update(func(tx store.Tx) error {
		_, err := tx.Create(record.RelationshipAt("ann", id("d2", 2), id("d2", 1), record.Blocks), record.TaskRelationship{
			UserID: "ann", SourceTaskID: id("d2", 2), TargetTaskID: id("d2", 1), Type: record.Blocks, Confidence: 0.8, Origin: record.OriginDetected, DetectionMethod: record.AIInference,
		})
		return err
	})
	script := w.says("ann", atOnce)
	w.analyses("ann")
	req := script.Requests()[0]
	said := req.Messages[0].Parts[0].(llm.Text).Text
	for _, want := range []string{
		"Today is " + record.LongDay(time.Now()) + ".\n\n# Outcome\nLaunch the shop\n",
		"- T1 | Choose a name for the shop (1h) | 2h | Shop d1\n- T2 | Ask Anna for the contract | 2h | Shop d1 | not before 2999-01-20\n",
		"- T7 | Send the press release to the papers, due 8 January | 2h | Shop d2 | due 2998-01-08\n",
		"- T4 must come before T5 (the person said so)\n", "- T6 must come before T7 (found before, 80% sure)\n",
		"Anna is away until 20 January, she has the contract with the payment provider.\n\n- [ ] [T1]\n- [ ] [T2]\n",
		"Before we open we want two articles in local papers.\n\n1. [T6]\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the first message lacks %q:\n%s", want, said)
		}
	}
	for _, all := range []string{said, req.System} {
		if strings.Contains(all, idMiddle) {
			t.Errorf("a model reads ids: %s", all)
		}
	}
	if !strings.Contains(req.System, "call submit_plan at once") || !strings.Contains(req.System, "in the language of their own words") {
		t.Errorf("the instruction is %s", req.System)
	}
}

// What is more than a message should have is found with tools.
func TestALargerSetIsReadWithTools(t *testing.T) {
	for name, grow := range map[string]func(*world){
		"many tasks": func(w *world) {
			var many []string
			for i := range 50 {
				many = append(many, fmt.Sprintf("Write chapter %d", i))
			}
			w.prepares("ann", many...)
		},
		"a long document": func(w *world) {
			w.prepares("ann", threeTasks...)
			w.update(func(tx store.Tx) error {
				_, err := tx.Patch(record.Of("ann").Child("processed-documents", "d1"), map[string]any{"content": strings.Repeat("The shop sells seeds. ", 2_000)}, store.AnyVersion)
				return err
			})
		},
	} {
		w := newWorld(t, engines.SQLite(t), analyst.Options{})
		grow(w)
		script := w.says("ann", "-- reply --\ncall submit_plan {\"ordered_task_ids\": [\"T1\"], \"synthesis_summary\": \".\"}")
		w.analyses("ann")
		req := script.Requests()[0]
		if said := req.Messages[0].Parts[0].(llm.Text).Text; strings.Contains(said, "# Document") || !strings.Contains(said, "- T1 | ") || strings.Contains(req.System, "at once") || !strings.Contains(req.System, "You have 10 steps") {
			t.Errorf("%s: the model is told %s %s", name, req.System, said)
		}
	}
}

// A model sees handles in what tools tell it, and in what it said before.
func TestAModelReadsHandlesOnly(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.hasTwoDocuments()
	script := w.says("ann", withTools)
	s, trace := w.analyses("ann")
	if err := script.Finished(); err != nil || s.Status != record.SessionCompleted {
		t.Fatalf("%v: %+v %+v", err, s, trace)
	}
	for i, r := range script.Requests() {
		text, err := json.Marshal(r)
		if err != nil || strings.Contains(string(text), idMiddle) {
			t.Errorf("request %d has ids: %s", i+1, text)
		}
	}
	told := script.Requests()[4].Messages
	if said := told[len(told)-1].Parts[0].(llm.ToolResult).Content; !strings.Contains(said, `"meaning":"T3 must come before T4"`) || !strings.Contains(said, `"source_task_id":"T4"`) {
		t.Errorf("the model was told %s", said)
	}
	if said := string(trace.Steps[2].ToolOutput); !strings.Contains(said, `"reasoning":"No “Build the product page after the design is agreed (2 days)” without “Design the product page (6h)”."`) || !strings.Contains(said, id("d1", 4)) {
		t.Errorf("the trace says %s", said)
	}
}

// withTools looks at the small set with tools, as it has to be done with a larger one.
const withTools = `
-- reply 1 --
when tools contains submit_plan
when history lacks threshold_used
text: What is the shop about?
call semantic-search {"query": "launch the shop", "threshold": 0.4}

-- reply 2 --
when last tool contains threshold_used
text: What do the notes say?
call get-document-context {"task_ids": ["T1", "T6"]}

-- reply 3 --
when last tool contains Before we open
call detect-dependencies {"task_ids": ` + eight + `}

-- reply report --
when tools contains report_dependencies
call report_dependencies {"dependencies": [
| {"first": "T3", "then": "T4", "relationship_type": "prerequisite", "confidence": 0.9, "reasoning": "No T4 without T3."},
| {"first": "T6", "then": "T7", "relationship_type": "blocks", "confidence": 0.9, "reasoning": "Nothing to send before."}]}

-- reply 4 --
when last tool contains kept_manual
call submit_plan {"ordered_task_ids": ` + eight + `, "synthesis_summary": "So."}
`

// The tokens of prompts are what an analysis costs. These numbers are in docs/prioritisation.md; whoever
// raises one says why there.
const (
	mostAtOnce    = 1_160
	mostTools     = 550
	mostWithTools = 6_940
)

func TestPromptsStaySmall(t *testing.T) {
	for _, c := range []struct {
		name, script string
		most         int
	}{{"at once", atOnce, mostAtOnce}, {"with tools", withTools, mostWithTools}} {
		w := newWorld(t, engines.SQLite(t), analyst.Options{})
		w.hasTwoDocuments()
		script := w.says("ann", c.script)
		if s, _ := w.analyses("ann"); s.Status != record.SessionCompleted {
			t.Fatalf("%s: %+v", c.name, s)
		}
		meter, sum := tokens.Meter{}, 0
		for _, r := range script.Requests() {
			n := meter.Request("gpt-5", r)
			without := *r
			without.Tools = nil
			if tools := n - meter.Request("gpt-5", &without); tools > mostTools {
				t.Errorf("%s: tools take %d tokens, more than %d", c.name, tools, mostTools)
			}
			sum += n
		}
		if sum > c.most || sum < c.most*9/10 {
			t.Errorf("%s: %d tokens, and the number that is kept is %d", c.name, sum, c.most)
		}
	}
}
