package client_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// proxy passes connections on to a server that may change, and cuts them as it
// is told to.
type proxy struct {
	url      string
	listener net.Listener
	group    sync.WaitGroup

	mu     sync.Mutex
	target string
	cut    int // bytes of the answers after which a connection breaks; 0: never
	cuts   int // how many it broke
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: "http://" + listener.Addr().String(), listener: listener}
	p.lead(target, 0)
	p.group.Go(p.accept)
	t.Cleanup(func() { listener.Close(); p.group.Wait() })
	return p
}

// lead sends connections to a server from now on, and breaks them after a
// number of bytes.
func (p *proxy) lead(target string, cut int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target, p.cut = strings.TrimPrefix(target, "http://"), cut
}

func (p *proxy) broke() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

func (p *proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.group.Go(func() { p.pass(conn) })
	}
}

func (p *proxy) pass(from net.Conn) {
	defer from.Close()
	p.mu.Lock()
	target, cut := p.target, p.cut
	p.mu.Unlock()
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer to.Close()
	p.group.Go(func() { io.Copy(to, from); to.Close() })
	if cut == 0 {
		io.Copy(from, to)
		return
	}
	if n, _ := io.CopyN(from, to, int64(cut)); n == int64(cut) {
		p.mu.Lock()
		p.cuts++
		p.mu.Unlock()
	}
}
