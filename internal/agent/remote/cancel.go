package remote

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// cancel ends the remote task of an agent that was cancelled, or failed. A remote agent
// that has ended it, or does not know it, is left alone.
func (a *Agents) cancel(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	var agent *nestor.SubAgent
	var note *nestor.RemoteTask
	if err := a.store.View(ctx, func(r store.Reader) (err error) {
		if agent, err = store.Find[nestor.SubAgent](r, path); err == nil {
			note, err = store.Find[nestor.RemoteTask](r, noteAt(path))
		}
		return err
	}); err != nil {
		return nil, err
	}
	if agent == nil || note == nil || ended(note.State) || agent.Status != nestor.SubAgentCancelled && agent.Status != nestor.SubAgentFailed {
		return nil, nil
	}
	remote := a.roles.Roles[agent.Role].A2A
	if note.TaskID != "" && note.State != string(a2a.TaskStateCompleted) && remote != nil {
		p, err := a.meet(ctx, remote)
		if err == nil {
			_, err = p.call(ctx, "tasks/cancel", a2a.TaskIDParams{ID: a2a.TaskID(note.TaskID)})
		}
		if err != nil && !errors.Is(err, nestor.ErrNotFound) && !errors.Is(err, nestor.ErrConflict) {
			return nil, err
		}
	}
	return func(tx store.Tx) error {
		now, err := store.Find[nestor.RemoteTask](tx, noteAt(path))
		if err != nil || now == nil || now.MessageID != note.MessageID {
			return err
		}
		now.State = string(a2a.TaskStateCanceled)
		_, err = tx.Put(noteAt(path), now, store.AnyVersion)
		return err
	}, nil
}
