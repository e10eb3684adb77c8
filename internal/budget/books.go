package budget

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// books are the ledger of a scope and its shares, as far as a transaction has
// looked at them. Nobody else writes those before it ends.
//
// Transactions hold the shares of a scope in order of their numbers, then its
// ledger, so that none waits for another that waits for it.
type books struct {
	Scope
	tx     store.Tx
	now    time.Time
	main   *ledger
	fresh  bool // there was no ledger yet
	shares map[int]*share
}

func (s Scope) open(tx store.Tx) *books {
	return &books{Scope: s, tx: tx, now: time.Now(), shares: map[int]*share{}}
}

// share holds a share.
func (b *books) share(i int) (*share, error) {
	if h := b.shares[i]; h != nil {
		return h, nil
	}
	h, err := hold[share](b.tx, b.Scope.share(i))
	if err != nil {
		return nil, err
	}
	h.ready(b.Scope)
	h.lapse(b.now)
	b.shares[i] = &h
	return &h, nil
}

// ledger holds the ledger.
func (b *books) ledger() (*ledger, error) {
	if b.main != nil {
		return b.main, nil
	}
	l, err := hold[ledger](b.tx, b.Scope.ledger())
	if err != nil {
		return nil, err
	}
	b.fresh = l.Path == ""
	l.ready(b.Scope)
	b.main = &l
	return &l, nil
}

// ready completes a ledger that was just read, if there was one.
func (l *ledger) ready(s Scope) {
	l.Path = s.Path
	if l.Reserved == nil {
		l.Reserved = map[string]reservation{}
	}
}

// write writes the ledger, if it was held, and a share.
func (b *books) write(i int) error {
	if b.main != nil {
		if _, err := b.tx.Put(b.Scope.ledger(), b.main, store.AnyVersion); err != nil {
			return err
		}
	}
	_, err := b.tx.Put(b.Scope.share(i), b.shares[i], store.AnyVersion)
	return err
}

// lend lends a share what a call lacks in it and, as far as there is more, a slice
// that is the smaller the more shares there are and the less is left. Ledger and
// share are of the limit as it is now. The error says why it cannot be lent.
func (b *books) lend(i int, need Amount) error {
	h := b.shares[i]
	h.Limit = b.Limit
	lacks, taken := need.bounded(b.Limit).less(h.Free), b.main.outstanding(b.now)
	if err := b.check(b.main, taken, lacks, b.now); err != nil {
		return err
	}
	spare, others := b.spare(b.main, taken.plus(lacks), b.now), int64(len(b.main.Reserved))
	slice := Amount{spare.Tokens / (2 * (others + 1)), spare.Micros / (2 * (others + 1))}
	b.give(i, lacks.plus(slice))
	h.Free, h.Closed = h.Free.plus(lacks).plus(slice), false
	return nil
}

// give notes that a share was lent more.
func (b *books) give(i int, more Amount) {
	b.main.Reserved[lentTo(i)] = reservation{b.main.Reserved[lentTo(i)].plus(more), nestor.Millis(b.now)}
}

// gather takes back what the shares hold, and what the call with the id has
// reserved in share own or, with a program of before shares, in the ledger. Then
// the ledger has all that was spent, and has lent what other calls have reserved.
// The share is written by the caller, with what becomes of it.
func (b *books) gather(own int, id string) error {
	used, err := b.holdAll(own)
	if err != nil {
		return err
	}
	b.shares[own].end(id)
	delete(b.main.Reserved, id)
	b.main.Limit = b.Limit
	for _, i := range used {
		b.takeBack(i)
	}
	closed := b.check(b.main, b.main.outstanding(b.now), Amount{}, b.now) != nil
	for _, i := range used {
		h := b.shares[i]
		if h.Closed = closed && h.Limit.Bounds(); i == own {
			continue
		}
		if _, err := b.tx.Put(b.Scope.share(i), h, store.AnyVersion); err != nil {
			return err
		}
	}
	return nil
}

// holdAll holds the shares that are in use, one of them in any case, and the ledger.
func (b *books) holdAll(own int) (used []int, err error) {
	if used, err = b.inUse(); err != nil {
		return nil, err
	}
	if !slices.Contains(used, own) {
		used = append(used, own)
		slices.Sort(used)
	}
	for _, i := range used {
		if _, err := b.share(i); err != nil {
			return nil, err
		}
	}
	l, err := b.ledger()
	if err != nil {
		return nil, err
	}
	for id, r := range l.Reserved {
		if i, lent := lentShare(id); lent && !slices.Contains(used, i) {
			return nil, store.ErrRetry // it came into use since
		}
		if lapsed(id, r, b.now) {
			delete(l.Reserved, id)
		}
	}
	return used, nil
}

// takeBack leaves a share nothing but what is reserved in it.
func (b *books) takeBack(i int) {
	h := b.shares[i]
	b.main.absorb(&h.ledger, b.now)
	delete(b.main.Reserved, lentTo(i))
	*h = share{ledger: ledger{Path: h.Path, Reserved: h.Reserved}}
	if len(h.Reserved) > 0 {
		h.Limit = b.Limit
		b.give(i, h.outstanding(b.now).bounded(b.Limit))
	}
}

// inUse are the numbers of the shares that hold something, in order. They are
// read without holding them.
func (b *books) inUse() (used []int, err error) {
	all, err := b.readShares(b.tx)
	for i, h := range all {
		if h.Limit.Bounds() || h.SpentTokens > 0 || h.SpentMicros > 0 {
			used = append(used, i)
		}
	}
	slices.Sort(used)
	return used, err
}

// readShares reads the shares of a scope that there are.
func (s Scope) readShares(r store.Reader) (map[int]share, error) {
	page, err := r.Query(store.Query{Collection: s.share(0).Collection(), Limit: ledgerShares})
	if err != nil {
		return nil, err
	}
	all := map[int]share{}
	for _, d := range page.Items {
		i, err := strconv.Atoi(d.Path.ID())
		if err != nil {
			return nil, err
		}
		if all[i], err = nestor.As[share](d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lentShare is the number of the share that a reservation in a ledger is about, if
// it is about one.
func lentShare(id string) (i int, ok bool) {
	digits, ok := strings.CutPrefix(id, lentPrefix)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return i, err == nil
}

// same reports whether two limits are the same.
func same(a, b nestor.Budget) bool { return reflect.DeepEqual(a, b) }
