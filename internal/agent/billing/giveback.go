package billing

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// GivingBack is what a job does that is given up: it gives back what it reserved,
// whichever of its askers was to pay, and leaves its effect.
func (b *Billing) GivingBack(job *nestor.Job, effect worker.Effect) worker.Effect {
	return func(tx store.Tx) error {
		askers, taskID, err := workedFor(tx, job.Change.Path)
		if err != nil {
			return err
		}
		chat := chatdoc.ChatOf(job.Change.Path)
		scopes, err := b.AllOf(tx, chat, taskID, askers.Or(chat.UserID())...)
		if errors.Is(err, nestor.ErrInvalid) { // agents in a circle: no call was made, so nothing was reserved
			return effect(tx)
		}
		if err != nil {
			return err
		}
		if err := budget.Release(tx, budget.Of(job), scopes); err != nil {
			return err
		}
		return effect(tx)
	}
}

// workedFor tells for whom a job works that a change of the document at p set
// going, and in which task if it is an agent's.
func workedFor(r store.Reader, p nestor.Path) (askers nestor.Askers, taskID string, err error) {
	switch {
	case store.Messages.Has(p):
		d, err := conversation.ReadDialogue(r, chatdoc.ChatOf(p))
		if err != nil {
			return nil, "", err
		}
		message, err := store.Find[nestor.Message](r, p)
		return d.Authors(chatdoc.ChatOf(p)).Or(p.UserID()).With(AuthorOf(message)...), "", err
	case store.Tasks.Has(p):
		task, err := store.Find[nestor.Task](r, p)
		if err != nil || task == nil {
			return nil, "", err
		}
		return task.AskedBy, "", nil
	}
	agent, err := store.Find[nestor.SubAgent](r, chatdoc.AgentOf(p))
	if err != nil || agent == nil {
		return nil, "", err
	}
	return agent.AskedBy, agent.TaskID, nil
}

// releaseOthers gives back what an earlier attempt at a job reserved in the
// budget of somebody who was to pay then: another person has spoken since.
func (b *Billing) releaseOthers(tx store.Tx, job *nestor.Job, askers nestor.Askers) error {
	if len(askers) < 2 {
		return nil
	}
	return budget.Release(tx, budget.Of(job), b.Billed(nil, askers[:len(askers)-1]...))
}

// Instead is an effect in place of that of a call that was not made. It gives
// back what an earlier attempt reserved for the call.
func Instead(job *nestor.Job, scopes []budget.Scope, effect worker.Effect) worker.Effect {
	return func(tx store.Tx) error {
		if err := effect(tx); err != nil {
			return err
		}
		return budget.Release(tx, budget.Of(job), scopes)
	}
}

// Unused gives back what was reserved for a call that nobody wants any more.
func Unused(job *nestor.Job, scopes []budget.Scope) worker.Effect {
	if len(scopes) == 0 {
		return nil
	}
	return func(tx store.Tx) error { return budget.Release(tx, budget.Of(job), scopes) }
}
