package nestor_test

import (
	"math"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
)

func TestBackoffDoublesUpToTheMostAndHalfOfItIsRandom(t *testing.T) {
	for _, tt := range []struct {
		initial, most time.Duration
		attempts      int
		want          time.Duration
	}{
		{time.Second, 10 * time.Second, 0, time.Second},
		{time.Second, 10 * time.Second, 1, time.Second},
		{time.Second, 10 * time.Second, 3, 4 * time.Second},
		{time.Second, 10 * time.Second, 5, 10 * time.Second},
		{time.Hour, math.MaxInt64, 1000, math.MaxInt64}, // more than a Duration holds
		{time.Minute, time.Second, 1, time.Second},
	} {
		for range 100 {
			if d := nestor.Backoff(tt.initial, tt.most, tt.attempts); d < tt.want/2 || d > tt.want {
				t.Fatalf("from %v to %v after %d attempts: %v", tt.initial, tt.most, tt.attempts, d)
			}
		}
	}
}
