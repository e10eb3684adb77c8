package access

import (
	"net/netip"
	"sync"
	"time"
)

// Failed logins make the next one wait, longer each time. A stolen password
// list is of no use at that pace, and who mistyped waits seconds.
const (
	freeFailures        = 5  // of an account, before there is a wait
	freeAddressFailures = 20 // of an address, behind which many may sit
	firstWait           = time.Second
	longestWait         = 15 * time.Minute
	// failuresKept is for how long without a failure they still count.
	failuresKept = 24 * time.Hour
	maxLockouts  = 100_000
)

// waitAfter is how long to wait after that many failures in a row.
func waitAfter(failures, free int) time.Duration {
	if failures <= free {
		return 0
	}
	doublings := min(failures-free-1, 20)
	return min(firstWait<<doublings, longestWait)
}

// remaining is how long a lock lasts. One that lasts longer than any that is ever
// set was set by a clock that ran ahead: it is over, or nobody would get in until
// the clock has come that far again.
func remaining(until, now time.Time) time.Duration {
	if wait := until.Sub(now); wait <= longestWait {
		return wait
	}
	return 0
}

// lockout counts failures per key in the memory of this node. An attempt counts
// as failed from its beginning, so that many at once do not slip through.
type lockout struct {
	free int
	now  func() time.Time

	mu       sync.Mutex
	attempts *bounded[attempts]
}

type attempts struct {
	failures int
	last     time.Time
	until    time.Time // locked
}

func newLockout(free int, now func() time.Time) *lockout {
	return &lockout{free: free, now: now, attempts: newBounded[attempts](maxLockouts)}
}

// begin starts an attempt. Its error is of [nestor.CodeRateLimited] while the
// key is locked.
func (l *lockout) begin(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.attempts.get(key)
	if a == nil {
		a = l.attempts.add(key)
	}
	if wait := remaining(a.until, now); wait > 0 {
		return tooMany(wait)
	}
	if now.Sub(a.last) > failuresKept {
		a.failures = 0
	}
	a.failures++
	a.last = now
	a.until = now.Add(waitAfter(a.failures, l.free))
	return nil
}

// forget takes back all failures of a key.
func (l *lockout) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts.remove(key)
}

// takeBack says that the latest attempt of a key did not fail. Those before it
// still count: one good login must not pay for guesses about others.
func (l *lockout) takeBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.attempts.get(key); a != nil {
		a.failures--
		a.until = time.Time{}
	}
}

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
