package access

import (
	"context"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// failures are the failed logins of a user on all nodes, from everywhere and by
// address. See the constants of lockout for what they lead to.
type failures struct {
	Count  int   `json:"count"`
	LastAt int64 `json:"lastAt"`
	Until  int64 `json:"until"` // locked, Unix milliseconds
	// Addresses are those that failed last, the latest first.
	Addresses []failuresAt `json:"addresses,omitempty"`
}

// failuresAt are those from one address.
type failuresAt struct {
	Address string `json:"address"`
	Count   int    `json:"count"`
	LastAt  int64  `json:"lastAt"`
	Until   int64  `json:"until"`
}

// maxFailedAddresses bounds the document. An attacker with more addresses is
// held up by the count of the account.
const maxFailedAddresses = 100

// lockedUntil is an error of [nestor.CodeRateLimited] until a time in Unix
// milliseconds.
func lockedUntil(until int64, now time.Time) error {
	if wait := remaining(time.UnixMilli(until), now); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// at are the failures from an address.
func (f *failures) at(network string) failuresAt {
	for _, a := range f.Addresses {
		if a.Address == network {
			return a
		}
	}
	return failuresAt{Address: network}
}

func (f *failures) drop(network string) {
	f.Addresses = slices.DeleteFunc(f.Addresses, func(a failuresAt) bool { return a.Address == network })
}

// count adds a failure.
func (f *failures) count(network string, now time.Time) {
	if now.Sub(time.UnixMilli(f.LastAt)) > failuresKept {
		f.Count = 0
	}
	a := f.at(network)
	if now.Sub(time.UnixMilli(a.LastAt)) > failuresKept {
		a.Count = 0
	}
	a.Count++
	a.LastAt, f.LastAt = nestor.Millis(now), nestor.Millis(now)
	a.Until = nestor.Millis(now.Add(withPair.wait(a.Count)))
	if a.Count <= shareOfAddress {
		f.Count++
		f.Until = nestor.Millis(now.Add(withAccount.wait(f.Count)))
	}
	f.drop(network)
	f.Addresses = append([]failuresAt{a}, f.Addresses...)
	f.Addresses = f.Addresses[:min(len(f.Addresses), maxFailedAddresses)]
}

// forgive takes back the failures from an address where a login was right. Those
// from elsewhere still count.
func forgive(tx store.Tx, p nestor.Path, network string) error {
	f, err := store.Find[failures](tx, p)
	if err != nil || f == nil {
		return err
	}
	f.Count = max(0, f.Count-min(f.at(network).Count, shareOfAddress))
	if f.drop(network); f.Count == 0 {
		return remove(tx, p)
	}
	_, err = tx.Put(p, f, store.AnyVersion)
	return err
}

// failuresAt is where failures count. Those of unknown users go to one document
// and have no effect: they are written so that they take as long as others.
func (c candidate) failuresAt() nestor.Path {
	if c.userID == "" {
		return secretPath("unknown", "failures")
	}
	return secretPath("failures", c.userID)
}

func (g *Gate) countFailure(ctx context.Context, p nestor.Path, network string) error {
	now := g.opts.Now()
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		f, err := store.Find[failures](tx, p)
		if err != nil {
			return err
		}
		if f == nil {
			f = &failures{}
		}
		f.count(network, now)
		_, err = tx.Put(p, f, store.AnyVersion)
		return err
	})
}

// try is an attempt to log in, as this node counts it in memory, so that many
// at once do not slip through.
type try struct {
	g             *Gate
	network       string
	pair, account string   // keys
	undo          []func() // what success takes back
	// held is of [nestor.CodeRateLimited] while the address or the account is
	// held up: see [Gate.Login].
	held error
}

// try begins an attempt, unless the account is locked for the address.
func (g *Gate) try(login string, from Client) (*try, error) {
	t := &try{g: g, network: from.Network(), account: loginID(login)}
	t.pair = t.account + " " + t.network
	failures, err := g.pairs.begin(t.pair)
	if err != nil {
		return nil, err
	}
	t.begin(g.addresses, t.network)
	switch {
	case t.held != nil:
	case failures > shareOfAddress:
		t.held = g.accounts.check(t.account)
	default:
		t.begin(g.accounts, t.account)
	}
	return t, nil
}

func (t *try) begin(l *lockout, key string) {
	if _, t.held = l.begin(key); t.held == nil {
		t.undo = append(t.undo, func() { l.takeBack(key) })
	}
}

// succeed takes back that the attempt counts as failed.
func (t *try) succeed() {
	t.g.pairs.forget(t.pair)
	for _, undo := range t.undo {
		undo()
	}
}
