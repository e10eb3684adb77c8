package ask

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/worker"
)

// Unanswered says what a job does when [Asker.Ask] returns no reply.
type Unanswered struct {
	Job    *nestor.Job
	Scopes []budget.Scope // of the prompt
	// Interrupted is for what was said until nobody wanted it any more. Leave it
	// out of work that nothing interrupts.
	Interrupted func(*Reply) worker.Effect
	Declined    func(*Refusal) worker.Effect
	OverBudget  func(error) worker.Effect
}

// Effect is what comes of the error. One that is none of these is returned: the
// job fails and is tried again. Effects of a reply pay for it; a call that was not
// made gives back what was reserved for it.
func (u Unanswered) Effect(ctx context.Context, err error) (worker.Effect, error) {
	var part *Partial
	var no *Refusal
	switch {
	case u.Interrupted != nil && errors.As(err, &part):
		return u.Interrupted(part.Reply), nil
	case u.Interrupted != nil && interrupt.Happened(ctx):
		return billing.Unused(u.Job, u.Scopes), nil
	case errors.As(err, &no):
		return u.Declined(no), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return billing.Instead(u.Job, u.Scopes, u.OverBudget(err)), nil
	}
	return nil, err
}
