package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that a test's clock
// is theirs.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// limited serves a handler as the program does and returns what connects to it.
func limited(t *testing.T, h http.HandlerFunc) (dial func() net.Conn) {
	p := &pipes{make(chan net.Conn), make(chan struct{})}
	srv := newServer(h, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(p) }()
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return func() net.Conn {
		client, server := net.Pipe()
		t.Cleanup(func() { client.Close() })
		p.conns <- server
		return client
	}
}

// trickle sends a byte every now and then until the other side has enough. It
// reports how long that took.
func trickle(conn net.Conn, begin string) time.Duration {
	start := time.Now()
	go io.Copy(io.Discard, conn) // a pipe has no buffer for an answer
	_, err := io.WriteString(conn, begin)
	for err == nil {
		<-time.After(time.Second) // of the test's own clock
		_, err = io.WriteString(conn, "x")
	}
	return time.Since(start)
}

func TestSlowClientsAreCutOff(t *testing.T) {
	for name, tt := range map[string]struct {
		begin string
		most  time.Duration
	}{
		"headers that never end":    {"GET / HTTP/1.1\r\nHost: x\r\nX: ", 12 * time.Second},
		"a body that never ends":    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n", 62 * time.Second},
		"a request that never ends": {"G", 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := limited(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
				if took := trickle(dial(), tt.begin); took > tt.most {
					t.Errorf("it was let go on for %v", took)
				}
			})
		})
	}
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		dial := limited(t, func(w http.ResponseWriter, r *http.Request) {
			defer close(gone)
			for piece := make([]byte, 64<<10); ; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		})
		start := time.Now()
		io.WriteString(dial(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-gone
		if took := time.Since(start); took > 6*time.Minute {
			t.Errorf("it held on for %v", took)
		}
	})
}

func TestAnIdleConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := limited(t, func(http.ResponseWriter, *http.Request) {})
		conn := dial()
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		r := bufio.NewReader(conn)
		if _, err := http.ReadResponse(r, nil); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 2*time.Minute {
			t.Errorf("it stayed open for %v", took)
		}
	})
}

func TestAStreamOutlivesTheLimitsOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		dial := limited(t, func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			for range 100 { // ten minutes
				if err := errors.Join(control.SetWriteDeadline(time.Now().Add(10*time.Second)), control.Flush()); err != nil {
					ended <- err
					return
				}
				select {
				case <-time.After(6 * time.Second):
					io.WriteString(w, ":\n\n")
				case <-r.Context().Done():
					ended <- context.Cause(r.Context())
					return
				}
			}
			ended <- nil
		})
		conn := dial()
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		go io.Copy(io.Discard, conn)
		if err := <-ended; err != nil {
			t.Errorf("the stream ended: %v", err)
		}
	})
}
