package engine

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Cancel ends an execution that runs or is paused.
func (e *Engine) Cancel(tx store.Tx, path nestor.Path) error { return e.cancel(tx, path, false) }

// Stop does the same for a chat that tells by itself that it was stopped. It reports
// whether the execution ran.
func (e *Engine) Stop(tx store.Tx, path nestor.Path) (bool, error) {
	err := e.cancel(tx, path, true)
	if code := nestor.CodeOf(err); err != nil && (code == nestor.CodeConflict || code == nestor.CodeNotFound) {
		return false, nil // it has ended, or was deleted
	}
	return err == nil, err
}

func (e *Engine) cancel(tx store.Tx, path nestor.Path, quiet bool) error {
	m, err := e.steer(tx, path)
	if err != nil {
		return err
	}
	m.quiet = quiet
	return m.end(record.ExecutionCancelled, nil)
}

// Pause keeps nodes from having their turns until the execution is resumed. A turn
// that a node has already goes on to its end, for it may be in the middle of something.
// Agents that work for nodes, and executions that nodes wait for, are paused, too.
func (e *Engine) Pause(tx store.Tx, path nestor.Path) error {
	m, err := e.steer(tx, path)
	if err != nil || m.progress.Paused {
		return err
	}
	m.progress.Paused, m.execution.Status = true, record.ExecutionPaused
	if err := m.mark(true, e.Pause); err != nil {
		return err
	}
	return m.save()
}

// Resume lets a paused execution go on.
func (e *Engine) Resume(tx store.Tx, path nestor.Path) error {
	m, err := e.steer(tx, path)
	if err != nil || !m.progress.Paused {
		return err
	}
	m.progress.Paused, m.execution.Status = false, record.ExecutionRunning
	if err := m.mark(nil, e.Resume); err != nil {
		return err
	}
	if m.plan, err = e.plan(tx, path); err != nil {
		return err
	}
	return m.advance()
}

// steer finds an execution that has not ended, for somebody who is about to write it.
func (e *Engine) steer(tx store.Tx, path nestor.Path) (*move, error) {
	// All that moves an execution on locks its progress first.
	progress, err := findToWrite[record.Progress](tx, record.ProgressOf(path))
	if err != nil {
		return nil, err
	}
	d, err := tx.Get(path)
	if err != nil {
		return nil, err
	}
	x, err := nestor.As[record.AgentGraphExecution](d)
	if err != nil {
		return nil, err
	}
	if x.Status.Ended() || progress == nil {
		return nil, nestor.Errorf(nestor.CodeConflict, "the execution has ended: it is %s", x.Status).With("status", x.Status)
	}
	return &move{engine: e, tx: tx, path: path, plan: &plan{execution: &x}, progress: progress, known: map[int]*record.Resolution{}, now: nestor.Millis(time.Now())}, nil
}

// mark writes the status of the execution, and in the turns that are given whether
// they are paused. It does the same with the executions that they wait for.
func (m *move) mark(paused any, below func(store.Tx, nestor.Path) error) error {
	if _, err := m.tx.Put(m.path, m.execution, store.AnyVersion); err != nil {
		return err
	}
	for _, entry := range m.progress.State.Queue {
		if entry.Stage != graph.Running {
			continue
		}
		at := record.ResolutionAt(m.path, entry.Number)
		d, err := m.tx.Patch(at, map[string]any{"paused": paused}, store.AnyVersion)
		if errors.Is(err, nestor.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		r, err := nestor.As[record.Resolution](d)
		if err != nil {
			return err
		}
		if r.Below == nil {
			continue
		}
		for _, item := range r.Below.Open {
			if err := below(m.tx, childOf(at, item, r.AttemptAt(item))); err != nil && !errors.Is(err, nestor.ErrConflict) && !errors.Is(err, nestor.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// AgentPaused pauses the agent of a turn that was paused, and lets that of one go on
// that was resumed.
func (e *Engine) AgentPaused(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	var r *record.Resolution
	var task *nestor.Task
	at := job.Change.Path
	err := e.Store.View(ctx, func(docs store.Reader) (err error) {
		if r, err = store.Find[record.Resolution](docs, at); err == nil && r != nil && r.ChatID != "" {
			task, err = store.Find[nestor.Task](docs, taskIn(chatOf(at, r.ChatID)))
		}
		return err
	})
	switch {
	case err != nil || task == nil || task.Status.Ended() || r.Status != record.ResolutionRunning:
		return nil, err
	case task.SubAgentID == "":
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the task has no agent yet: %w", nestor.PutOff{})
	}
	steer := e.ResumeAgent
	if r.Paused {
		steer = e.PauseAgent
	}
	if err := steer(ctx, taskIn(chatOf(at, r.ChatID)), at.UserID()); nestor.CodeOf(err) != nestor.CodeInvalid {
		return nil, err
	}
	return nil, nil // it ended meanwhile
}
