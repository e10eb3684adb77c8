package access_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

func TestALimiterAllowsABurstAndThenARate(t *testing.T) {
	c := newClock()
	l := access.NewLimiter(access.LimiterOptions{PerSecond: 2, Burst: 3, Now: c.time})
	for i := range 3 {
		if err := l.Allow("a"); err != nil {
			t.Errorf("event %d: %v", i, err)
		}
	}
	err := l.Allow("a")
	if wait, _ := nestor.WaitOf(err); nestor.CodeOf(err) != nestor.CodeRateLimited || wait != 500*time.Millisecond {
		t.Errorf("the fourth: %v, wait %v", err, wait)
	}
	if err := l.Allow("b"); err != nil {
		t.Errorf("another key: %v", err)
	}
	c.pass(499 * time.Millisecond)
	if l.Allow("a") == nil {
		t.Error("too early")
	}
	c.pass(time.Millisecond)
	if err := l.Allow("a"); err != nil {
		t.Errorf("in time: %v", err)
	}
	c.pass(-time.Hour) // a clock that is set back takes nothing away
	if l.Allow("a") == nil {
		t.Error("a clock that was set back gave something")
	}
	c.pass(25 * time.Hour)
	for i := range 3 {
		if err := l.Allow("a"); err != nil {
			t.Errorf("event %d of the next day: %v", i, err)
		}
	}
	if l.Allow("a") == nil {
		t.Error("the burst grows with idleness")
	}
}

// All events that come along with an allowed one are let through, and the next
// event waits until all of them would have been allowed.
func TestALimiterChargesWhatComesAlong(t *testing.T) {
	for name, tt := range map[string]struct {
		along int
		wait  time.Duration // of the next event
	}{
		"nothing":                   {0, 0},
		"less than the burst":       {1, 0},
		"the rest of the burst":     {2, 500 * time.Millisecond},
		"as much as the burst":      {3, time.Second},
		"several times the burst":   {10, 4500 * time.Millisecond},
		"less than nothing is none": {-5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			l := access.NewLimiter(access.LimiterOptions{PerSecond: 2, Burst: 3, Now: c.time})
			if err := l.Allow("a"); err != nil {
				t.Fatal(err)
			}
			l.Charge("a", tt.along)
			if err := l.Allow("b"); err != nil {
				t.Errorf("another key: %v", err)
			}
			if tt.wait > 0 {
				err := l.Allow("a")
				if wait, _ := nestor.WaitOf(err); nestor.CodeOf(err) != nestor.CodeRateLimited || wait != tt.wait {
					t.Fatalf("the next event: %v, wait %v", err, wait)
				}
				c.pass(tt.wait - time.Millisecond)
				if l.Allow("a") == nil {
					t.Error("too early")
				}
				c.pass(time.Millisecond)
			}
			if err := l.Allow("a"); err != nil {
				t.Errorf("in time: %v", err)
			}
		})
	}
}

func TestALimiterForgetsWhoWasIdleForLongest(t *testing.T) {
	c := newClock()
	l := access.NewLimiter(access.LimiterOptions{PerSecond: 0.001, Burst: 1, Keys: 10, Now: c.time})
	for i := range 10 {
		if err := l.Allow(fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if l.Allow("0") == nil {
		t.Fatal("a key was forgotten before there were too many")
	}
	if err := l.Allow("new"); err != nil {
		t.Fatal(err)
	}
	if l.Allow("0") == nil {
		t.Error("a key that was just used is forgotten")
	}
	if err := l.Allow("1"); err != nil {
		t.Errorf("the key that was idle for longest is kept: %v", err)
	}
}
