// Package natstest runs a NATS server inside tests, which can be stopped and
// started again at the same address.
package natstest

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Password is that of the server's only user, nestor.
const Password = "nats-pass-1f9a"

// Server is a NATS server.
type Server struct {
	t    testing.TB
	opts server.Options
	runs *server.Server // nil when it is stopped
}

// New chooses an address for a server. It is not started.
func New(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := &Server{t: t, opts: server.Options{
		Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, NoLog: true, NoSigs: true, Username: "nestor", Password: Password,
	}}
	t.Cleanup(s.Stop)
	return s
}

// URL is where the server is, with the password.
func (s *Server) URL() string {
	l := net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.opts.Port}
	return "nats://nestor:" + Password + "@" + l.String()
}

// Start starts the server, again after Stop.
func (s *Server) Start() {
	s.t.Helper()
	opts := s.opts
	runs, err := server.NewServer(&opts)
	if err != nil {
		s.t.Fatal(err)
	}
	s.runs = runs
	go runs.Start()
	if !runs.ReadyForConnections(10 * time.Second) {
		s.t.Fatal("NATS does not start")
	}
}

// Stop ends the server and all its connections.
func (s *Server) Stop() {
	if s.runs != nil {
		s.runs.Shutdown()
		s.runs.WaitForShutdown()
		s.runs = nil
	}
}
