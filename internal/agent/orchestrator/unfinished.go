package orchestrator

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// interrupted ends a turn that nobody waits for any more.
func (t *turn) interrupted(o *Orchestrator, r *ask.Reply) worker.Effect {
	return func(tx store.Tx) error { return t.keepPartial(tx, o, r) }
}

// keepPartial writes what was said of an answer, and pays for it. The messages that
// it replies to stay open.
func (t *turn) keepPartial(tx store.Tx, o *Orchestrator, r *ask.Reply) error {
	r.Cut()
	there, err := chatdoc.Exists(tx, t.path)
	if err != nil {
		return err
	}
	if r.Text == "" || !there {
		r.Drop()
		return o.payUnsaid(tx, t, r)
	}
	if err := o.pay(tx, t, r); err != nil {
		return err
	}
	_, err = tx.Create(t.messagePath(), nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: r.Text, IsLLMMessage: new(true),
		RepliesTo: t.dialogue.Newest(), Metadata: r.Meta,
	})
	return err
}

// declined tells the user why there is no answer, below what was said of one.
func (t *turn) declined(o *Orchestrator, no *ask.Refusal) worker.Effect {
	return func(tx store.Tx) error {
		d, err := conversation.ReadDialogue(tx, t.path)
		if err != nil {
			return err
		}
		if !d.Asks(t.dialogue) {
			no.Reply.Drop()
			return o.payUnsaid(tx, t, no.Reply) // the next job answers
		}
		if err := o.pay(tx, t, no.Reply); err != nil {
			return err
		}
		if no.Reply.Text == "" {
			return t.apologiseAt(t.messagePath(), no)(tx)
		}
		if _, err := tx.Create(t.messagePath(), nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: no.Reply.Text, Metadata: no.Reply.Meta,
		}); err != nil {
			return err
		}
		return t.apologise(no)(tx)
	}
}

// untaken says what comes of a turn that has no answer.
func (o *Orchestrator) untaken(t *turn) ask.Unanswered {
	return ask.Unanswered{
		Job: t.job, Scopes: t.scopes, OverBudget: t.apologise,
		Interrupted: func(r *ask.Reply) worker.Effect { return t.interrupted(o, r) },
		Declined:    func(no *ask.Refusal) worker.Effect { return t.declined(o, no) },
	}
}

// gaveUp pays for what a model said in vain, and tells the user why there is no answer.
func (t *turn) gaveUp(o *Orchestrator, u *unable) worker.Effect {
	return t.without(o, u.Reply, t.apologiseAt(t.messagePath(), u))
}

// instead has a job write something else if no model words it: it declined, or
// the budget is used up.
func (t *turn) instead(o *Orchestrator, effect worker.Effect) ask.Unanswered {
	return ask.Unanswered{
		Job: t.job, Scopes: t.scopes,
		Declined:   func(no *ask.Refusal) worker.Effect { return t.without(o, no.Reply, effect) },
		OverBudget: func(error) worker.Effect { return effect },
	}
}

// without pays for a reply that is not used, and does something in its place.
func (t *turn) without(o *Orchestrator, unsaid *ask.Reply, instead worker.Effect) worker.Effect {
	unsaid.Drop()
	return func(tx store.Tx) error {
		if err := o.payUnsaid(tx, t, unsaid); err != nil {
			return err
		}
		return instead(tx)
	}
}
