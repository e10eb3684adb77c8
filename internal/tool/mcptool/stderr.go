package mcptool

import (
	"bytes"
	"fmt"
	"sync"
)

// tail keeps the last that a process wrote to stderr, to explain why it died.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	t.buf = t.buf[max(0, len(t.buf)-tailSize):]
	return len(p), nil
}

func (t *tail) note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := bytes.TrimSpace(t.buf); len(text) > 0 {
		return fmt.Sprintf("; it said: %s", text)
	}
	return ""
}
