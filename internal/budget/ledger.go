package budget

import (
	"cmp"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Scope is something that may use only so much.
type Scope struct {
	// Path is that of the user, the chat or the task.
	Path nestor.Path
	// Limit is what it may use in all, as it is set now. Without one the scope
	// bounds nothing, and nothing is written for it.
	Limit nestor.Budget
}

// Amount is what a call may need, or what it spent.
type Amount struct {
	Tokens int64 `json:"tokens"`
	Micros int64 `json:"micros"` // millionths of a US dollar
}

func (a Amount) plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.Micros + b.Micros} }

// ledger is the account of a scope, a document among the user's ledgers. It
// counts from the first call after the scope got a limit. The limit itself is
// not in it: it is configured, and may change at any time.
type ledger struct {
	Path        nestor.Path            `json:"path"`
	SpentTokens int64                  `json:"spentTokens"`
	SpentMicros int64                  `json:"spentMicros"`
	Reserved    map[string]reservation `json:"reserved"`
}

// reservation is what a running call may need.
type reservation struct {
	Amount
	At int64 `json:"at"` // when it was made, in Unix milliseconds
}

// hold reads the scope's ledger for this transaction to write.
func (s Scope) hold(tx store.Tx) (ledger, error) {
	l, err := hold[ledger](tx, s.ledger())
	l.Path = s.Path
	if l.Reserved == nil {
		l.Reserved = map[string]reservation{}
	}
	return l, err
}

func (s Scope) write(tx store.Tx, l ledger) error {
	_, err := tx.Put(s.ledger(), l, store.AnyVersion)
	return err
}

func (s Scope) ledger() nestor.Path {
	return nestor.Path("users/"+s.Path.UserID()).Child("ledgers", nestor.DeriveID("ledger", string(s.Path)))
}

// bounding are the scopes with a limit, in the order in which all transactions
// hold their ledgers, so that none waits for another that waits for it. What
// contains others comes before them.
func bounding(scopes []Scope) []Scope {
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return s.Limit == nestor.Budget{} })
	slices.SortFunc(scopes, func(a, b Scope) int { return cmp.Compare(a.Path, b.Path) })
	return scopes
}
