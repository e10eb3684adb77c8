package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
)

// patience is how long somebody else's lock is waited for. One who is gone may have been about to
// start another program, which has the lock, too, until it runs.
const patience = time.Second

// lock is a file lock that ends with the process, however it ends.
type lock struct{ file *os.File }

func acquire(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	for began := time.Now(); errors.Is(err, syscall.EWOULDBLOCK) && time.Since(began) < patience; {
		time.Sleep(10 * time.Millisecond)
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nestor.Errorf(nestor.CodeUnavailable,
				"another nestor runs on this data folder: stop it, choose another with --data, or talk to it with nestor chat --url")
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &lock{f}, nil
}

func (l *lock) Close() error { return l.file.Close() }
