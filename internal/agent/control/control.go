package control

import (
	"context"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// Control is what people do to work that is under way. They write documents,
// too; handlers that run meanwhile are interrupted, and what they would have
// committed is refused because they check, in their transaction, that it is still
// wanted.
type Control struct {
	Store store.Documents
	Roles *role.Roles
	// StopOthers stops the answers to messages that participants of modules give. It
	// reports whether there was one. Defaults to none.
	StopOthers func(tx store.Tx, chat nestor.Path, handed []nestor.Message) (bool, error)
}

// Cancel ends a task and everything below it. Model streams and tools of it
// stop soon after; whatever they would have written is refused. A task that has
// ended already stays as it is.
func (c *Control) Cancel(ctx context.Context, task nestor.Path, by string) error {
	return c.Store.Update(ctx, func(tx store.Tx) error { return CancelTask(tx, task, by) })
}

// CancelTask ends a task and everything below it, in a transaction.
func CancelTask(tx store.Tx, task nestor.Path, by string) error {
	t, err := chatdoc.Get[nestor.Task](tx, task)
	if err != nil || t.Status.Ended() {
		return err
	}
	chat := chatdoc.ChatOf(task)
	if err := cancelTree(tx, chat, &t, "cancelled by "+by); err != nil {
		return err
	}
	if t.ParentCallID != "" {
		t.Error = "it was cancelled"
		return lifecycle.AnswerParent(tx, chat, &t)
	}
	return status(tx, chat, nestor.Message{Content: "“" + wording.Title(&t) + "” was cancelled.", TaskID: t.ID})
}

// Stop ends the answer that is under way and all tasks of a chat.
func (c *Control) Stop(ctx context.Context, chat nestor.Path, by string) error {
	return c.Store.Update(ctx, func(tx store.Tx) error {
		if _, err := tx.Get(chat); err != nil {
			return err
		}
		q := chatdoc.TasksOf(chat)
		q.Where = store.Where("status", store.In, []nestor.TaskStatus{nestor.TaskPending, nestor.TaskRunning, nestor.TaskWaiting})
		tasks, err := chatdoc.All[nestor.Task](tx, q)
		if err != nil {
			return err
		}
		for _, listed := range tasks {
			if err := cancelListed(tx, chat, listed.ID, "stopped by "+by); err != nil {
				return err
			}
		}
		d, err := conversation.ReadDialogue(tx, chat)
		if err != nil {
			return err
		}
		others := false
		if c.StopOthers != nil {
			if others, err = c.StopOthers(tx, chat, d.Handed()); err != nil {
				return err
			}
		}
		if len(tasks) == 0 && len(d.Open) == 0 && !others {
			return nil
		}
		stopped := nestor.Message{Content: "Stopped.", RepliesTo: d.Newest(), Answers: d.Older()}
		answering := others || slices.ContainsFunc(tasks, func(t nestor.Task) bool { return t.Standing })
		if handed := d.Handed(); stopped.RepliesTo == "" && answering && len(handed) > 0 {
			stopped.RepliesTo = handed[len(handed)-1].ID
		}
		return status(tx, chat, stopped)
	})
}

// status tells the chat what a person did. What the message replies to needs no
// answer any more.
func status(tx store.Tx, chat nestor.Path, m nestor.Message) error {
	m.Role, m.Type = nestor.RoleSystem, nestor.MessageStatus
	_, err := tx.Create(chat.Child("messages", nestor.NewID()), m)
	return err
}

// Pause makes an agent rest after the step it is in: the model call under way
// and the tools that it calls still finish.
func (c *Control) Pause(ctx context.Context, task nestor.Path, _ string) error {
	return c.set(ctx, task, "paused", func(agent *nestor.SubAgent, t *nestor.Task) {
		agent.Paused, t.Paused = new(true), true
	})
}

// Resume lets a paused agent go on.
func (c *Control) Resume(ctx context.Context, task nestor.Path, _ string) error {
	return c.set(ctx, task, "resumed", func(agent *nestor.SubAgent, t *nestor.Task) {
		agent.Paused, t.Paused = new(false), false
	})
}

func (c *Control) set(ctx context.Context, task nestor.Path, what string, change func(*nestor.SubAgent, *nestor.Task)) error {
	return c.Store.Update(ctx, func(tx store.Tx) error {
		t, err := chatdoc.Get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		chat := chatdoc.ChatOf(task)
		agent, err := chatdoc.FindAgent(tx, chat, &t)
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
		if !t.Paused {
			if err := lifecycle.ResumeRun(tx, chat, t.RunID); err != nil {
				return err
			}
		}
		if err := chatdoc.Save(tx, chatdoc.AgentPath(chat, agent.ID), agent); err != nil {
			return err
		}
		return chatdoc.Save(tx, task, t)
	})
}

// Steer gives an agent a message. One that runs sees it at its next step, one
// that waits takes it for the answer, one that ended goes on with it. Parts, if there are
// any, are all that it says.
func (c *Control) Steer(ctx context.Context, task nestor.Path, by, content string, parts ...nestor.Part) (*nestor.Document, error) {
	return c.SteerAs(ctx, task, by, nestor.NewID(), content, parts...)
}

// SteerAs does so with an id for the message: if there is such a message, the agent has
// it already.
func (c *Control) SteerAs(ctx context.Context, task nestor.Path, by, id, content string, parts ...nestor.Part) (d *nestor.Document, err error) {
	err = c.Store.Update(ctx, func(tx store.Tx) error {
		t, err := chatdoc.Get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		if t.SubAgentID == "" {
			return nestor.Errorf(nestor.CodeInvalid, "task %s has no agent yet", t.ID)
		}
		agent := chatdoc.AgentPath(chatdoc.ChatOf(task), t.SubAgentID)
		if d, err = store.FindDocument(tx, agent.Child("messages", id)); err != nil || d != nil {
			return err
		}
		d, err = lifecycle.Deliver(tx, c.Roles, agent, id,
			lifecycle.Said{Content: content, Parts: parts, Name: by, Author: by, Person: true, Askers: nestor.Askers{by}})
		return err
	})
	return d, err
}

// Retry has a failed task go on from its last good step: nothing that was
// committed is done again. One that failed before it had an agent starts anew,
// and so does one that is a call of a tool: the call is made again.
func (c *Control) Retry(ctx context.Context, task nestor.Path, by string) error {
	return c.Store.Update(ctx, func(tx store.Tx) error {
		t, err := chatdoc.Get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		if t.Status != nestor.TaskFailed {
			return nestor.Errorf(nestor.CodeInvalid, "task %s is %s: only a failed task can be tried again", t.ID, t.Status)
		}
		chat := chatdoc.ChatOf(task)
		agent, err := chatdoc.FindAgent(tx, chat, &t)
		if err != nil {
			return err
		}
		if agent == nil || agent.Tool != "" {
			return startAnew(tx, task, agent, &t, by)
		}
		if t.Outcome == nestor.TaskCouldNot { // it has concluded: somebody has to say that it is to go on
			_, err := lifecycle.Deliver(tx, c.Roles, chatdoc.AgentPath(chat, agent.ID), nestor.NewID(),
				lifecycle.Said{Content: "Try again.", Name: by, Author: by, Person: true, Askers: nestor.Askers{by}})
			return err
		}
		agent.Paused = new(false) // what the trigger of the loop looks for
		return lifecycle.Wake(tx, c.Roles, chat, agent, &t, "", nestor.Askers{by})
	})
}

// startAnew makes a failed task pending again.
func startAnew(tx store.Tx, path nestor.Path, agent *nestor.SubAgent, task *nestor.Task, by string) error {
	chat := chatdoc.ChatOf(path)
	if err := lifecycle.AnswerParent(tx, chat, task); err != nil {
		return err
	}
	task.Status, task.Error, task.EndedAt, task.ParentCallID = nestor.TaskPending, "", 0, ""
	task.AskedBy = task.AskedBy.Or(chat.UserID()).With(by)
	if err := lifecycle.ResumeRun(tx, chat, task.RunID); err != nil {
		return err
	}
	if agent != nil {
		agent.Status, agent.AskedBy = nestor.SubAgentActive, task.AskedBy
		if err := chatdoc.Save(tx, chatdoc.AgentPath(chat, agent.ID), agent); err != nil {
			return err
		}
	}
	return chatdoc.Save(tx, path, task)
}
