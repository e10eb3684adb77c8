package server

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
)

// Server is Nestor inside a program.
type Server struct {
	app   *app.Server
	token string
}

// New opens the database and puts the server together. Nothing runs yet: see
// [Server.Run]. The server must be closed.
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{token: cfg.Token}
	if s.token == "" {
		s.token = rand.Text() + rand.Text() // known to Client only
	}
	c := cfg.app()
	c.Token = s.token
	var err error
	s.app, err = app.Open(ctx, c)
	return s, err
}

// Run works until ctx ends, then lets running jobs finish for Config.Drain. It
// listens on Config.Addr, if there is one.
func (s *Server) Run(ctx context.Context) error { return s.app.Run(ctx) }

// Handler is the API and the web UI, to be mounted at the root of a host. It works
// while Run does.
func (s *Server) Handler() http.Handler { return s.app.Handler() }

// Client talks to the server without a network, as the one who runs it.
func (s *Server) Client() *client.Client {
	c := client.New("http://nestor.internal", s.token)
	c.HTTP = &http.Client{Transport: inside{s.app.Handler()}}
	return c
}

// Wait returns when no job is left to run: whatever was said or written before has
// had its effects. It does not wait for agents that wait for a person.
func (s *Server) Wait(ctx context.Context) error { return s.app.Wait(ctx) }

// Close closes the database. Call it when Run has returned.
func (s *Server) Close() error { return s.app.Close() }
