package agent

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Control is what people do to work that is under way. They write documents,
// too; handlers that run meanwhile are interrupted, and what they would have
// committed is refused because they check, in their transaction, that it is still
// wanted.
type Control struct {
	Store store.Documents
	Roles *Roles
}

// Cancel ends a task and everything below it. Model streams and tools of it
// stop soon after; whatever they would have written is refused. A task that has
// ended already stays as it is.
func (a *Control) Cancel(ctx context.Context, task nestor.Path, by string) error {
	return a.Store.Update(ctx, func(tx store.Tx) error {
		t, err := get[nestor.Task](tx, task)
		if err != nil || t.Status.Ended() {
			return err
		}
		chat := chatOf(task)
		if err := cancelTree(tx, chat, &t, "cancelled by "+by); err != nil {
			return err
		}
		if t.ParentCallID != "" {
			t.Error = "it was cancelled"
			return answerParent(tx, chat, &t)
		}
		return status(tx, chat, nestor.Message{Content: "“" + excerpt(oneLine(assignment(&t)), 80) + "” was cancelled.", TaskID: t.ID})
	})
}

// Stop ends the orchestrator's answer that is under way and all tasks of a chat.
func (a *Control) Stop(ctx context.Context, chat nestor.Path, by string) error {
	return a.Store.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Get(chat); err != nil {
			return err
		}
		q := tasksOf(chat)
		q.Where = store.Where("status", store.In, []nestor.TaskStatus{nestor.TaskPending, nestor.TaskRunning, nestor.TaskWaiting})
		tasks, err := all[nestor.Task](tx, q)
		if err != nil {
			return err
		}
		for _, listed := range tasks {
			if err := cancelListed(tx, chat, listed.ID, "stopped by "+by); err != nil {
				return err
			}
		}
		d, err := readDialogue(tx, chat)
		if err != nil || len(tasks) == 0 && len(d.open) == 0 {
			return err
		}
		return status(tx, chat, nestor.Message{Content: "Stopped.", RepliesTo: d.newest(), Answers: d.older()})
	})
}

// status tells the chat what a person did. What the message replies to needs no
// answer any more.
func status(tx store.Tx, chat nestor.Path, m nestor.Message) error {
	m.Role, m.Type = nestor.RoleSystem, nestor.MessageStatus
	_, err := tx.Create(chat.Child("messages", nestor.NewID()), m)
	return err
}

// cancelTree cancels a task, its agent with its open calls, and the tasks that
// the agent created.
func cancelTree(tx store.Tx, chat nestor.Path, task *nestor.Task, reason string) error {
	agent, err := findAgent(tx, chat, task)
	if err != nil {
		return err
	}
	if agent != nil {
		path := agentPath(chat, agent.ID)
		calls, err := all[nestor.ToolCall](tx, callsOf(path))
		if err != nil {
			return err
		}
		for _, listed := range calls {
			if listed.Status.Ended() {
				continue
			}
			if err := cancelCall(tx, path.Child("tool-calls", listed.ID), reason); err != nil {
				return err
			}
		}
		below := tasksOf(chat)
		below.Where = store.Where("parentAgentId", store.Eq, agent.ID)
		children, err := all[nestor.Task](tx, below)
		if err != nil {
			return err
		}
		for _, listed := range children {
			if listed.Status.Ended() {
				continue
			}
			if err := cancelListed(tx, chat, listed.ID, reason); err != nil {
				return err
			}
		}
	}
	return end(tx, chat, agent, task, nestor.TaskCancelled, reason)
}

// cancelListed cancels a task that a query found. It is read once more: what
// was only listed may change before it is written, and this task may have been
// cancelled with the one above it.
func cancelListed(tx store.Tx, chat nestor.Path, id, reason string) error {
	task, err := get[nestor.Task](tx, taskPath(chat, id))
	if err != nil || task.Status.Ended() {
		return err
	}
	return cancelTree(tx, chat, &task, reason)
}

// cancelCall does the same for a call.
func cancelCall(tx store.Tx, p nestor.Path, reason string) error {
	call, err := get[nestor.ToolCall](tx, p)
	if err != nil || call.Status.Ended() {
		return err
	}
	call.Status, call.Error = nestor.ToolCallCancelled, reason
	return save(tx, p, call)
}

