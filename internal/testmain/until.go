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
