package trigger

import (
	"context"
	"sync"
)

// gates limit how many deliveries to one host run at a time. A host takes
// memory only while somebody is at its gate.
type gates struct {
	width  int
	mu     sync.Mutex
	byHost map[string]*gate
}

type gate struct {
	slots chan struct{}
	users int // inside or waiting; guarded by gates.mu
}

func newGates(width int) *gates {
	return &gates{width: width, byHost: map[string]*gate{}}
}

// enter waits for room at the host. Without error, leave must be called.
func (g *gates) enter(ctx context.Context, host string) (leave func(), err error) {
	g.mu.Lock()
	at := g.byHost[host]
	if at == nil {
		at = &gate{slots: make(chan struct{}, g.width)}
		g.byHost[host] = at
	}
	at.users++
	g.mu.Unlock()

	select {
	case at.slots <- struct{}{}:
		return func() {
			<-at.slots
			g.forget(host, at)
		}, nil
	case <-ctx.Done():
		g.forget(host, at)
		return nil, ctx.Err()
	}
}

func (g *gates) forget(host string, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(g.byHost, host)
	}
}
