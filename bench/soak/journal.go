package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// journal notes what the soak did and when, beside the logs of the nodes.
type journal struct {
	mu    sync.Mutex
	file  *os.File
	began time.Time
}

func openJournal(name string) (*journal, error) {
	f, err := os.Create(name)
	return &journal{file: f, began: time.Now()}, err
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	fmt.Fprintf(j.file, "%s %8.3fs %s\n", now.Format("15:04:05.000"), now.Sub(j.began).Seconds(), fmt.Sprintf(format, args...))
}

func (j *journal) close() { _ = j.file.Close() } // nothing depends on it
