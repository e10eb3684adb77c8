package client_test

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// start runs a server with the demo model. It returns the server's address and
// what stops it.
func start(t *testing.T, cfg server.Config) (url string, stop func()) {
	t.Helper()
	cfg.Addr = "127.0.0.1:0"
	s, stop := servertest.Start(t, cfg)
	return s.URL(), stop
}

// connect is a client that leaves no connections behind.
func connect(t *testing.T, url string) *client.Client {
	t.Helper()
	c := client.New(url, servertest.Token)
	transport := &http.Transport{}
	c.HTTP = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	return c
}

// within bounds what a test waits for.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// forget sweeps the change log of a stopped server, at least up to a position. PostgreSQL
// keeps the log from where transactions run, those of other tests, too.
func forget(t *testing.T, cfg server.Config, upTo int64) {
	t.Helper()
	opts := store.Options{Retention: store.Retention{Log: time.Nanosecond}}
	var s store.Store
	var err error
	if cfg.DB == "" {
		s, err = sqlite.Open(t.Context(), filepath.Join(cfg.Data, "nestor.db"), opts)
	} else {
		s, err = postgres.Open(t.Context(), cfg.DB, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for nestor.CodeOf(err) != nestor.CodeTooOld {
		if _, err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err = s.Changes(t.Context(), upTo, 1, nil)
	}
}
