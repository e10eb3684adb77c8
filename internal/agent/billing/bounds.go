package billing

import (
	"slices"
	"strings"

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
	scopes, err := ScopesOf(r, chat, taskID)
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

// ScopesOf finds the budgets of a chat, of its account and project and, for an
// agent, of its task and the tasks above it. Without a budget there is none, and a
// call costs no bookkeeping. The budget of the payer comes on top; see
// [Billing.Billed].
func ScopesOf(r store.Reader, chat nestor.Path, taskID string) ([]budget.Scope, error) {
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil {
		return nil, err
	}
	if taskID == "" {
		return ScopesWith(r, chat, c, nil)
	}
	if err := store.Expect(r, append(placesOf(c), chatdoc.TaskPath(chat, taskID))...); err != nil {
		return nil, err
	}
	task, err := store.Find[nestor.Task](r, chatdoc.TaskPath(chat, taskID))
	if err != nil {
		return nil, err
	}
	return ScopesWith(r, chat, c, task)
}

// ScopesWith is [ScopesOf] for a chat and a task that have been read. The task is nil if there
// is none.
func ScopesWith(r store.Reader, chat nestor.Path, c *nestor.Chat, task *nestor.Task) ([]budget.Scope, error) {
	var found scopes
	found.add(chat, c.Budget)
	if err := found.places(r, placesOf(c)); err != nil {
		return nil, err
	}
	if task == nil {
		return found, nil
	}
	found.add(chatdoc.TaskPath(chat, task.ID), task.Budget)
	err := chatdoc.EachAbove(r, chat, task, func(_ *nestor.SubAgent, above *nestor.Task) (bool, error) {
		if above != nil {
			found.add(chatdoc.TaskPath(chat, above.ID), above.Budget)
		}
		return true, nil
	})
	return found, err
}

type scopes []budget.Scope

func (s *scopes) add(p nestor.Path, limit *nestor.Budget) {
	if limit.Bounds() {
		*s = append(*s, budget.Scope{Path: p, Limit: *limit})
	}
}

// placesOf are the account and the project that a chat belongs to.
func placesOf(c *nestor.Chat) []nestor.Path {
	if nestor.CheckID(c.AccountID) != nil {
		return nil
	}
	account := nestor.Path("accounts/" + c.AccountID)
	if nestor.CheckID(c.ProjectID) != nil {
		return []nestor.Path{account}
	}
	return []nestor.Path{account, account.Child("projects", c.ProjectID)}
}

// IsPlace reports whether a document is an account or a project.
func IsPlace(p nestor.Path) bool {
	collection := p.Collection()
	return collection == "accounts" || strings.HasPrefix(collection, "accounts/") && strings.HasSuffix(collection, "/projects")
}

// places adds the budgets of the account and the project that the chat belongs to.
func (s *scopes) places(r store.Reader, at []nestor.Path) error {
	for _, p := range at {
		place, err := store.Find[struct {
			Budget *nestor.Budget `json:"budget"`
		}](r, p)
		if err != nil {
			return err
		}
		if place != nil {
			s.add(p, place.Budget)
		}
	}
	return nil
}
