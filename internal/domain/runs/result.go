package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Result is a run and what came of it. It waits until the run has ended or waits for
// somebody, but no longer than for so long; then the run is told as it stands.
func (r *Runs) Result(ctx context.Context, at nestor.Path, wait time.Duration) (nestor.RunResult, error) {
	result, err := r.result(ctx, at)
	if err != nil || rests(&result.Run) || wait <= 0 || r.feed == nil {
		return result, err
	}
	ended := errors.New("the time to wait is over")
	waiting, stop := context.WithTimeoutCause(ctx, wait, ended)
	defer stop()
	for e, err := range r.feed.Follow(waiting, result.Run.Seq, 0, nestor.Glob(at)) {
		if err != nil {
			return result, err
		}
		if e.Change == nil {
			continue
		}
		if e.Change.After == nil {
			return result, nestor.Errorf(nestor.CodeNotFound, "the run %s was deleted", at.ID())
		}
		now, err := nestor.As[nestor.Run](e.Change.After)
		if err != nil {
			return result, err
		}
		if rests(&now) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return result, err // whoever asked is gone
	}
	return r.result(ctx, at)
}

// rests reports whether nothing happens in a run by itself.
func rests(run *nestor.Run) bool { return run.Status != nestor.RunRunning }

func (r *Runs) result(ctx context.Context, at nestor.Path) (result nestor.RunResult, err error) {
	err = r.store.View(ctx, func(docs store.Reader) error {
		result = nestor.RunResult{Messages: []nestor.Message{}}
		d, err := docs.Get(at)
		if err != nil {
			return err
		}
		if result.Run, err = nestor.As[nestor.Run](d); err != nil {
			return err
		}
		chat := nestor.Path(at.Tenant()).Child("orch-chats", result.Run.ChatID)
		for _, id := range result.Run.Answers {
			m, err := store.Find[nestor.Message](docs, chat.Child("messages", id))
			if err != nil {
				return err
			}
			if m != nil {
				result.Messages = append(result.Messages, *m)
			}
		}
		result.Text = textOf(result.Messages)
		return nil
	})
	return result, err
}

// textOf is what the answers of a run come to: the last one, below the results that it goes
// on from and does not repeat. Questions that were put meanwhile are no part of it.
func textOf(answers []nestor.Message) string {
	var text string
	for i, m := range slices.Backward(answers) {
		switch {
		case i == len(answers)-1:
			text = m.Content
		case m.Title != "":
			text = m.Content + "\n\n" + text
		case m.QuestionID == "":
			return text
		}
	}
	return text
}

// Cancel ends everything that a run has under way. A run that has ended stays as it is.
func (r *Runs) Cancel(ctx context.Context, at nestor.Path, by string) error {
	return r.store.Update(ctx, func(tx store.Tx) error {
		d, err := tx.Get(at)
		if err != nil {
			return err
		}
		run, err := nestor.As[nestor.Run](d)
		if err != nil || run.Status.Ended() {
			return err
		}
		run.CancelledBy = by
		if _, err := tx.Put(at, run, store.AnyVersion); err != nil {
			return err
		}
		if end := r.cancel[run.Kind]; end != nil {
			return end(tx, &run, by)
		}
		return nil
	})
}
