package priority

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/intake"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

var documentReactions = []nestor.Trigger{{
	ID: "on-document-queued", Collection: "users/*/processed-documents", Condition: "event.document.data.status == 'queued'",
	Action: "POST /webhook/process-document",
}, {
	ID: "on-document-deleted", Collection: "users/*/processed-documents", Events: []nestor.ChangeType{nestor.Delete},
	Action: "POST /webhook/forget-document",
}, {
	ID: "on-outcome-deleted", Collection: "users/*/outcomes", Events: []nestor.ChangeType{nestor.Delete},
	Action: "POST /webhook/forget-outcome",
}}

var documentHandlers = []module.Handler[*Priority]{
	{Stage: trigger.Stage{Name: "process-document", Key: "document:{path}", Coalesce: true}, Run: (*Priority).processDocument, Exhausted: (*Priority).processingFailed},
	{Stage: trigger.Stage{Name: "forget-document", Key: "document:{path}"}, Run: (*Priority).forgetDocument},
	{Stage: trigger.Stage{Name: "forget-outcome", Key: "outcome:{path}"}, Run: (*Priority).forgetOutcome},
}

// extractedByRules is who found tasks without a model.
const extractedByRules = "rules"

// processDocument finds the tasks of a document. Ids come of the texts, so whoever
// finds a task again finds it under its id: marks and relationships stay. A document
// that is changed meanwhile is queued again, and has a job of its own.
func (p *Priority) processDocument(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	at := job.Change.Path
	d, err := p.begin(ctx, at)
	if err != nil || d == nil {
		return nil, err
	}
	bill := p.asker.NewBill(job.ID, at.UserID())
	out, notice := record.StructuredOutput{ExtractedBy: extractedByRules}, ""
	model, err := p.asker.Model(ctx, at.UserID())
	if err != nil {
		return nil, err
	}
	if model != nil {
		out.ExtractedBy = model.Name()
		out.Tasks, err = p.extract(ctx, bill, model, d)
	}
	switch {
	case err == errUseless, errors.Is(err, nestor.ErrForbidden), errors.Is(err, nestor.ErrOverBudget):
		text, _ := nestor.PublicText(err)
		out.ExtractedBy, notice, model = extractedByRules, "Tasks were found by rules instead of the model: "+text+".", nil
	case err != nil:
		return nil, err
	}
	if model == nil {
		out.Tasks = intake.Tasks(at.ID(), d.Content, d.Added())
	}
	all := len(out.Tasks)
	if out.Tasks, err = fitting(out.Tasks); err != nil {
		return nil, err
	}
	if n := len(out.Tasks); n < all {
		notice = join(notice, fmt.Sprintf("Only the first %d of %d tasks are kept: split the document.", n, all))
	}
	if len(out.Tasks) == 0 {
		out.Tasks = []record.ExtractedTask{}
		notice = join(notice, noTasks)
	}
	return func(tx store.Tx) error {
		err := change(tx, at, func(now *record.SourceDocument) bool {
			if now.Status != record.DocumentProcessing || now.Content != d.Content {
				return false
			}
			now.Status, now.Error, now.Notice, now.StructuredOutput = record.DocumentCompleted, "", notice, &out
			return true
		})
		if err != nil {
			return err
		}
		return bill.Pay(tx)
	}, nil
}

const noTasks = "No tasks were found in this document. Write each as a list item, a checkbox or a sentence that says what to do."

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// begin shows that a document is being processed, and returns it. It is nil if
// there is nothing to do.
func (p *Priority) begin(ctx context.Context, at nestor.Path) (d *record.SourceDocument, err error) {
	err = p.store.Update(ctx, func(tx store.Tx) error {
		d = nil
		return change(tx, at, func(now *record.SourceDocument) bool {
			if now.Status != record.DocumentQueued && now.Status != record.DocumentProcessing {
				return false
			}
			d = now
			queued := now.Status == record.DocumentQueued
			now.Status = record.DocumentProcessing
			return queued
		})
	})
	return d, err
}

// processingFailed says in the document why it cannot be processed. What was found
// before stays.
func (p *Priority) processingFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		text, ok := nestor.PublicText(cause)
		if !ok {
			text = "something went wrong on the server; its log says what"
		}
		err := change(tx, job.Change.Path, func(now *record.SourceDocument) bool {
			if now.Status != record.DocumentProcessing && now.Status != record.DocumentQueued {
				return false
			}
			now.Status, now.Error = record.DocumentFailed, fmt.Sprintf("The tasks could not be found: %s. Change the content, or send it again, to try once more.", text)
			return true
		})
		if err != nil {
			return err
		}
		return p.asker.NewBill(job.ID, job.Change.Path.UserID()).Drop(tx)
	}
}

// change writes a document that is still there if fn says so.
func change(tx store.Tx, at nestor.Path, fn func(*record.SourceDocument) bool) error {
	found, err := store.FindDocument(tx, at)
	if err != nil || found == nil {
		return err
	}
	d, err := nestor.As[record.SourceDocument](found)
	if err != nil || !fn(&d) {
		return err
	}
	_, err = tx.Put(at, d, store.AnyVersion)
	return err
}

// maxTaskBytes is how much of a stored document its tasks may take.
const maxTaskBytes = 400 << 10

// maxTasks is how many tasks one document has at most.
const maxTasks = 2000

// fitting are the tasks that fit into the stored document: the first ones.
func fitting(tasks []record.ExtractedTask) ([]record.ExtractedTask, error) {
	tasks = tasks[:min(len(tasks), maxTasks)]
	size := 0
	for i, t := range tasks {
		text, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		if size += len(text) + 1; size > maxTaskBytes {
			return tasks[:i], nil
		}
	}
	return tasks, nil
}
