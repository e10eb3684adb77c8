package aisdk

import (
	"testing"
	"time"

	"github.com/nestorhq/nestor"
)

// A client that comes back is told of a run that is under way or ended just now, and
// hears of an older one that there is nothing.
func TestWhatIsUnderWay(t *testing.T) {
	now := time.UnixMilli(1_000_000_000)
	ended := func(ago time.Duration) *nestor.Run {
		return &nestor.Run{Status: nestor.RunSuccess, EndedAt: nestor.Millis(now.Add(-ago))}
	}
	for name, c := range map[string]struct {
		run  *nestor.Run
		want bool
	}{
		"nothing was said":         {nil, false},
		"it runs":                  {&nestor.Run{Status: nestor.RunRunning}, true},
		"it waits":                 {&nestor.Run{Status: nestor.RunWaiting}, true},
		"it ended just now":        {ended(time.Second), true},
		"it ended some time ago":   {ended(recent), false},
		"it ended a long time ago": {ended(24 * time.Hour), false},
	} {
		if got := underWay(c.run, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
