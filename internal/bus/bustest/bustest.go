// Package bustest is a bus within a process that loses, doubles and reorders
// messages as a test wants it to.
package bustest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/nestorhq/nestor/internal/bus"
)

// Net connects nodes.
type Net struct {
	mu    sync.Mutex
	nodes []*Node
	fate  Fate
	sent  []bus.Message
}

// Fate says what becomes of a message: how often it arrives, and whether after
// the next one on its way.
type Fate func(bus.Message) (copies int, late bool)

// Fate sets what becomes of messages from now on; nil lets all arrive once.
func (n *Net) Fate(f Fate) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fate = f
}

// Node is the bus of one node.
type Node struct {
	net       *Net
	subs      map[string]func([]byte)
	connected []func()
	signal    chan struct{}

	// Guarded by net.mu.
	down          bool
	begun         bool
	sent          int64
	queue, behind []bus.Message
}

// Join adds a node.
func (n *Net) Join() *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := &Node{net: n, subs: map[string]func([]byte){}, signal: make(chan struct{}, 1)}
	n.nodes = append(n.nodes, b)
	return b
}

// Sent is what was published since it was asked for last.
func (n *Net) Sent() []bus.Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	sent := n.sent
	n.sent = nil
	return sent
}

// Cut ends the connection of a node; it comes back with Mend.
func (b *Node) Cut() {
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	b.down, b.queue, b.behind = true, nil, nil
}

// Mend connects a node again.
func (b *Node) Mend() {
	b.net.mu.Lock()
	b.down = false
	b.net.mu.Unlock()
	for _, fn := range b.connected {
		fn()
	}
}

// Subscribe implements [bus.Bus].
func (b *Node) Subscribe(subject string, fn func([]byte)) { b.subs[subject] = fn }

// Connected implements [bus.Bus].
func (b *Node) Connected(fn func()) { b.connected = append(b.connected, fn) }

// State implements [bus.Bus].
func (b *Node) State() bus.State {
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	return bus.State{Kind: "test", Up: b.begun && !b.down, Sent: b.sent}
}

// Publish implements [bus.Bus].
func (b *Node) Publish(_ context.Context, messages ...bus.Message) error {
	b.net.mu.Lock()
	defer b.net.mu.Unlock()
	if b.down {
		return errors.New("the connection is cut")
	}
	for _, m := range messages {
		m.Data = slices.Clone(m.Data)
		b.net.sent = append(b.net.sent, m)
		b.sent++
		for _, to := range b.net.nodes {
			if to.begun && !to.down && to.subs[m.Subject] != nil {
				to.arrive(m)
			}
		}
	}
	return nil
}

func (b *Node) arrive(m bus.Message) {
	copies, late := 1, false
	if b.net.fate != nil {
		copies, late = b.net.fate(m)
	}
	if late {
		b.behind = append(b.behind, m)
		return
	}
	for range copies {
		b.queue = append(b.queue, m)
	}
	b.queue, b.behind = append(b.queue, b.behind...), nil
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// Run implements [bus.Bus].
func (b *Node) Run(ctx context.Context) error {
	b.net.mu.Lock()
	b.begun = true
	b.net.mu.Unlock()
	for _, fn := range b.connected {
		fn()
	}
	for {
		select {
		case <-ctx.Done():
			b.net.mu.Lock()
			defer b.net.mu.Unlock()
			b.begun = false
			return nil
		case <-b.signal:
		}
		b.net.mu.Lock()
		queue := b.queue
		b.queue = nil
		b.net.mu.Unlock()
		for _, m := range queue {
			b.subs[m.Subject](m.Data)
		}
	}
}
