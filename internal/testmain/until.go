package testmain

import (
	"runtime"
	"testing"
	"time"
)

// patience is longer than anything takes on a loaded machine.
const patience = 2 * time.Minute

// Until waits for what tells nobody that it happened. It ends the test if that does not
// happen, where a loop without a bound would end all tests of the package.
func Until(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited %s in vain: %s", patience, what)
		}
	}
}

// Next is the next of what is told. It ends the test if nothing more is.
func Next[T any](t testing.TB, what string, told <-chan T) T {
	t.Helper()
	select {
	case next, more := <-told:
		if !more {
			t.Fatalf("nothing more is told: %s", what)
		}
		return next
	case <-time.After(patience):
		t.Fatalf("waited %s in vain: %s", patience, what)
	}
	panic("not reached")
}
