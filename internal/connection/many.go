package connection

import (
	"context"
	"io"
	"net"
	"net/http"
)

// ForMany has a transport serve thousands of agents that call one provider at once. Each
// agent that waits for its model has a connection: it is kept for the next call, and its
// buffers have room for headers only. What is larger does not go through them.
func ForMany(t *http.Transport) {
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 4096
	t.ReadBufferSize, t.WriteBufferSize = 1<<10, 1<<10
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok {
			return plain{tcp}, err
		}
		return c, err
	}
}

// plain is a connection that bodies are written to as they are. A transport would copy
// them through a buffer as large as they are, one for each request.
type plain struct{ *net.TCPConn }

// ReadFrom is how a transport sends the rest of a body after the headers.
func (c plain) ReadFrom(r io.Reader) (int64, error) {
	if bounded, ok := r.(*io.LimitedReader); ok {
		body, ok := bounded.R.(interface {
			io.WriterTo
			Len() int64
		})
		if ok && body.Len() <= bounded.N {
			n, err := body.WriteTo(c.TCPConn)
			bounded.N -= n
			return n, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}
