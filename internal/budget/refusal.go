package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// bound is one of the limits of a scope, with what counts against it.
type bound struct {
	field, unit, per            string
	limit, used, reserved, need int64
	format                      func(int64) string
}

// allowed is what a scope may use in a period, and what it used.
type allowed struct {
	field, per string
	limit      nestor.Allowance
	used       Amount
}

// allows are the periods that the scope's limit is about.
func (s Scope) allows(l *ledger, now time.Time) []allowed {
	life, today, thisMonth := l.at(now)
	all := []allowed{{"", "", nestor.Allowance{Tokens: s.Limit.Tokens, CostMicros: s.Limit.CostMicros}, life}}
	if p := s.Limit.PerDay; p != nil {
		all = append(all, allowed{"perDay.", " per day", *p, today})
	}
	if p := s.Limit.PerMonth; p != nil {
		all = append(all, allowed{"perMonth.", " per month", *p, thisMonth})
	}
	return all
}

// spare is what is left beside what was used and reserved, in what is bounded.
func (s Scope) spare(l *ledger, reserved Amount, now time.Time) Amount {
	left := Amount{math.MaxInt64, math.MaxInt64}
	for _, p := range s.allows(l, now) {
		rest := Amount{p.limit.Tokens, p.limit.CostMicros}.less(p.used.plus(reserved))
		if p.limit.Tokens > 0 {
			left.Tokens = min(left.Tokens, rest.Tokens)
		}
		if p.limit.CostMicros > 0 {
			left.Micros = min(left.Micros, rest.Micros)
		}
	}
	return left.bounded(s.Limit)
}

// bounds are the limits of a scope.
func (s Scope) bounds(l *ledger, reserved, need Amount, now time.Time) (all []bound) {
	for _, p := range s.allows(l, now) {
		all = append(all,
			bound{p.field + "tokens", " tokens", p.per, p.limit.Tokens, p.used.Tokens, reserved.Tokens, need.Tokens, grouped},
			bound{p.field + "costMicros", "", p.per, p.limit.CostMicros, p.used.Micros, reserved.Micros, need.Micros, dollars})
	}
	return all
}

// check refuses a call that may need more than the scope has left. What others
// have reserved puts it off; only what was spent refuses it for good.
func (s Scope) check(l *ledger, reserved, need Amount, now time.Time) error {
	var wait error
	for _, m := range s.bounds(l, reserved, need, now) {
		if m.limit == 0 || add(add(m.used, m.reserved), m.need) <= m.limit {
			continue
		}
		if add(m.used, m.need) > m.limit {
			return s.refusal(nestor.CodeOverBudget, m, nil)
		}
		if wait == nil {
			wait = s.refusal(nestor.CodeRateLimited, m, nestor.PutOff{})
		}
	}
	return wait
}

func (s Scope) refusal(code nestor.Code, m bound, cause error) error {
	running := ""
	if m.reserved > 0 {
		running = m.format(m.reserved) + " are reserved by running calls, "
	}
	e := nestor.Errorf(code, "the budget of %s is %s%s%s: %s are used, %sand this call may need %s",
		s.name(), m.format(m.limit), m.unit, m.per, m.format(m.used), running, m.format(m.need)).
		With("path", s.Path).With("field", m.field).With("limit", m.limit).With("used", m.used)
	e.Err = cause
	return e
}

// name is what a person calls the scope.
func (s Scope) name() string {
	switch {
	case store.Chats.Has(s.Path):
		return "this chat"
	case store.Tasks.Has(s.Path):
		return "this task"
	case s.Path.Collection() == "accounts":
		return "this account"
	case strings.HasSuffix(s.Path.Collection(), "/projects"):
		return "this project"
	}
	return "this user"
}

// grouped writes a count as 1,234,567.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// dollars writes millionths of a dollar as $1,234.50, with as many decimals as
// the amount has and at least two.
func dollars(micros int64) string {
	const dollar = 1_000_000
	decimals := fmt.Sprintf("%06d", micros%dollar)
	return "$" + grouped(micros/dollar) + "." + decimals[:2] + strings.TrimRight(decimals[2:], "0")
}
