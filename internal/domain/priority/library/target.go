package library

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// target is what the vectors of a user are to be made by.
type target struct {
	model    string
	embedder llm.Embedder // nil: by words
	noted    bool         // the user's [record.VectorSet] says so, too
}

// retryAfter is how long a model that failed for good is not asked again.
const retryAfter = time.Hour

// target finds out what is connected. A model that failed for good a while ago is
// passed over.
func (l *Library) target(ctx context.Context, userID string) (target, error) {
	t := target{model: vector.LexicalModel}
	e, err := l.embedder(ctx, userID)
	if err != nil {
		return t, err
	}
	err = l.store.View(ctx, func(r store.Reader) error {
		t = target{model: vector.LexicalModel}
		set, err := store.Find[record.VectorSet](r, record.VectorSetOf(userID))
		if err != nil {
			return err
		}
		if e != nil && (set == nil || set.FailedModel != e.Name() || time.Since(time.UnixMilli(set.FailedAt)) > retryAfter) {
			t.model, t.embedder = e.Name(), e
		}
		t.noted = set != nil && set.Model == t.model
		return nil
	})
	return t, err
}

// embedder is that of the default connection, nil if there is none, or if the
// connection is broken in a way that only a person can mend.
func (l *Library) embedder(ctx context.Context, userID string) (llm.Embedder, error) {
	if l.embedders == nil {
		return nil, nil
	}
	e, err := l.embedders.Embedder(ctx, userID, "")
	if err != nil && lasting(err) {
		l.log.Warn("tasks are compared by their words: the model connection is broken", "user", userID, "error", err)
		return nil, nil
	}
	return e, err
}

// lasting reports whether it is useless to try again.
func lasting(err error) bool {
	switch nestor.CodeOf(err) {
	case nestor.CodeInvalid, nestor.CodeUnauthenticated, nestor.CodeForbidden, nestor.CodeNotFound, nestor.CodeTooLarge, nestor.CodeOverBudget:
		return true
	}
	return false
}

// note has the vectors of a user made by another model. Writing the set queues the
// job.
func (l *Library) note(ctx context.Context, userID, model string) error {
	return l.store.Update(ctx, func(tx store.Tx) error {
		set, err := store.Find[record.VectorSet](tx, record.VectorSetOf(userID))
		if err != nil || set != nil && set.Model == model {
			return err
		}
		_, err = tx.Put(record.VectorSetOf(userID), record.VectorSet{UserID: userID, Model: model}, store.AnyVersion)
		return err
	})
}

// fallBack has the vectors of a user made by words, since the model failed for good,
// and keeps the reason. Writing the set queues the job.
func fallBack(userID string, cause error) worker.Effect {
	return func(tx store.Tx) error {
		set, err := store.Find[record.VectorSet](tx, record.VectorSetOf(userID))
		if err != nil || set == nil || set.Model == vector.LexicalModel {
			return err
		}
		_, err = tx.Put(record.VectorSetOf(userID), record.VectorSet{
			UserID: userID, Model: vector.LexicalModel, FailedModel: set.Model, FailedAt: nestor.Millis(time.Now()),
			Note: "Tasks are compared by their words, since " + set.Model + " could not be used: " + cause.Error(),
		}, store.AnyVersion)
		return err
	}
}
