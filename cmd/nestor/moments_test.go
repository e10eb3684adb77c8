package main

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"testing"
)

// moments are what the program asks of the world outside: they are counted, and the
// program can be held at each.
type moments struct {
	*testing.T
	mu    sync.Mutex
	asked map[string]int
	holds map[string]*hold
}

// hold keeps the program waiting at a moment, the first time that it gets there.
type hold struct{ reached, over chan struct{} }

func newMoments(t *testing.T) *moments {
	return &moments{T: t, asked: map[string]int{}, holds: map[string]*hold{}}
}

// hold has the program wait at a moment until the hold is over, or the program is.
func (m *moments) hold(moment string) *hold {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holds[moment] = &hold{make(chan struct{}), make(chan struct{})}
	return m.holds[moment]
}

// wait waits until the program is where it is held.
func (m *moments) wait(ctx context.Context, at *hold) {
	m.Helper()
	select {
	case <-at.reached:
	case <-ctx.Done():
		m.Fatalf("the program does not get there: %v", m.counts())
	}
}

func (m *moments) counts() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.asked)
}

// arrive counts a request, and waits if the program is held there.
func (m *moments) arrive(r *http.Request, moment string) {
	m.mu.Lock()
	m.asked[moment]++
	held := m.holds[moment]
	delete(m.holds, moment)
	m.mu.Unlock()
	if held == nil {
		return
	}
	close(held.reached)
	select {
	case <-held.over:
	case <-r.Context().Done():
	}
}

// forget begins to count anew.
func (m *moments) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.asked)
}
