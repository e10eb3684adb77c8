package agent

import (
	"context"
	"iter"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// Billing knows whose budgets bound a model call.
type Billing struct {
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
}

// bounds are what a model call counts against.
type bounds struct {
	// scopes are the budgets of documents of the chat. Without a budget there is
	// none, and a call costs no bookkeeping.
	scopes []budget.Scope
	// places are the account and the project of the chat, which may have a
	// budget, too.
	places []nestor.Path
}

// boundsOf finds the budgets that a chat has and, for an agent, those of its task
// and of the tasks above it. That of who pays comes on top, and those of the
// places; see billed and placed.
func boundsOf(r store.Reader, chat nestor.Path, taskID string) (b bounds, err error) {
	bound := func(p nestor.Path, limit *nestor.Budget) {
		if limit.Bounds() {
			b.scopes = append(b.scopes, budget.Scope{Path: p, Limit: *limit})
		}
	}
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil {
		return bounds{}, err
	}
	bound(chat, c.Budget)
	if nestor.CheckID(c.AccountID) == nil {
		account := nestor.Path("accounts/" + c.AccountID)
		b.places = append(b.places, account)
		if nestor.CheckID(c.ProjectID) == nil {
			b.places = append(b.places, account.Child("projects", c.ProjectID))
		}
	}
	for taskID != "" {
		task, err := store.Find[nestor.Task](r, taskPath(chat, taskID))
		if err != nil || task == nil {
			return b, err
		}
		bound(taskPath(chat, taskID), task.Budget)
		taskID = ""
		if task.ParentAgentID != "" {
			parent, err := store.Find[nestor.SubAgent](r, agentPath(chat, task.ParentAgentID))
			if err != nil {
				return bounds{}, err
			}
			if parent != nil {
				taskID = parent.TaskID
			}
		}
	}
	return b, nil
}

// placed are scopes, and the budgets of places as they are now. They are read for
// every call: a place is shared by many, who change its budget without a word to
// the agents at work there.
func placed(r store.Reader, scopes []budget.Scope, places []nestor.Path) ([]budget.Scope, error) {
	scopes = slices.Clone(scopes)
	for _, p := range places {
		place, err := store.Find[struct {
			Budget *nestor.Budget `json:"budget"`
		}](r, p)
		if err != nil {
			return nil, err
		}
		if place != nil && place.Budget.Bounds() {
			scopes = append(scopes, budget.Scope{Path: p, Limit: *place.Budget})
		}
	}
	return scopes, nil
}

// billed are scopes, and the budgets of those who may have to pay.
func (a *Billing) billed(scopes []budget.Scope, payers ...string) []budget.Scope {
	if !a.UserBudget.Bounds() {
		return scopes
	}
	scopes = slices.Clone(scopes)
	for _, id := range payers {
		scopes = append(scopes, budget.Scope{Path: nestor.Path("users/" + id), Limit: a.UserBudget})
	}
	return scopes
}

// allOf are all budgets that bound calls of a chat, or of an agent of it, for
// which these have to pay.
func (a *Billing) allOf(r store.Reader, chat nestor.Path, taskID string, payers ...string) ([]budget.Scope, error) {
	b, err := boundsOf(r, chat, taskID)
	if err != nil {
		return nil, err
	}
	scopes, err := placed(r, b.scopes, b.places)
	return a.billed(scopes, payers...), err
}

// GivingBack has a job that is given up first give back what it reserved, whoever
// of those that it worked for was to pay, and then leave its effect.
func (a *Billing) GivingBack(job *nestor.Job, effect worker.Effect) worker.Effect {
	return func(tx store.Tx) error {
		askers, taskID, err := workedFor(tx, job.Change.Path)
		if err != nil {
			return err
		}
		chat := chatOf(job.Change.Path)
		scopes, err := a.allOf(tx, chat, taskID, askers.Or(chat.UserID())...)
		if err != nil {
			return err
		}
		if err := budget.Release(tx, job.ID, scopes); err != nil {
			return err
		}
		return effect(tx)
	}
}

// workedFor is for whom, and in which agent's task, a job calls a model that a
// change of the document at p set going.
func workedFor(r store.Reader, p nestor.Path) (askers nestor.Askers, taskID string, err error) {
	switch {
	case store.Messages.Has(p):
		d, err := readDialogue(r, chatOf(p))
		if err != nil {
			return nil, "", err
		}
		message, err := store.Find[nestor.Message](r, p)
		return d.authors(chatOf(p)).Or(p.UserID()).With(authorOf(message)...), "", err
	case store.Tasks.Has(p):
		task, err := store.Find[nestor.Task](r, p)
		if err != nil || task == nil {
			return nil, "", err
		}
		return task.AskedBy, "", nil
	}
	agent, err := store.Find[nestor.SubAgent](r, agentOf(p))
	if err != nil || agent == nil {
		return nil, "", err
	}
	return agent.AskedBy, agent.TaskID, nil
}

// releaseOthers gives back what an earlier attempt at a job reserved in the
// budget of somebody who was to pay then: another person has spoken since.
func (a *Billing) releaseOthers(tx store.Tx, job *nestor.Job, askers nestor.Askers) error {
	if len(askers) < 2 {
		return nil
	}
	return budget.Release(tx, job.ID, a.billed(nil, askers[:len(askers)-1]...))
}

// instead writes something else than the effects of a call that was not made:
// whatever an earlier attempt reserved for it is given back.
func instead(job *nestor.Job, scopes []budget.Scope, effect worker.Effect) worker.Effect {
	return func(tx store.Tx) error {
		if err := effect(tx); err != nil {
			return err
		}
		return budget.Release(tx, job.ID, scopes)
	}
}

// unused gives back what was reserved for a call that nobody wants any more.
func unused(job *nestor.Job, scopes []budget.Scope) worker.Effect {
	if len(scopes) == 0 {
		return nil
	}
	return func(tx store.Tx) error { return budget.Release(tx, job.ID, scopes) }
}

// reserving is a model that sets aside what each of its calls may need. It
// writes summaries: if there is not enough left for one, there will be an
// outline instead.
type reserving struct {
	llm.Model
	reserve  func(ctx context.Context, req *llm.Request, used budget.Used) error
	produced func(model string, req *llm.Request, part *llm.Reply) bool
	used     budget.Used
}

// Generate implements [llm.Model].
func (r *reserving) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if err := r.reserve(ctx, req, r.used); err != nil {
			yield(nil, err)
			return
		}
		part, err := llm.Collect(func(collect func(llm.Event, error) bool) {
			for ev, err := range r.Model.Generate(ctx, req) {
				if more := yield(ev, err); !collect(ev, err) || !more {
					return
				}
			}
		})
		if err == nil || interrupted(ctx) && r.produced(r.Name(), req, &part) {
			usage, cost := budget.Priced(r.Name(), part.Usage)
			r.used = plus(r.used, budget.Used{Usage: usage, CostMicros: cost, Calls: 1})
		}
	}
}

// settleSummary puts what a summary took in the place of what was reserved.
func settleSummary(tx store.Tx, job *nestor.Job, scopes []budget.Scope, meta *nestor.MessageMetadata) error {
	return budget.Settle(tx, job.ID, scopes, budget.Amount{Tokens: meta.Usage.Tokens(), Micros: meta.CostMicros})
}
