package a2a

import (
	"context"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// states are the states of tasks by those of runs.
var states = map[nestor.RunStatus]a2a.TaskState{
	nestor.RunRunning: a2a.TaskStateWorking, nestor.RunWaiting: a2a.TaskStateInputRequired, nestor.RunSuccess: a2a.TaskStateCompleted,
	nestor.RunFailed: a2a.TaskStateFailed, nestor.RunCancelled: a2a.TaskStateCanceled,
}

// task is a run as the task that it is, with what the caller may read of it.
func (h *handler) task(ctx context.Context, p nestor.Path, history *int) (*a2a.Task, error) {
	task, err := h.door.task(ctx, p, h.r.View)
	if err == nil && history != nil {
		task.History = task.History[max(0, len(task.History)-max(0, *history)):]
	}
	return task, err
}

func (d *Door) task(ctx context.Context, p nestor.Path, view func(func(store.Reader) error) error) (*a2a.Task, error) {
	result, err := d.Runs().Result(ctx, p, 0)
	if err != nil {
		return nil, err
	}
	task := taskOf(&result.Run)
	for _, m := range result.Messages {
		if m.Type != nestor.MessageError && m.Content != "" {
			task.Artifacts = append(task.Artifacts, &a2a.Artifact{ID: a2a.ArtifactID(m.ID), Parts: a2a.ContentParts{a2a.TextPart{Text: m.Content}}})
		}
	}
	err = view(func(docs store.Reader) error {
		root, err := store.Find[nestor.Message](docs, result.Run.Of(result.Run.Root))
		if err != nil {
			return err
		}
		task.History = historyOf(task, root, result.Messages)
		return explain(docs, &result.Run, task)
	})
	return task, err
}

// taskOf is a run as a task, without what was said.
func taskOf(run *nestor.Run) *a2a.Task {
	at := time.UnixMilli(max(run.UpdatedAt, run.BeganAt)).UTC()
	return &a2a.Task{
		ID: a2a.TaskID(run.ID), ContextID: run.ChatID, Status: a2a.TaskStatus{State: states[run.Status], Timestamp: &at},
	}
}

// explain says in the status of a task what it waits for, or why it failed.
func explain(docs store.Reader, run *nestor.Run, task *a2a.Task) error {
	switch run.Status {
	case nestor.RunWaiting:
		needs, err := needsOf(docs, run)
		if err != nil {
			return err
		}
		task.Status.Message = needs.message(task)
	case nestor.RunFailed:
		task.Status.Message = messageAbout(task, "failed", strings.Join(run.Errors, "\n"))
	}
	return nil
}

// messageAbout is a message of the agent about its task. Its id is the same whenever it is
// told.
func messageAbout(task *a2a.Task, what, text string, more ...a2a.Part) *a2a.Message {
	return &a2a.Message{
		ID: nestor.DeriveID("a2a", string(task.ID), what, text), Role: a2a.MessageRoleAgent, TaskID: task.ID, ContextID: task.ContextID,
		Parts: append(a2a.ContentParts{a2a.TextPart{Text: text}}, more...),
	}
}

// historyOf are the messages of a task: what began it, and what was said about it.
func historyOf(task *a2a.Task, root *nestor.Message, answers []nestor.Message) (all []*a2a.Message) {
	add := func(m *nestor.Message, as a2a.MessageRole) {
		all = append(all, &a2a.Message{
			ID: m.ID, Role: as, TaskID: task.ID, ContextID: task.ContextID, Parts: a2a.ContentParts{a2a.TextPart{Text: m.Content}},
		})
	}
	if root != nil {
		add(root, a2a.MessageRoleUser)
	}
	for i := range answers {
		add(&answers[i], a2a.MessageRoleAgent)
	}
	return all
}
