package toolrun

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// CallEnded lets the call go that waits for one that ended, if who ended it has
// not: that is a program that takes the place of the tool runner.
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

// ChildEnded answers the call that waits for a task. Whoever ends a task in a
// handler of ours has done so with its end; a task that somebody else ended, or
// deleted, is answered here.
func (runner *Runner) ChildEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		switch {
		case err != nil:
			return err
		case task == nil && job.Change.Before == nil:
			return nil // ended and deleted since: the job of that has the task
		case task == nil:
			was, err := nestor.As[nestor.Task](job.Change.Before)
			if err != nil {
				return err
			}
			if task = &was; !task.Status.Ended() {
				task.Status, task.Error = nestor.TaskFailed, "it was deleted"
			}
		case !task.Status.Ended():
			return nil // it goes on, and who had it go on has answered
		}
		if task.Status == nestor.TaskCancelled {
			task.Error = "it was cancelled"
		}
		return lifecycle.AnswerParent(tx, chatdoc.ChatOf(job.Change.Path), task)
	}, nil
}

// TaskCallEnded ends a task with its call if who ended the call has not: that is a
// program that takes the place of the tool runner.
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
