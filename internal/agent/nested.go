package agent

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// control carries out a control call that somebody else's loop left pending.
func (a *Runner) control(r *run) worker.Effect {
	in, err := understandControl(r.call.ToolName, argumentText(r.call.Args), r.role, r.agent.Depth)
	if err != nil {
		return r.finish(nestor.ToolCallFailed, err.Error())
	}
	return func(tx store.Tx) error {
		call, err := r.current(tx)
		if err != nil || call == nil || call.TaskID != "" {
			return err
		}
		agent, err := get[nestor.SubAgent](tx, r.agentPath()) // as it is now: others may have spoken to it
		if err != nil {
			return err
		}
		return startChild(tx, r.agentPath(), &agent, call, in)
	}
}

// childEnded answers the call that waits for a task. Whoever ends a task in a
// handler of ours has done so with its end; a task that somebody else ended, or
// deleted, is answered here.
func (a *Runner) childEnded(_ context.Context, job *nestor.Job) (worker.Effect, error) {
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
		return answerParent(tx, chatOf(job.Change.Path), task)
	}, nil
}
