package budget

import (
	"fmt"
	"time"

	"github.com/nestorhq/nestor"
)

// share is the part of a ledger that calls of some keys use. What it spent, what is
// reserved in it and what is free was lent to it by the ledger.
type share struct {
	ledger
	Free Amount `json:"free"`
	// Closed is set when more than the limit was spent and reserved: what calls then
	// give back is not free to use before the ledger has looked at all shares.
	Closed bool `json:"closed,omitempty"`
}

const lentPrefix = "share."

// lentTo is under which id a ledger has reserved what it lent to a share. Programs
// of before shares take it for the reservation of a call, and keep within the limit.
func lentTo(i int) string { return fmt.Sprintf("%s%03d", lentPrefix, i) }

// share is where a share of the ledger lies.
func (s Scope) share(i int) nestor.Path { return s.ledger().Child("shares", fmt.Sprintf("%03d", i)) }

// fits reports whether what is free is enough for a call. Where nothing is free it
// cannot tell, even if the call needs nothing: more than all may be spent.
func (h *share) fits(need Amount) bool {
	if h.Closed {
		return false
	}
	need = need.bounded(h.Limit)
	one := Amount{1, 1}.bounded(h.Limit)
	return Amount{max(need.Tokens, one.Tokens), max(need.Micros, one.Micros)}.less(h.Free) == Amount{}
}

// take reserves what a call may need of what is free.
func (h *share) take(id string, need Amount, now time.Time) {
	h.Free = h.Free.less(need.bounded(h.Limit))
	h.Reserved[id] = reservation{need, nestor.Millis(now)}
}

// end frees what a call has reserved, if it has.
func (h *share) end(id string) bool {
	r, ok := h.Reserved[id]
	if ok {
		h.Free = h.Free.plus(r.bounded(h.Limit))
		delete(h.Reserved, id)
	}
	return ok
}

// lapse frees what nobody ended in time.
func (h *share) lapse(now time.Time) {
	for id, r := range h.Reserved {
		if lapsed(id, r, now) {
			h.end(id)
		}
	}
}
