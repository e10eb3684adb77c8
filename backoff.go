package nestor

import (
	"math/rand/v2"
	"time"
)

// Backoff is how long to wait after so many failed attempts, the first of which
// is 1. It doubles from initial to most with each. Half of it is random, so that
// callers which failed together do not come back together.
func Backoff(initial, most time.Duration, attempts int) time.Duration {
	d, doublings := most, max(attempts-1, 0)
	if initial <= most>>doublings { // so that nothing overflows
		d = initial << doublings
	}
	return d/2 + rand.N(d/2+1)
}
