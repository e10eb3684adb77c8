package sqlite

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
)

func TestALockThatIsAboutToBeFreeIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		first, err := acquire(path)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := acquire(path); nestor.CodeOf(err) != nestor.CodeUnavailable || time.Since(began) < patience {
			t.Errorf("a lock that somebody keeps was given up after %v: %v", time.Since(began), err)
		}
		acquired := make(chan error)
		go func() {
			second, err := acquire(path)
			if err == nil {
				err = second.Close()
			}
			acquired <- err
		}()
		synctest.Wait()
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-acquired; err != nil {
			t.Error(err)
		}
	})
}
