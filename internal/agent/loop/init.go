package loop

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// InitAgent gives a new task its agent: the sub-agent, its instructions and its
// task, and the task set running, in one transaction.
func (l *Loop) InitAgent(_ context.Context, job *nestor.Job) (worker.Effect, error) {
	p := job.Change.Path
	chat := chatdoc.ChatOf(p)
	return func(tx store.Tx) error {
		if err := store.Expect(tx, p, chat); err != nil {
			return err
		}
		task, err := store.Find[nestor.Task](tx, p)
		if err != nil || task == nil || task.Status != nestor.TaskPending || task.Type == nestor.TaskTool {
			return err
		}
		name, _ := strings.CutPrefix(task.Name, "agent:")
		role, ok := l.Roles.Roles[name]
		if !ok {
			return lifecycle.End(tx, chat, nil, task, nestor.TaskFailed,
				"there is no role "+name+"; there are: "+strings.Join(l.Roles.Names(), ", "))
		}
		if task.ResultSchema != nil {
			if _, err := controltool.NewForm(task.ResultSchema); err != nil {
				return lifecycle.End(tx, chat, nil, task, nestor.TaskFailed, "the task could not be started: resultSchema: "+err.Error())
			}
		}
		c, err := chatdoc.Get[nestor.Chat](tx, chat)
		if err != nil {
			return err
		}
		id := job.DeriveID("agent")
		agent := chatdoc.AgentPath(chat, id)
		if _, err := tx.Create(agent, nestor.SubAgent{
			TaskID: task.ID, AskedBy: task.AskedBy, Role: name, Status: nestor.SubAgentActive, IterationLimit: role.MaxIterations, ResultSchema: task.ResultSchema,
			ParentID: task.ParentAgentID, Depth: task.Depth,
			ModelConnectionID: cmp.Or(role.ModelConnectionID, c.ModelConnectionID), ClientTools: c.ClientTools,
			Work: &nestor.AgentWork{},
		}); err != nil {
			return err
		}
		task.Status, task.SubAgentID, task.StartedAt, task.Error, task.EndedAt = nestor.TaskRunning, id, chatdoc.Now(), "", 0
		task.Budget = cmp.Or(task.Budget, role.Budget)
		if err := chatdoc.Save(tx, p, task); err != nil {
			return err
		}
		if err := l.Memory.Begin(tx, agent, &c, task); err != nil {
			return err
		}
		if _, err := tx.Create(agent.Child("messages", job.DeriveID("system")), nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Content: role.System(&c, time.Now()),
		}); err != nil {
			return err
		}
		parts, err := attached(tx, chat, task)
		if err != nil {
			return err
		}
		_, err = tx.Create(agent.Child("messages", job.DeriveID("instruction")), nestor.SubAgentMessage{
			Role: nestor.RoleUser, Content: task.Instruction, Parts: parts,
		})
		return err
	}, nil
}

// attached are the instruction of a task and the files of the message that it was
// created for, nil if that has none.
func attached(tx store.Tx, chat nestor.Path, task *nestor.Task) (parts []nestor.Part, err error) {
	if task.TriggerMessageID == "" {
		return nil, nil
	}
	m, err := store.Find[nestor.Message](tx, chat.Child("messages", task.TriggerMessageID))
	if err != nil || m == nil {
		return nil, err
	}
	for _, p := range m.Parts {
		if p.Type != nestor.PartText {
			parts = append(parts, p)
		}
	}
	if len(parts) > 0 && task.Instruction != "" {
		parts = append([]nestor.Part{{Type: nestor.PartText, Text: task.Instruction}}, parts...)
	}
	return parts, nil
}

// InitFailed fails a task that cannot be started, whether it has an agent or is a
// call of a tool.
func (l *Loop) InitFailed(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		task, err := store.Find[nestor.Task](tx, job.Change.Path)
		if err != nil || task == nil || task.Status != nestor.TaskPending {
			return err
		}
		chat := chatdoc.ChatOf(job.Change.Path)
		agent, err := chatdoc.FindAgent(tx, chat, task) // of a call that is made again
		if err != nil {
			return err
		}
		return lifecycle.End(tx, chat, agent, task, nestor.TaskFailed, "the task could not be started: "+wording.Reason(job, cause))
	}
}
