package budget

import (
	"maps"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Standing is how much of a budget is used and left.
type Standing struct {
	// Path is whose budget it is: a user, an account or a project.
	Path   nestor.Path   `json:"path"`
	Budget nestor.Budget `json:"budget"`
	// Used counts for life, per day and per month, as the budget does, what was
	// used since there is one.
	Used nestor.Budget `json:"used"`
	// Reserved is what running calls may need. It is not used yet.
	Reserved nestor.Allowance `json:"reserved"`
	// Left is what a call could need that began now, for each bound that is set.
	Left Left `json:"left"`
}

// Left is what is left of each bound, absent where there is none.
type Left struct {
	Remainder
	PerDay   *Remainder `json:"perDay,omitempty"`
	PerMonth *Remainder `json:"perMonth,omitempty"`
}

// Remainder is what is left of an allowance.
type Remainder struct {
	Tokens     *int64 `json:"tokens,omitempty"`
	CostMicros *int64 `json:"costMicros,omitempty"`
}

// Stand tells how much of a scope's budget is left.
func Stand(r store.Reader, s Scope, now time.Time) (Standing, error) {
	l, reserved, err := s.sum(r, now)
	if err != nil {
		return Standing{}, err
	}
	life, today, thisMonth := l.at(now)
	st := Standing{
		Path: s.Path, Budget: s.Limit, Reserved: allowance(reserved),
		Used: nestor.Budget{Tokens: life.Tokens, CostMicros: life.Micros},
		Left: Left{Remainder: remainder(nestor.Allowance{Tokens: s.Limit.Tokens, CostMicros: s.Limit.CostMicros}, life.plus(reserved))},
	}
	if p := s.Limit.PerDay; p != nil {
		used, left := allowance(today), remainder(*p, today.plus(reserved))
		st.Used.PerDay, st.Left.PerDay = &used, &left
	}
	if p := s.Limit.PerMonth; p != nil {
		used, left := allowance(thisMonth), remainder(*p, thisMonth.plus(reserved))
		st.Used.PerMonth, st.Left.PerMonth = &used, &left
	}
	return st, nil
}

// sum is what a scope's ledger and its shares have in all, and what running calls
// have reserved.
func (s Scope) sum(r store.Reader, now time.Time) (l ledger, reserved Amount, err error) {
	found, err := store.Find[ledger](r, s.ledger())
	if err != nil {
		return l, reserved, err
	}
	if found != nil {
		l = *found
		maps.DeleteFunc(l.Reserved, func(id string, _ reservation) bool { return strings.HasPrefix(id, lentPrefix) })
	}
	all, err := s.readShares(r)
	reserved = l.outstanding(now)
	for _, h := range all {
		l.absorb(&h.ledger, now)
		reserved = reserved.plus(h.outstanding(now))
	}
	return l, reserved, err
}

func allowance(a Amount) nestor.Allowance {
	return nestor.Allowance{Tokens: a.Tokens, CostMicros: a.Micros}
}

func remainder(limit nestor.Allowance, used Amount) (r Remainder) {
	if limit.Tokens > 0 {
		left := max(limit.Tokens-used.Tokens, 0)
		r.Tokens = &left
	}
	if limit.CostMicros > 0 {
		left := max(limit.CostMicros-used.Micros, 0)
		r.CostMicros = &left
	}
	return r
}
