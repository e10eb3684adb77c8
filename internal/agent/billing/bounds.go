package billing

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// Billing knows whose budgets bound a model call.
type Billing struct {
	// UserBudget bounds what each user may use in all. Defaults to no bound.
	UserBudget nestor.Budget
}

// AllOf are all budgets that bound the calls of a chat, or of the agent of a
// task, that these have to pay for.
func (b *Billing) AllOf(r store.Reader, chat nestor.Path, taskID string, payers ...string) ([]budget.Scope, error) {
	bounds, err := BoundsOf(r, chat, taskID)
	if err != nil {
		return nil, err
	}
	scopes, err := Placed(r, bounds.Scopes, bounds.Places)
	return b.Billed(scopes, payers...), err
}

// Billed adds the budgets of those who may have to pay to scopes.
func (b *Billing) Billed(scopes []budget.Scope, payers ...string) []budget.Scope {
	if !b.UserBudget.Bounds() {
		return scopes
	}
	scopes = slices.Clone(scopes)
	for _, id := range payers {
		scopes = append(scopes, budget.Scope{Path: nestor.Path("users/" + id), Limit: b.UserBudget})
	}
	return scopes
}

// Bounds are what a model call counts against.
type Bounds struct {
	// Scopes are the budgets of documents of the chat. Without a budget there is
	// none, and a call costs no bookkeeping.
	Scopes []budget.Scope
	// Places are the account and the project of the chat, which may have a
	// budget, too.
	Places []nestor.Path
}

// BoundsOf finds the budgets that a chat has and, for an agent, those of its task
// and of the tasks above it. The budget of the payer and those of the places come
// on top; see [Billing.Billed] and [Placed].
func BoundsOf(r store.Reader, chat nestor.Path, taskID string) (b Bounds, err error) {
	bound := func(p nestor.Path, limit *nestor.Budget) {
		if limit.Bounds() {
			b.Scopes = append(b.Scopes, budget.Scope{Path: p, Limit: *limit})
		}
	}
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil {
		return Bounds{}, err
	}
	bound(chat, c.Budget)
	if nestor.CheckID(c.AccountID) == nil {
		account := nestor.Path("accounts/" + c.AccountID)
		b.Places = append(b.Places, account)
		if nestor.CheckID(c.ProjectID) == nil {
			b.Places = append(b.Places, account.Child("projects", c.ProjectID))
		}
	}
	for taskID != "" {
		task, err := store.Find[nestor.Task](r, chatdoc.TaskPath(chat, taskID))
		if err != nil || task == nil {
			return b, err
		}
		bound(chatdoc.TaskPath(chat, taskID), task.Budget)
		taskID = ""
		if task.ParentAgentID != "" {
			parent, err := store.Find[nestor.SubAgent](r, chatdoc.AgentPath(chat, task.ParentAgentID))
			if err != nil {
				return Bounds{}, err
			}
			if parent != nil {
				taskID = parent.TaskID
			}
		}
	}
	return b, nil
}

// Placed adds the budgets of places to scopes. They are read for every call: many
// share a place and change its budget without a word to the agents at work there.
func Placed(r store.Reader, scopes []budget.Scope, places []nestor.Path) ([]budget.Scope, error) {
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
