package budget

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor/internal/store"
)

// lapses is the age at which a reservation counts no more: far beyond the time
// that an attempt at a call may take. A reservation from as far in the future
// does not count either: it was made by a clock that has been set back since.
const lapses = time.Hour

// errShort ends a transaction in which a share and what is left beside the other
// shares were not enough.
var errShort = errors.New("what is left has to be gathered")

// Reserve sets aside what a call may need in each of its scopes, or in none. If
// one has not enough left beyond what was spent, the error is of
// [nestor.CodeOverBudget]. If it would have enough without what other calls have
// reserved, the error is a [nestor.PutOff]: they may give some of it back. Each
// scope is given once.
//
// Reserving again under the same id replaces what was reserved before. Without
// limits there is no transaction.
func Reserve(ctx context.Context, docs store.Documents, call Call, scopes []Scope, estimate Amount) error {
	scopes = bounding(scopes)
	if len(scopes) == 0 {
		return nil
	}
	gather := make([]bool, len(scopes))
	for {
		short := -1
		err := docs.Update(ctx, func(tx store.Tx) error {
			short = -1
			for n, s := range scopes {
				err := s.reserve(tx, call, estimate, gather[n])
				if errors.Is(err, errShort) {
					short = n
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if short < 0 {
			return err
		}
		gather[short] = true
	}
}

// reserve reserves in the call's share. Without gathering before, the error may
// be errShort, and says nothing of what is left.
func (s Scope) reserve(tx store.Tx, call Call, need Amount, gather bool) error {
	b, i := s.open(tx), call.share()
	if gather {
		return b.reserveExactly(i, call.ID, need)
	}
	h, err := b.share(i)
	if err != nil {
		return err
	}
	h.end(call.ID)
	if same(h.Limit, s.Limit) && h.fits(need) {
		h.take(call.ID, need, b.now)
		return b.write(i)
	}
	l, err := b.ledger()
	if err != nil {
		return err
	}
	if b.fresh {
		l.Limit = s.Limit
	}
	if !same(l.Limit, s.Limit) || b.lend(i, need) != nil {
		return errShort
	}
	h.take(call.ID, need, b.now)
	return b.write(i)
}

// reserveExactly reserves if there is enough left, whoever holds it.
func (b *books) reserveExactly(i int, id string, need Amount) error {
	if err := b.gather(i, id); err != nil {
		return err
	}
	if err := b.lend(i, need); err != nil {
		return err
	}
	b.shares[i].take(id, need, b.now)
	return b.write(i)
}

// Settle ends the reservation of a call, in the transaction of its effects:
// what it spent takes the place of what it reserved, even if that is more.
// Without a reservation, for example because the limit is newer than the call,
// it counts all the same.
func Settle(tx store.Tx, call Call, scopes []Scope, spent Amount) error {
	for _, s := range bounding(scopes) {
		if err := s.open(tx).settle(call.share(), call.ID, spent); err != nil {
			return err
		}
	}
	return nil
}

// Release ends the reservation of a call that spent nothing.
func Release(tx store.Tx, call Call, scopes []Scope) error { return Settle(tx, call, scopes, Amount{}) }

func (b *books) settle(i int, id string, spent Amount) error {
	h, err := b.share(i)
	if err != nil {
		return err
	}
	if !h.end(id) && spent == (Amount{}) {
		return nil
	}
	h.spend(spent, b.now)
	if due := spent.bounded(h.Limit); h.Limit.Bounds() && due.less(h.Free) == (Amount{}) {
		h.Free = h.Free.less(due)
		return b.write(i)
	}
	return b.overdraw(i, id, spent)
}

// overdraw has the ledger lend a share what it spent beyond what it had. If that
// is more than is left beside the other shares, these return what they have free:
// it is not there any more. That holds shares after the ledger; should two
// transactions wait for each other therefore, one of them is run again.
func (b *books) overdraw(i int, id string, spent Amount) error {
	l, err := b.ledger()
	if err != nil {
		return err
	}
	h := b.shares[i]
	if b.fresh {
		l.Limit = b.Limit
	}
	if !h.Limit.Bounds() {
		h.Limit = l.Limit
	}
	due := spent.bounded(h.Limit)
	b.give(i, due.less(h.Free))
	h.Free = h.Free.less(due)
	if same(l.Limit, b.Limit) && b.check(l, l.outstanding(b.now), Amount{}, b.now) != nil {
		if err := b.gather(i, id); err != nil {
			return err
		}
	}
	return b.write(i)
}
