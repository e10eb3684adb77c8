package analyst_test

import (
	"fmt"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
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

// hasTwoDocuments gives ann eight tasks in two documents.
func (w *world) hasTwoDocuments() {
	w.Helper()
	w.prepares("ann")
	w.update(func(tx store.Tx) error {
		for id, text := range map[string]string{"d1": shop, "d2": press} {
			texts := map[string][]string{
				"d1": {"Choose a name for the shop (1h)", "Ask Anna for the contract", "Design the product page (6h)", "Build the product page after the design is agreed (2 days)", "Test an order with a real card (1h)"},
				"d2": {"Write the press release (3h)", "Send the press release to the papers, due 8 January", "Call the photographer"},
			}[id]
			d := record.SourceDocument{UserID: "ann", Title: "Shop " + id, Content: text, SourceType: "markdown", Status: record.DocumentCompleted, StructuredOutput: &record.StructuredOutput{ExtractedBy: "rules"}}
			for i, t := range texts {
				d.StructuredOutput.Tasks = append(d.StructuredOutput.Tasks, record.ExtractedTask{ID: fmt.Sprintf("%s4k7w2m9qz5x8c1v3bt%d", id, i+1), Text: t, EffortHours: 2})
			}
			if _, err := tx.Put(record.Of("ann").Child("processed-documents", id), d, store.AnyVersion); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestPromptTokens(t *testing.T) {
	w := newWorld(t, engines.SQLite(t), analyst.Options{})
	w.hasTwoDocuments()
	all := `["d14k7w2m9qz5x8c1v3bt1","d14k7w2m9qz5x8c1v3bt2","d14k7w2m9qz5x8c1v3bt3","d14k7w2m9qz5x8c1v3bt4","d14k7w2m9qz5x8c1v3bt5","d24k7w2m9qz5x8c1v3bt1","d24k7w2m9qz5x8c1v3bt2","d24k7w2m9qz5x8c1v3bt3"]`
	script := w.says("ann", `
-- reply 1 --
when tools contains submit_plan
when history lacks threshold_used
text: What is the shop about?
call semantic-search {"query": "launch the shop", "threshold": 0.4}

-- reply 2 --
when last tool contains threshold_used
text: What do the notes say?
call get-document-context {"task_ids": ["d14k7w2m9qz5x8c1v3bt1","d24k7w2m9qz5x8c1v3bt1"]}

-- reply 3 --
when last tool contains Before we open
call detect-dependencies {"task_ids": `+all+`}

-- reply report --
when tools contains report_dependencies
call report_dependencies {"dependencies": [
| {"source_task_id": "d14k7w2m9qz5x8c1v3bt4", "target_task_id": "d14k7w2m9qz5x8c1v3bt3", "relationship_type": "prerequisite", "confidence": 0.9, "reasoning": "No page without a design."},
| {"source_task_id": "d24k7w2m9qz5x8c1v3bt2", "target_task_id": "d24k7w2m9qz5x8c1v3bt1", "relationship_type": "prerequisite", "confidence": 0.9, "reasoning": "Nothing to send before."}]}

-- reply 4 --
when last tool contains kept_manual
call submit_plan {"ordered_task_ids": `+all+`, "synthesis_summary": "So."}
`)
	if s, trace := w.analyses("ann"); s.Status != record.SessionCompleted {
		t.Fatalf("%+v %+v", s, trace)
	}
	meter, sum := tokens.Meter{}, 0
	for i, r := range script.Requests() {
		n := meter.Request("gpt-5", r)
		without := *r
		without.Tools = nil
		sum += n
		t.Logf("request %d: %d tokens, %d of them tools", i+1, n, n-meter.Request("gpt-5", &without))
	}
	t.Logf("sum %d", sum)
}
