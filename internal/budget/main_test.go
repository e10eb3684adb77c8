package budget_test

import (
	"maps"
	"strings"
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

// named is the call with the id. Those whose ids begin alike follow each other.
func named(id string) budget.Call { return budget.Call{ID: id, Key: id[:1]} }

func (e env) reserve(id string, a budget.Amount, scopes ...budget.Scope) error {
	return budget.Reserve(e.Context(), e.s, named(id), scopes, a)
}

func (e env) settle(id string, a budget.Amount, scopes ...budget.Scope) {
	e.Helper()
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Settle(tx, named(id), scopes, a) }))
}

func (e env) release(id string, scopes ...budget.Scope) {
	e.Helper()
	e.must(e.s.Update(e.Context(), func(tx store.Tx) error { return budget.Release(tx, named(id), scopes) }))
}

// ledger is the document of a scope, as others see it, or of a share of it.
type ledger struct {
	nestor.Meta
	Path        nestor.Path            `json:"path"`
	SpentTokens int64                  `json:"spentTokens"`
	SpentMicros int64                  `json:"spentMicros"`
	Reserved    map[string]reservation `json:"reserved"`
}

type reservation struct {
	budget.Amount
	At int64 `json:"at"`
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

// ledgers are the ledgers of a user, by the path of their scope, each with what its
// shares have, and without what it has lent to them. The version adds up, too.
func (e env) ledgers(user nestor.Path) map[nestor.Path]ledger {
	e.Helper()
	found := map[nestor.Path]ledger{}
	e.must(e.s.View(e.Context(), func(r store.Reader) error {
		mains, err := documents(r, string(user)+"/ledgers")
		for _, main := range mains {
			maps.DeleteFunc(main.Reserved, func(id string, _ reservation) bool { return strings.HasPrefix(id, "share.") })
			shares, err := documents(r, string(user)+"/ledgers/"+main.ID+"/shares")
			if err != nil {
				return err
			}
			for _, h := range shares {
				main.Version += h.Version
				main.SpentTokens += h.SpentTokens
				main.SpentMicros += h.SpentMicros
				maps.Copy(main.Reserved, h.Reserved)
			}
			found[main.Path] = main
		}
		return err
	}))
	return found
}

func documents(r store.Reader, collection string) (all []ledger, err error) {
	page, err := r.Query(store.Query{Collection: collection})
	for _, d := range page.Items {
		l, err := nestor.As[ledger](d)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, err
}

func tokens(p nestor.Path, limit int64) budget.Scope {
	return budget.Scope{Path: p, Limit: nestor.Budget{Tokens: limit}}
}

func money(p nestor.Path, limit int64) budget.Scope {
	return budget.Scope{Path: p, Limit: nestor.Budget{CostMicros: limit}}
}
