package toolrun

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// CallEnded lets the next call go when one has ended. Our handlers do so when
// they end a call; a program in place of the tool runner does not.
func (runner *Runner) CallEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	return func(tx store.Tx) error {
		call, err := store.Find[nestor.ToolCall](tx, path)
		if err != nil || call == nil || !call.Status.Ended() || call.Status == nestor.ToolCallCancelled {
			return err
		}
		return lifecycle.ReleaseNext(tx, path.Parent(), call)
	}, nil
}

// ChildEnded answers the call that waits for a task. Our handlers do so when they
// end a task; here it is done for a task that somebody else ended or deleted.
func (runner *Runner) ChildEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		switch {
		case err != nil:
			return err
		case task == nil && job.Change.Before == nil:
			return nil // deleted since: the job of the deletion has the task
		case task == nil:
			was, err := nestor.As[nestor.Task](job.Change.Before)
			if err != nil {
				return err
			}
			if task = &was; !task.Status.Ended() {
				task.Status, task.Error = nestor.TaskFailed, "it was deleted"
			}
		case !task.Status.Ended():
			return nil // it goes on: whoever woke it has answered
		}
		if task.Status == nestor.TaskCancelled {
			task.Error = "it was cancelled"
		}
		return lifecycle.AnswerParent(tx, chatdoc.ChatOf(job.Change.Path), task)
	}, nil
}

// TaskCallEnded ends a task with its call. Our handlers do so when they end the
// call; a program in place of the tool runner does not.
func (runner *Runner) TaskCallEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	return func(tx store.Tx) error {
		call, err := store.Find[nestor.ToolCall](tx, path)
		if err != nil || call == nil || !call.EndsTask || !call.Status.Ended() {
			return err
		}
		return lifecycle.EndToolTask(tx, path.Parent(), call)
	}, nil
}
