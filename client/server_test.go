package client_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const token = "a-token-for-the-tests"

// each runs fn with the configuration of every engine.
func each(t *testing.T, fn func(t *testing.T, cfg app.Config)) {
	t.Run("sqlite", func(t *testing.T) { fn(t, app.Config{Data: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { fn(t, app.Config{Data: t.TempDir(), DB: pgtest.URL(t)}) })
}

// start runs the program with the demo model. It returns the server's address
// and what stops it.
func start(t *testing.T, cfg app.Config) (url string, stop func()) {
	t.Helper()
	cfg.Addr, cfg.Token, cfg.Stdout, cfg.Stderr = "127.0.0.1:0", token, io.Discard, io.Discard
	cfg.Env = func(string) string { return "" }
	listening, done := make(chan string, 1), make(chan error, 1)
	cfg.Listening = func(url string) { listening <- url }
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- app.Run(ctx, cfg) }()
	select {
	case url = <-listening:
	case err := <-done:
		cancel()
		t.Fatalf("the server did not start: %v", err)
	}
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return url, stop
}

// connect is a client that leaves no connections behind.
func connect(t *testing.T, url string) *client.Client {
	t.Helper()
	c := client.New(url, token)
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

// forget sweeps all but the end of a stopped server's change log.
func forget(t *testing.T, cfg app.Config) {
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
	for n := 1; n > 0; {
		if n, err = s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
