package llm

import (
	"context"
	"time"
)

// Pause waits. It returns an error, as [Interrupted] gives it, if ctx is done
// or ends before the time is up; work says what is interrupted.
func Pause(ctx context.Context, d time.Duration, work string) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return Interrupted(ctx, work)
	}
	return nil
}
