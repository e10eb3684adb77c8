package budget

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Scope is something that may use only so much.
type Scope struct {
	// Path is that of the account, the project, the user, the chat or the task.
	Path nestor.Path
	// Limit is what it may use, as it is set now. Without one the scope
	// bounds nothing, and nothing is written for it.
	Limit nestor.Budget
}

// Amount is what a call may need, or what it spent.
type Amount struct {
	Tokens int64 `json:"tokens"`
	Micros int64 `json:"micros"` // millionths of a US dollar
}

// plus adds up what is never negative, to the most that can be counted.
func (a Amount) plus(b Amount) Amount {
	return Amount{add(a.Tokens, b.Tokens), add(a.Micros, b.Micros)}
}

// less is what is left of what is never negative.
func (a Amount) less(b Amount) Amount {
	return Amount{max(a.Tokens-b.Tokens, 0), max(a.Micros-b.Micros, 0)}
}

// bounded is the part of an amount that a limit bounds.
func (a Amount) bounded(limit nestor.Budget) Amount {
	tokens, micros := limit.Tokens > 0, limit.CostMicros > 0
	for _, p := range []*nestor.Allowance{limit.PerDay, limit.PerMonth} {
		if p != nil {
			tokens, micros = tokens || p.Tokens > 0, micros || p.CostMicros > 0
		}
	}
	if !tokens {
		a.Tokens = 0
	}
	if !micros {
		a.Micros = 0
	}
	return a
}

func add(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// ledger is the account of a scope, a document among the ledgers of its user or
// account. It counts from the first call after the scope got a limit.
type ledger struct {
	Path        nestor.Path `json:"path"`
	SpentTokens int64       `json:"spentTokens"`
	SpentMicros int64       `json:"spentMicros"`
	// Day and Month are those in which something was spent last.
	Day   period `json:"day"`
	Month period `json:"month"`
	// Reserved is what running calls may need, by their ids. In the ledger itself
	// it is what each share was lent and did not return, by [lentTo].
	Reserved map[string]reservation `json:"reserved"`
	// Limit is the one under which shares were lent what they hold. A share that
	// holds nothing has none. What counts is as it is set now: if it is another
	// one, shares return what they hold.
	Limit nestor.Budget `json:"limit"`
}

// period is what was spent in a day or month of UTC.
type period struct {
	Name string `json:"name"` // 2006-01-02 or 2006-01
	Amount
}

const month = "2006-01"

// at returns what was spent in all, and in the day and the month of now.
func (l *ledger) at(now time.Time) (life, today, thisMonth Amount) {
	return Amount{l.SpentTokens, l.SpentMicros}, l.Day.in(now, time.DateOnly), l.Month.in(now, month)
}

// in is what was spent in the period of now: nothing, if something was spent
// last in another one. A call counts where it ends.
func (p period) in(now time.Time, format string) Amount {
	if p.Name != now.UTC().Format(format) {
		return Amount{}
	}
	return p.Amount
}

// spend counts what was spent now.
func (l *ledger) spend(a Amount, now time.Time) { l.add(a, a, a, now) }

// absorb counts what another ledger has.
func (l *ledger) absorb(other *ledger, now time.Time) {
	life, today, thisMonth := other.at(now)
	l.add(life, today, thisMonth, now)
}

func (l *ledger) add(life, today, thisMonth Amount, now time.Time) {
	beforeAll, beforeToday, beforeThisMonth := l.at(now)
	life = life.plus(beforeAll)
	l.SpentTokens, l.SpentMicros = life.Tokens, life.Micros
	l.Day = period{now.UTC().Format(time.DateOnly), today.plus(beforeToday)}
	l.Month = period{now.UTC().Format(month), thisMonth.plus(beforeThisMonth)}
}

// reservation is what a running call may need.
type reservation struct {
	Amount
	At int64 `json:"at"` // when it was made, in Unix milliseconds
}

// outstanding adds up the reservations, without those that lapsed.
func (l *ledger) outstanding(now time.Time) (sum Amount) {
	for id, r := range l.Reserved {
		if !lapsed(id, r, now) {
			sum = sum.plus(r.Amount)
		}
	}
	return sum
}

// lapsed reports whether a reservation counts no more. What a share was lent
// counts until the share returns it.
func lapsed(id string, r reservation, now time.Time) bool {
	age := now.Sub(time.UnixMilli(r.At))
	return !strings.HasPrefix(id, lentPrefix) && (age >= lapses || age < -lapses)
}

// ledger is where the ledger lies: below the user or the account.
func (s Scope) ledger() nestor.Path {
	top := nestor.Path("users/" + s.Path.UserID())
	if rest, ok := strings.CutPrefix(string(s.Path), "accounts/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		top = nestor.Path("accounts/" + id)
	}
	return top.Child("ledgers", nestor.DeriveID("ledger", string(s.Path)))
}

// bounding are the scopes with a limit, in the order in which all transactions
// hold their ledgers, so that none waits for another that waits for it. What
// contains others comes before them.
func bounding(scopes []Scope) []Scope {
	scopes = slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return !s.Limit.Bounds() })
	slices.SortFunc(scopes, func(a, b Scope) int { return cmp.Compare(a.Path, b.Path) })
	return scopes
}
