package mcptool

import "time"

const (
	firstPause = time.Second
	maxPause   = time.Minute
)

// backoff spaces out attempts to reach a server that does not come up.
type backoff struct {
	failures int
	until    time.Time
	last     error
}

func (b *backoff) failed(now time.Time, err error) {
	b.until = now.Add(min(firstPause<<min(b.failures, 10), maxPause))
	b.failures++
	b.last = err
}

// pause is how long to wait before the next attempt.
func (b *backoff) pause(now time.Time) time.Duration { return max(0, b.until.Sub(now)) }
