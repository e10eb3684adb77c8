package analyst

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Interrupts stop work on sessions that are cancelled or deleted.
var Interrupts = []interrupt.Rule{{Collection: record.Sessions, Ends: func(c *nestor.Change) bool {
	if c.After == nil {
		return true
	}
	s, err := nestor.As[record.AgentSession](c.After)
	return err == nil && !Active(&s)
}}}

// Prioritize does the next half of a session's step.
func (a *Analyst) Prioritize(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	ctx, work := a.running.Begin(ctx, job.Change.Path)
	defer work.Done()
	s, err := a.look(ctx, job)
	if err != nil || s == nil {
		return nil, err
	}
	work.Seen(s.session.Seq)
	if s.session.Status == record.SessionQueued {
		return s.commit(func(_ store.Tx, session *record.AgentSession, _ *record.ReasoningTrace) error {
			session.Status = record.SessionRunning
			return nil
		}), nil
	}
	if why := s.hopeless(); why != "" {
		return s.fail(why), nil
	}
	half := a.think
	if s.session.Doing != nil {
		half = a.act
	}
	effect, err := half(ctx, job, s)
	// The cause itself and not its code: a worker that stops cancels, too, and then the
	// job must run again.
	if err != nil && interrupt.Happened(ctx) {
		return s.bill.Pay, nil // nobody wants it any more
	}
	if err != nil && !passing(nestor.CodeOf(err)) {
		return s.fail(reason(job, err)), nil
	}
	return effect, err
}

// hopeless is why there is no plan to be made, "" if there may be one.
func (s *situation) hopeless() string {
	switch {
	case s.outcome == nil:
		return "the outcome of this analysis was deleted: set one and analyse again"
	case len(s.tasks.Open()) == 0:
		return noTasks(s.tasks).Error()
	}
	return ""
}

// GiveUp ends the session of a job that failed for good.
func (a *Analyst) GiveUp(job *nestor.Job, cause error) worker.Effect {
	return func(tx store.Tx) error {
		session, err := store.Find[record.AgentSession](tx, job.Change.Path)
		if err != nil {
			return err
		}
		if session != nil && Active(session) {
			end(session, reason(job, cause))
			if _, err := tx.Put(job.Change.Path, session, store.AnyVersion); err != nil {
				return err
			}
		}
		return a.asker.NewBill(job.ID, job.Change.Path.UserID()).Drop(tx)
	}
}

// fail ends the session. The plan of the one before stays current.
func (s *situation) fail(why string) worker.Effect {
	return s.commit(func(_ store.Tx, session *record.AgentSession, _ *record.ReasoningTrace) error {
		end(session, why)
		return nil
	})
}

// end makes a session a failed one.
func end(session *record.AgentSession, why string) {
	session.Status, session.Slot, session.Doing, session.Next, session.Error = record.SessionFailed, "", nil, nil, why
	session.ExecutionMetadata.TotalTimeMS = max(nestor.Millis(time.Now())-session.CreatedAt, 0)
}
