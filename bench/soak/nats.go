package main

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// nats is a NATS server of the soak's own, which is away now and then. It comes back at
// the same address.
type nats struct {
	opts server.Options

	mu     sync.Mutex
	runs   *server.Server // nil while it is away
	closed bool
	back   *time.Timer
}

// startNATS starts a server on a free port.
func startNATS() (*nats, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	n := &nats{opts: server.Options{Host: at.IP.String(), Port: at.Port, NoLog: true, NoSigs: true}}
	return n, n.start()
}

func (n *nats) url() string {
	return "nats://" + (&net.TCPAddr{IP: net.ParseIP(n.opts.Host), Port: n.opts.Port}).String()
}

func (n *nats) start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.runs != nil || n.closed {
		return nil
	}
	opts := n.opts
	runs, err := server.NewServer(&opts)
	if err != nil {
		return err
	}
	go runs.Start()
	if !runs.ReadyForConnections(10 * time.Second) {
		return errors.New("NATS does not start")
	}
	n.runs = runs
	return nil
}

// away stops the server and all its connections for a while.
func (n *nats) away(d time.Duration, back func(error)) {
	n.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.back = time.AfterFunc(d, func() { back(n.start()) })
}

func (n *nats) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.runs != nil {
		n.runs.Shutdown()
		n.runs.WaitForShutdown()
		n.runs = nil
	}
}

// close stops the server for good.
func (n *nats) close() {
	n.stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.back != nil {
		n.back.Stop()
	}
}
