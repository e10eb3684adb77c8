package access

import (
	"net/netip"
	"sync"
	"time"
)

// Failed logins make the next one wait, longer each time. A stolen password
// list is of no use at that pace, and a user who mistyped waits seconds.
//
// Failures count for a pair of account and address, so that nobody can lock out
// a user who comes from elsewhere. An attacker who tries another account with
// every guess, or another address, is held up by the count of the address or
// the account. Those two do not hold up a user at an address where they logged
// in before: see [places].
const (
	freeFailures        = 5   // of an account at an address, before there is a wait
	freeAddressFailures = 20  // of an address, behind which many may sit
	freeAccountFailures = 100 // of an account, from everywhere
	// shareOfAddress is how many failures of one address count for an account:
	// one address alone cannot reach freeAccountFailures.
	shareOfAddress = 10
	firstWait      = time.Second
	longestWait    = 15 * time.Minute
	// failuresKept is how long without a failure the earlier ones still count.
	failuresKept = 24 * time.Hour
	maxLockouts  = 100_000
)

// patience says how many failures in a row are free, and how long the longest
// wait is.
type patience struct {
	free    int
	longest time.Duration
}

var (
	withPair    = patience{freeFailures, longestWait}
	withAddress = patience{freeAddressFailures, longestWait}
	withAccount = patience{freeAccountFailures, longestWait}
	withGuesses = patience{freeGuesses, longestGuessWait}
)

// wait is how long to wait after that many failures in a row.
func (p patience) wait(failures int) time.Duration {
	if failures <= p.free {
		return 0
	}
	doublings := min(failures-p.free-1, 20)
	return min(firstWait<<doublings, p.longest)
}

// remaining is how long a lock still lasts. One that lasts longer than any lock
// should was set by a clock that ran ahead: it is over, or else nobody would
// get in until the clock has come that far again.
func remaining(until, now time.Time) time.Duration {
	if wait := until.Sub(now); wait <= longestWait {
		return wait
	}
	return 0
}

// lockout counts failures per key in the memory of this node. An attempt counts
// as failed from its beginning, so that many at once do not slip through.
type lockout struct {
	patience patience
	now      func() time.Time

	mu       sync.Mutex
	attempts *bounded[attempts]
}

type attempts struct {
	failures int
	last     time.Time
	until    time.Time // locked
}

func newLockout(p patience, now func() time.Time) *lockout {
	return &lockout{patience: p, now: now, attempts: newBounded[attempts](maxLockouts)}
}

// begin starts an attempt and returns how many failures in a row it would be.
// Its error is of [nestor.CodeRateLimited] while the key is locked.
func (l *lockout) begin(key string) (failures int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.unlocked(key)
	if err != nil {
		return 0, err
	}
	l.fail(a)
	return a.failures, nil
}

// attempt counts an attempt whose outcome is known already. It returns how long
// the key is locked from now on, and the error of begin if it was locked. A
// right one does not count: it may be sent a thousand times a second. It takes
// back no failure either, for those may be somebody else's guesses.
func (l *lockout) attempt(key string, right bool) (wait time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if right && l.attempts.get(key) == nil {
		return 0, nil
	}
	a, err := l.unlocked(key)
	if err != nil {
		return 0, err
	}
	if right {
		return 0, nil
	}
	l.fail(a)
	return a.until.Sub(a.last), nil
}

// check reports that the key is locked, without starting an attempt.
func (l *lockout) check(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.unlocked(key)
	return err
}

// unlocked returns the attempts of a key that is not locked.
func (l *lockout) unlocked(key string) (*attempts, error) {
	now := l.now()
	a := l.attempts.get(key)
	if a == nil {
		a = l.attempts.add(key)
	}
	if wait := remaining(a.until, now); wait > 0 {
		return nil, tooMany(wait)
	}
	if now.Sub(a.last) > failuresKept {
		a.failures = 0
	}
	return a, nil
}

func (l *lockout) fail(a *attempts) {
	a.failures++
	a.last = l.now()
	a.until = a.last.Add(l.patience.wait(a.failures))
}

// forget takes back all failures of a key.
func (l *lockout) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts.remove(key)
}

// takeBack says that the latest attempt of a key did not fail. Those before it
// still count: one good login must not make up for guesses at other accounts.
func (l *lockout) takeBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.attempts.get(key); a != nil {
		a.failures--
		a.until = time.Time{}
	}
}

// Network is the address as failures and limits count it.
func (c Client) Network() string { return addressKey(c.Address) }

// addressKey groups the addresses that one client can have: an IPv6 network of
// /64 is a single customer's.
func addressKey(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}
