package chatdoc

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// EachAbove calls fn with the agents above a task, nearest first, until it returns false.
// The task of an agent tells who is above that. A walk that meets more agents than can be
// above one is in a circle, which no server writes: the error is of [nestor.CodeInvalid]
// and names the task.
func EachAbove(r store.Reader, chat nestor.Path, task *nestor.Task, fn func(*nestor.SubAgent, *nestor.Task) (more bool, err error)) error {
	for id, n := task.ParentAgentID, 0; id != ""; n++ {
		if n == nestor.MaxAgentDepth {
			return nestor.Errorf(nestor.CodeInvalid, "the task %s has more than %d agents above it: they lie in a circle", task.ID, nestor.MaxAgentDepth)
		}
		agent, err := store.Find[nestor.SubAgent](r, AgentPath(chat, id))
		if err != nil || agent == nil {
			return err
		}
		of, err := store.Find[nestor.Task](r, TaskPath(chat, agent.TaskID))
		if err != nil {
			return err
		}
		if more, err := fn(agent, of); err != nil || !more || of == nil {
			return err
		}
		id = of.ParentAgentID
	}
	return nil
}