// findAgent returns nil for a task that has none yet.
func findAgent(r store.Reader, chat nestor.Path, task *nestor.Task) (*nestor.SubAgent, error) {
	if task.SubAgentID == "" {
		return nil, nil
	}
	return store.Find[nestor.SubAgent](r, agentPath(chat, task.SubAgentID))
}

// Pause makes an agent rest after the step it is in: the model call under way
// and the tools that it calls still finish.
func (a *Control) Pause(ctx context.Context, task nestor.Path, _ string) error {
	return a.set(ctx, task, "paused", func(agent *nestor.SubAgent, t *nestor.Task) {
		agent.Paused, t.Paused = new(true), true
	})
}

// Resume lets a paused agent go on.
func (a *Control) Resume(ctx context.Context, task nestor.Path, _ string) error {
	return a.set(ctx, task, "resumed", func(agent *nestor.SubAgent, t *nestor.Task) {
		agent.Paused, t.Paused = new(false), false
	})
}

func (a *Control) set(ctx context.Context, task nestor.Path, what string, change func(*nestor.SubAgent, *nestor.Task)) error {
	return a.Store.Update(ctx, func(tx store.Tx) error {
		t, err := get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		chat := chatOf(task)
		agent, err := findAgent(tx, chat, &t)
		if err != nil {
			return err
		}
		if agent == nil || t.Status.Ended() {
			return nestor.Errorf(nestor.CodeInvalid, "task %s is %s: it cannot be %s", t.ID, t.Status, what)
		}
		paused := t.Paused
		if change(agent, &t); t.Paused == paused {
			return nil
		}
		if err := save(tx, agentPath(chat, agent.ID), agent); err != nil {
			return err
		}
		return save(tx, task, t)
	})
}

// Steer gives an agent a message. One that runs sees it at its next step, one
// that waits takes it for the answer, one that ended goes on with it.
func (a *Control) Steer(ctx context.Context, task nestor.Path, by, content string) (d *nestor.Document, err error) {
	id := nestor.NewID()
	err = a.Store.Update(ctx, func(tx store.Tx) error {
		t, err := get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		if t.SubAgentID == "" {
			return nestor.Errorf(nestor.CodeInvalid, "task %s has no agent yet", t.ID)
		}
		d, err = deliver(tx, a.Roles, agentPath(chatOf(task), t.SubAgentID), id,
			said{content: content, name: by, author: by, person: true, askers: nestor.Askers{by}})
		return err
	})
	return d, err
}

// Retry has a failed task go on from its last good step: nothing that was
// committed is done again. One that failed before it had an agent starts anew,
// and so does one that is a call of a tool: the call is made again.
func (a *Control) Retry(ctx context.Context, task nestor.Path, by string) error {
	return a.Store.Update(ctx, func(tx store.Tx) error {
		t, err := get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		if t.Status != nestor.TaskFailed {
			return nestor.Errorf(nestor.CodeInvalid, "task %s is %s: only a failed task can be tried again", t.ID, t.Status)
		}
		chat := chatOf(task)
		agent, err := findAgent(tx, chat, &t)
		if err != nil {
			return err
		}
		if agent == nil || agent.Tool != "" {
			return startAnew(tx, task, agent, &t, by)
		}
		agent.Paused = new(false) // what the trigger of the loop looks for
		return wake(tx, a.Roles, chat, agent, &t, nestor.Askers{by})
	})
}

// startAnew makes a failed task pending again.
func startAnew(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, task *nestor.Task, by string) error {
	chat := chatOf(path)
	if err := answerParent(tx, chat, task); err != nil {
		return err
	}
	task.Status, task.Error, task.EndedAt, task.ParentCallID = nestor.TaskPending, "", 0, ""
	task.AskedBy = task.AskedBy.Or(chat.UserID()).With(by)
	if agent != nil {
		agent.Status, agent.AskedBy = nestor.SubAgentActive, task.AskedBy
		if err := save(tx, agentPath(chat, agent.ID), agent); err != nil {
			return err
		}
	}
	return save(tx, path, task)
}
