package account

import (
	"bytes"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Changes are what a change of an account or a project sets. What is nil stays.
type Changes struct {
	Name *string `json:"name,omitempty"`
	// Budget takes the place of the one that is set; null removes it. It is the
	// owners' to set.
	Budget json.RawMessage `json:"budget,omitempty"`
}

// ChangeProject renames a project, which owners and members may, or sets its
// budget, which owners may.
func ChangeProject(tx store.Tx, by, id string, c Changes) (*nestor.Document, error) {
	role, err := visible(tx, by, id)
	if err != nil {
		return nil, err
	}
	if !role.may(Member) {
		return nil, onlyReads()
	}
	return c.apply(tx, projectPath(id), role)
}

// ChangeAccount renames an account or sets its budget. Owners may.
func ChangeAccount(tx store.Tx, by, accountID string, c Changes) (*nestor.Document, error) {
	a, err := load(tx, by, accountID)
	if err != nil {
		return nil, err
	}
	if a.Members[by] != Owner {
		return nil, onlyOwners()
	}
	return c.apply(tx, accountPath(accountID), Owner)
}

func (c Changes) apply(tx store.Tx, p nestor.Path, role Role) (*nestor.Document, error) {
	if c.Name == nil && c.Budget == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "there is nothing to change: give a name or a budget")
	}
	patch := map[string]any{}
	if c.Name != nil {
		if err := checkName(*c.Name); err != nil {
			return nil, err
		}
		patch["name"] = *c.Name
	}
	if c.Budget != nil {
		if role != Owner {
			return nil, onlyOwners()
		}
		budget, err := parseBudget(c.Budget)
		if err != nil {
			return nil, err
		}
		patch["budget"] = whole(budget)
	}
	return tx.Patch(p, patch, store.AnyVersion)
}

// whole is a patch that replaces all of the budget that is set.
func whole(b *nestor.Budget) any {
	if !b.Bounds() {
		return nil
	}
	allowance := func(a *nestor.Allowance) any {
		if a == nil {
			return nil
		}
		return map[string]any{"tokens": a.Tokens, "costMicros": a.CostMicros}
	}
	return map[string]any{
		"tokens": b.Tokens, "costMicros": b.CostMicros, "perDay": allowance(b.PerDay), "perMonth": allowance(b.PerMonth),
	}
}

func parseBudget(text []byte) (*nestor.Budget, error) {
	var budget *nestor.Budget
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&budget); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid,
			`budget is {"tokens":…,"costMicros":…,"perDay":{"tokens":…,"costMicros":…},"perMonth":{…}}, whole numbers of which any may be left out`).With("field", "budget")
	}
	return budget, budget.Check()
}

func onlyOwners() error {
	return nestor.Errorf(nestor.CodeForbidden, "only owners of the account may do this")
}
