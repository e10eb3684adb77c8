package access

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/nestorhq/nestor"
)

// LimiterOptions configure a [Limiter].
type LimiterOptions struct {
	// PerSecond is how many events a key may have in the long run. Defaults to 10.
	PerSecond float64
	// Burst is how many it may have at once. Defaults to twice PerSecond.
	Burst int
	// Keys is how many keys are remembered. Beyond it the one that was idle for
	// longest starts afresh. Defaults to 100,000.
	Keys int
	// Now defaults to time.Now.
	Now func() time.Time
}

// Limiter limits how often something happens, for every key by itself, such as
// a user or an address: a token bucket each. It is safe for concurrent use and
// its memory is bounded.
type Limiter struct {
	opts    LimiterOptions
	mu      sync.Mutex
	buckets *bounded[*rate.Limiter]
}

// NewLimiter returns a limiter that has seen nothing yet.
func NewLimiter(opts LimiterOptions) *Limiter {
	if opts.PerSecond == 0 {
		opts.PerSecond = 10
	}
	if opts.Burst == 0 {
		opts.Burst = int(math.Ceil(2 * opts.PerSecond))
	}
	if opts.Keys == 0 {
		opts.Keys = 100_000
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Limiter{opts: opts, buckets: newBounded[*rate.Limiter](opts.Keys)}
}

// Allow counts an event of key. An error of [nestor.CodeRateLimited] says that
// it must not happen now, and when to try again.
func (l *Limiter) Allow(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.opts.Now()
	slot := l.buckets.get(key)
	if slot == nil {
		slot = l.buckets.add(key)
		*slot = rate.NewLimiter(rate.Limit(l.opts.PerSecond), l.opts.Burst)
	}
	bucket := *slot
	// This makes the bucket count from now on even if the clock was set back. By
	// itself it would wait until the old time has come again.
	bucket.SetLimitAt(now, bucket.Limit())
	if bucket.AllowN(now, 1) {
		return nil
	}
	missing := (1 - bucket.TokensAt(now)) / l.opts.PerSecond
	return tooMany(time.Duration(missing * float64(time.Second)))
}

// Charge counts n further events of key that came along with one that was
// allowed. Those that follow wait for them.
func (l *Limiter) Charge(key string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := l.buckets.get(key)
	if slot == nil {
		return
	}
	now := l.opts.Now()
	for ; n > 0; n -= l.opts.Burst { // a bucket gives no more than a burst at once
		(*slot).ReserveN(now, min(n, l.opts.Burst))
	}
}

func tooMany(wait time.Duration) error {
	seconds := int64(math.Ceil(wait.Seconds()))
	err := nestor.Errorf(nestor.CodeRateLimited, "too many attempts: try again in %d s", seconds)
	err.Err = nestor.RetryAfter(wait)
	return err.With("retryAfterSeconds", seconds)
}
