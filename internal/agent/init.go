package agent

import (
	"cmp"
	"context"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// initAgent gives a new task its agent: the sub-agent, its instructions and its
// task, and the task set running, in one transaction.
func (a *Loop) initAgent(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	p := job.Change.Path
	chat := chatOf(p)
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, p)
		if err != nil || task == nil || task.Status != nestor.TaskPending || task.Type == nestor.TaskTool {
			return err
		}
		name, _ := strings.CutPrefix(task.Name, "agent:")
		role, ok := a.Roles.Roles[name]
		if !ok {
			return end(tx, chat, nil, task, nestor.TaskFailed,
				"there is no role "+name+"; there are: "+strings.Join(a.Roles.names(), ", "))
		}
		c, err := get[nestor.Chat](tx, chat)
		if err != nil {
			return err
		}
		id := job.DeriveID("agent")
		agent := agentPath(chat, id)
		if _, err := tx.Create(agent, nestor.SubAgent{
			TaskID: task.ID, AskedBy: task.AskedBy, Role: name, Status: nestor.SubAgentActive, IterationLimit: role.MaxIterations,
			ParentID: task.ParentAgentID, Depth: task.Depth,
			ModelConnectionID: cmp.Or(role.ModelConnectionID, c.ModelConnectionID),
		}); err != nil {
			return err
		}
		task.Status, task.SubAgentID, task.StartedAt, task.Error, task.EndedAt = nestor.TaskRunning, id, now(), "", 0
		task.Budget = cmp.Or(task.Budget, role.Budget)
		if err := save(tx, p, task); err != nil {
			return err
		}
		if _, err := tx.Create(agent.Child("messages", job.DeriveID("system")), nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Content: role.Instructions,
		}); err != nil {
			return err
		}
		_, err = tx.Create(agent.Child("messages", job.DeriveID("instruction")), nestor.SubAgentMessage{
			Role: nestor.RoleUser, Content: task.Instruction,
		})
		return err
	}, nil
}

func (a *Loop) initFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskPending {
			return err
		}
		chat := chatOf(job.Change.Path)
		agent, err := findAgent(tx, chat, task) // of a call that is made again
		if err != nil {
			return err
		}
		return end(tx, chat, agent, task, nestor.TaskFailed, "the task could not be started: "+reason(job, cause))
	}
}
