package budget

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// check refuses a call that may need more than the scope has left.
func (s Scope) check(used, reserved, need Amount) error {
	for _, m := range []struct {
		field, unit                 string
		limit, used, reserved, need int64
		format                      func(int64) string
	}{
		{"tokens", " tokens", s.Limit.Tokens, used.Tokens, reserved.Tokens, need.Tokens, grouped},
		{"costMicros", "", s.Limit.CostMicros, used.Micros, reserved.Micros, need.Micros, dollars},
	} {
		if m.limit == 0 || m.used+m.reserved+m.need <= m.limit {
			continue
		}
		running := ""
		if m.reserved > 0 {
			running = m.format(m.reserved) + " are reserved by running calls, "
		}
		return nestor.Errorf(nestor.CodeOverBudget, "the budget of %s is %s%s: %s are used, %sand this call may need %s",
			s.name(), m.format(m.limit), m.unit, m.format(m.used), running, m.format(m.need)).
			With("path", s.Path).With("field", m.field).With("limit", m.limit).With("used", m.used)
	}
	return nil
}

// name is what a person calls the scope.
func (s Scope) name() string {
	switch store.CollectionOf(s.Path) {
	case store.Chats:
		return "this chat"
	case store.Tasks:
		return "this task"
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
