package httpapi

import (
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/disk"
	"github.com/nestorhq/nestor/internal/store"
)

// usageDays is how far back the usage reaches that is shown unasked.
const usageDays = 30

// usageList is what a user used, and what they may still use.
type usageList struct {
	Items []budget.Day `json:"items"`
	// Next goes on with later days; absent at the end.
	Next string `json:"next,omitempty"`
	// Budgets are those that bound the user: their own, and those of the accounts
	// that they are members of and of the projects there.
	Budgets []budget.Standing `json:"budgets"`
	// Disk is what documents and files take of what they may: those of the user, and
	// those in the chats of the user's accounts. Where there is no bound nothing is told.
	Disk []disk.Standing `json:"disk"`
}

// getUsage tells what a user used on which day, and what is left of the budgets.
func (s *server) getUsage(r *http.Request) (response, error) {
	now := time.Now()
	from, to := usageSpan(r, now)
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	var list usageList
	err = s.view(r, func(tx store.Reader) error {
		days, err := budget.Days(tx, user.ID(), from, to)
		if err != nil {
			return err
		}
		list = usageList{Items: append([]budget.Day{}, days...), Budgets: []budget.Standing{}}
		return nil
	})
	if err != nil {
		return response{}, err
	}
	// The caller may know what was used, and so what is left. The ledgers
	// themselves nobody else reads.
	err = s.Store.View(r.Context(), func(tx store.Reader) error {
		list.Budgets = list.Budgets[:0]
		scopes, err := s.bounding(tx, r, user.ID())
		for _, scope := range scopes {
			standing, err := budget.Stand(tx, scope, now)
			if err != nil {
				return err
			}
			list.Budgets = append(list.Budgets, standing)
		}
		return err
	})
	if err == nil {
		list.Disk, err = s.disk(r, user.ID())
	}
	return response{body: list}, err
}

// disk is what a user and the user's accounts take of the disk.
func (s *server) disk(r *http.Request, userID string) ([]disk.Standing, error) {
	all := []disk.Standing{}
	if s.Disk == nil {
		return all, nil
	}
	owners := []nestor.Path{nestor.Path("users/" + userID)}
	err := s.Store.View(r.Context(), func(tx store.Reader) error {
		accounts, err := account.Accounts(tx, userID)
		owners = owners[:1]
		for _, d := range accounts {
			owners = append(owners, d.Path)
		}
		return err
	})
	for _, owner := range owners {
		if err != nil {
			return nil, err
		}
		if checkReach(r, owner) != nil {
			continue
		}
		var one disk.Standing
		var bound bool
		if one, bound, err = s.Disk(r.Context(), owner); bound {
			all = append(all, one)
		}
	}
	return all, err
}

// bounding are the budgets that bound a user: their own, those of their
// accounts and of the projects there.
func (s *server) bounding(tx store.Reader, r *http.Request, userID string) (scopes []budget.Scope, err error) {
	bound := func(p nestor.Path, limit *nestor.Budget) {
		if limit.Bounds() && checkReach(r, p) == nil {
			scopes = append(scopes, budget.Scope{Path: p, Limit: *limit})
		}
	}
	bound(nestor.Path("users/"+userID), &s.UserBudget)
	accounts, err := account.Accounts(tx, userID)
	if err != nil {
		return nil, err
	}
	for _, d := range accounts {
		projects, err := account.Projects(tx, userID, d.Path.ID())
		if err != nil {
			return nil, err
		}
		for _, d := range append([]*nestor.Document{d}, projects...) {
			place, err := nestor.As[struct {
				Budget *nestor.Budget `json:"budget"`
			}](d)
			if err != nil {
				return nil, err
			}
			bound(d.Path, place.Budget)
		}
	}
	return scopes, nil
}
