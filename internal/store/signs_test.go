package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor/internal/store"
)

func TestANodeThatCouldNotRenewItsOwnLeaseJudgesNobodyUntilAllHadTheTime(t *testing.T) {
	const ttl = 6 * time.Second
	synctest.Test(t, func(t *testing.T) {
		var s store.Signs
		judges := func(want bool) {
			t.Helper()
			if s.Judge(ttl) != want {
				t.Errorf("it judges others: %v, want %v", !want, want)
			}
		}
		quick := func(beats int) {
			for range beats {
				time.Sleep(ttl / 3)
				s.Renewed(ttl)
			}
		}
		s.Joined()
		judges(true)
		quick(10)
		judges(true)
		time.Sleep(ttl/2 + time.Millisecond) // a renewal is under way, or failed
		judges(false)
		s.Renewed(ttl) // late
		judges(false)
		quick(3)
		judges(false)
		quick(1)
		judges(true)
		s.Back() // its lock was gone
		judges(false)
		quick(4)
		judges(true)
	})
}
