package store

import (
	"math/rand/v2"
	"sync"
)

// Lately are some of the tenants that a node worked for lately. Each node has others. The
// zero value is ready, and safe for concurrent use.
type Lately struct {
	mu      sync.Mutex
	tenants [32]string
	next    int
}

// Add notes a tenant.
func (l *Lately) Add(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tenants[l.next%len(l.tenants)] = tenant
	l.next++
}

// any is one of them, "" if there is none yet.
func (l *Lately) any() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := min(l.next, len(l.tenants))
	if known == 0 {
		return ""
	}
	return l.tenants[rand.IntN(known)]
}
