package budget

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// lapses is the age at which a reservation counts no more: far beyond the time
// that an attempt at a call may take. A reservation from as far in the future
// does not count either: it was made by a clock that has been set back since.
const lapses = time.Hour

// Reserve sets aside what a call may need in each of its scopes, or in none. If
// one has not enough left beyond what was spent, the error is of
// [nestor.CodeOverBudget]. If it would have enough without what other calls have
// reserved, the error is a [nestor.PutOff]: they may give some of it back. Each
// scope is given once.
//
// The id is the call's own, such as that of its job: reserving again replaces
// what was reserved before. Without limits there is no transaction.
func Reserve(ctx context.Context, docs store.Documents, id string, scopes []Scope, estimate Amount) error {
	scopes = bounding(scopes)
	if len(scopes) == 0 {
		return nil
	}
	return docs.Update(ctx, func(tx store.Tx) error {
		for _, s := range scopes {
			if err := s.reserve(tx, id, estimate, time.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Scope) reserve(tx store.Tx, id string, need Amount, now time.Time) error {
	l, err := s.hold(tx)
	if err != nil {
		return err
	}
	delete(l.Reserved, id)
	if err := s.check(&l, l.outstanding(now), need, now); err != nil {
		return err
	}
	l.Reserved[id] = reservation{need, nestor.Millis(now)}
	return s.write(tx, l)
}

// Settle ends the reservation of a call, in the transaction of its effects:
// what it spent takes the place of what it reserved, even if that is more.
// Without a reservation, for example because the limit is newer than the call,
// it counts all the same.
func Settle(tx store.Tx, id string, scopes []Scope, spent Amount) error {
	for _, s := range bounding(scopes) {
		l, err := s.hold(tx)
		if err != nil {
			return err
		}
		if _, reserved := l.Reserved[id]; !reserved && spent == (Amount{}) {
			continue
		}
		delete(l.Reserved, id)
		l.spend(spent, time.Now())
		if err := s.write(tx, l); err != nil {
			return err
		}
	}
	return nil
}

// Release ends the reservation of a call that spent nothing.
func Release(tx store.Tx, id string, scopes []Scope) error { return Settle(tx, id, scopes, Amount{}) }
