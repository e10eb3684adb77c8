package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
)

// Server is Nestor inside a program.
type Server struct {
	app   *app.Server
	token string
	// ended ends when Run has returned; its cause says why. stop makes Run
	// return, if Start began it.
	ended context.Context
	end   context.CancelCauseFunc
	stop  context.CancelFunc
	err   error // what Run returned
}

// New opens the database and puts the server together. Nothing runs yet: see
// [Server.Run]. The server must be closed. Most programs want [Start].
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{token: cfg.Token}
	s.ended, s.end = context.WithCancelCause(context.Background())
	if s.token == "" {
		s.token = rand.Text() + rand.Text() // known to Client only
	}
	c := cfg.app()
	c.Token = s.token
	var err error
	if s.app, err = app.Open(ctx, c); err != nil {
		return nil, err
	}
	return s, nil
}

// Start opens a server and runs it until ctx ends or it is closed. It returns when
// jobs are run and, if Config.Addr says where, requests are accepted.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	s, err := New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(ctx)
	go func() { _ = s.Run(ctx) }() // Close returns what it returned
	select {
	case <-s.app.Ready():
		return s, nil
	case <-s.ended.Done():
		return nil, cmp.Or(s.Close(), context.Cause(ctx))
	}
}

// Run works until ctx ends, then lets running jobs finish for Config.Drain. It
// listens on Config.Addr, if there is one. It is called once.
func (s *Server) Run(ctx context.Context) error {
	s.err = s.app.Run(ctx)
	s.end(errStopped)
	return s.err
}

var errStopped = nestor.Errorf(nestor.CodeUnavailable, "the server has stopped")

// Handler is the API and the web UI, to be mounted at the root of a host. It
// works while Run does. Callers show Config.Token, an API key or the cookie of
// a session; Config.Hosts are the names under which browsers may reach it.
func (s *Server) Handler() http.Handler { return s.app.Handler() }

// URL is where a server listens that was started with Config.Addr, such as
// http://127.0.0.1:8787.
func (s *Server) URL() string { return s.app.URL() }

// Link is a link that signs one browser in to the web UI, as whoever runs the
// server. It works once, within an hour. Base is where browsers reach the
// server, such as https://desk.example.org or [Server.URL].
func (s *Server) Link(ctx context.Context, base string) (string, error) { return s.app.Link(ctx, base) }

// Client talks to the server without a network, as whoever runs it.
func (s *Server) Client() *client.Client {
	c := client.New("http://nestor.internal", s.token)
	c.HTTP = &http.Client{Transport: inside{s.app.Handler()}}
	return c
}

// Wait returns when no job is left to run: whatever was said or written before has
// had its effects. It does not wait for agents that wait for a person. It fails
// when Run has returned.
func (s *Server) Wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ended, func() { cancel(errStopped) })()
	err := s.app.Wait(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errStopped) {
		return errStopped // that the server stopped explains whatever failed
	}
	return err
}

// Close stops a server that [Start] started: running jobs finish for
// Config.Drain, or are done again when the database is next opened. Then it
// closes the database. It returns what went wrong since the start. Close a
// server that the program runs itself when Run has returned.
func (s *Server) Close() error {
	if s.stop == nil {
		return s.app.Close()
	}
	s.stop()
	<-s.ended.Done()
	return errors.Join(s.err, s.app.Close())
}
