package priority

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// forgetDocument deletes the relationships of a document's tasks after the document
// was deleted, by whatever means.
func (p *Priority) forgetDocument(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		if job.Change.Before == nil {
			return nil
		}
		return forgetTasks(tx, job.Change.Before)
	}, nil
}

// forgetOutcome deletes the analyses for an outcome after the outcome was deleted, by
// whatever means. One that is under way stops.
func (p *Priority) forgetOutcome(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error { return forgetAnalyses(tx, job.Change.Path) }, nil
}

func forgetAnalyses(tx store.Tx, outcome nestor.Path) error {
	var paths []nestor.Path
	made := store.Query{Collection: record.SessionsOf(outcome.UserID()), Where: store.Where("outcome_id", store.Eq, outcome.ID())}
	err := store.Each(tx, made, func(at nestor.Path, _ *record.AgentSession) { paths = append(paths, at) })
	return errors.Join(err, deleteAll(tx, paths))
}

func deleteAll(tx store.Tx, paths []nestor.Path) error {
	for _, at := range paths {
		if err := tx.Delete(at, store.AnyVersion); err != nil {
			return err
		}
	}
	return nil
}

// forgetTasks deletes the relationships of tasks that stood in a document.
func forgetTasks(tx store.Tx, d *nestor.Document) error {
	document, err := nestor.As[record.SourceDocument](d)
	if err != nil || document.StructuredOutput == nil {
		return err
	}
	gone := map[string]bool{}
	for _, t := range document.StructuredOutput.Tasks {
		gone[t.ID] = true
	}
	var paths []nestor.Path
	err = store.Each(tx, store.Query{Collection: record.RelationshipsOf(d.Path.UserID())}, func(at nestor.Path, r *record.TaskRelationship) {
		if gone[r.SourceTaskID] || gone[r.TargetTaskID] {
			paths = append(paths, at)
		}
	})
	return errors.Join(err, deleteAll(tx, paths))
}
