package budget_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const (
	user = nestor.Path("users/u1")
	chat = user + "/orch-chats/c1"
	task = chat + "/tasks/t1"
)

// env is a store to use budgets on.
type env struct {
	*testing.T
	s store.Store
}

func each(t *testing.T, fn func(e env)) {
	engines.Each(t, func(t *testing.T, open engines.Database) { fn(env{t, open(t, store.Options{})}) })
}

func (e env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e env) reserve(id string, a budget.Amount, scopes ...budget.Scope) error {
	return budget.Reserve(e.Context(), e.s, id, scopes, a)
}

func (e env) settle(id string, a budget.Amount, scopes ...budget.Scope) {
	e.Helper()
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Settle(tx, id, scopes, a) }))
}

func (e env) release(id string, scopes ...budget.Scope) {
	e.Helper()
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Release(tx, id, scopes) }))
}

// ledger is the document of a scope, as others see it.
type ledger struct {
	nestor.Meta
	Path        nestor.Path `json:"path"`
	SpentTokens int64       `json:"spentTokens"`
	SpentMicros int64       `json:"spentMicros"`
	Reserved    map[string]struct {
		budget.Amount
		At int64 `json:"at"`
	} `json:"reserved"`
}

func (l ledger) spent() budget.Amount {
	return budget.Amount{Tokens: l.SpentTokens, Micros: l.SpentMicros}
}

func (l ledger) reserved() (sum budget.Amount) {
	for _, r := range l.Reserved {
		sum.Tokens += r.Tokens
		sum.Micros += r.Micros
	}
	return sum
}

// ledgers are the ledgers of a user, by the path of their scope.
func (e env) ledgers(user nestor.Path) map[nestor.Path]ledger {
	e.Helper()
	found := map[nestor.Path]ledger{}
	e.must(e.s.View(e.Context(), func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: string(user) + "/ledgers"})
		for _, d := range page.Items {
			l, err := nestor.As[ledger](d)
			if err != nil {
				return err
			}
			found[l.Path] = l
		}
		return err
	}))
	return found
}

func tokens(p nestor.Path, limit int64) budget.Scope {
	return budget.Scope{Path: p, Limit: nestor.Budget{Tokens: limit}}
}

func money(p nestor.Path, limit int64) budget.Scope {
	return budget.Scope{Path: p, Limit: nestor.Budget{CostMicros: limit}}
}
