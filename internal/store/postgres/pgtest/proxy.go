package pgtest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy stands between a store and its server, and cuts connections.
type Proxy struct {
	// Cuts counts the connections that were cut because they were idle.
	Cuts atomic.Int64

	muted  atomic.Bool
	target string
	idle   time.Duration
	listen net.Listener
	open   sync.WaitGroup
	life   context.Context // until Cut
	cut    context.CancelFunc
}

// NewProxy passes connections on to the target and cuts those over which
// nothing has gone for as long as idle.
func NewProxy(t testing.TB, target string, idle time.Duration) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, idle: idle, listen: l}
	p.life, p.cut = context.WithCancel(context.Background())
	p.open.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.open.Wait()
	})
	return p
}

// Cut cuts all connections for good, as the end of a store's process does. When it returns,
// nothing more of what the store says reaches the server.
func (p *Proxy) Cut() {
	p.listen.Close()
	p.cut()
	p.open.Wait()
}

// Address is where the proxy listens.
func (p *Proxy) Address() string { return p.listen.Addr().String() }

// Mute lets nothing of what the server says reach the store any more: a
// connection is cut instead, and new ones are refused.
func (p *Proxy) Mute() { p.muted.Store(true) }

// Unmute lets the server be heard again.
func (p *Proxy) Unmute() { p.muted.Store(false) }

func (p *Proxy) serve() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return // it was closed
		}
		server, err := net.Dial("tcp", p.target)
		if err == nil && p.muted.Load() {
			server.Close()
			err = net.ErrClosed
		}
		if err != nil {
			client.Close()
			continue
		}
		p.open.Go(func() { p.pass(client, server) })
	}
}

// pass carries bytes both ways until one side ends or nothing comes any more.
func (p *Proxy) pass(client, server net.Conn) {
	var once sync.Once
	end := func() {
		client.Close()
		server.Close()
	}
	idle := time.AfterFunc(p.idle, func() {
		p.Cuts.Add(1)
		once.Do(end)
	})
	defer idle.Stop()
	defer context.AfterFunc(p.life, func() { once.Do(end) })()
	var ways sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		ways.Go(func() {
			defer once.Do(end)
			buf := make([]byte, 32<<10)
			for {
				n, err := way[0].Read(buf)
				if err != nil || way[1] == client && p.muted.Load() {
					return
				}
				idle.Reset(p.idle)
				if _, err := way[1].Write(buf[:n]); err != nil {
					return
				}
			}
		})
	}
	ways.Wait()
}
