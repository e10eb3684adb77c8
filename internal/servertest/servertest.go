// Package servertest runs whole servers inside tests.
package servertest

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/server"
)

// Users sign in all over the tests, and a hash of a password takes 0.2 seconds. What hashes
// cost is tested with the built program.
func init() { access.CheapHashes() }

// Token is that of every server.
const Token = "a-token-of-at-least-thirty-two-characters"

// Each runs fn with the configuration of every engine, for a database that
// outlives its servers.
func Each(t *testing.T, fn func(t *testing.T, cfg server.Config)) {
	t.Run("sqlite", func(t *testing.T) { fn(t, server.Config{Data: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { fn(t, server.Config{Data: t.TempDir(), DB: Postgres(t)}) })
}

// whole have the tables of the whole program.
var whole = pgtest.Schemas{Fill: func(url string) error {
	return app.Migrate(context.Background(), app.Config{DB: url, Stdout: io.Discard})
}}

// Postgres is a PostgreSQL database of the test's own that has the tables of the whole
// program and nothing in them. What makes the tables is tested in internal/store/engines.
func Postgres(t testing.TB) string {
	t.Helper()
	return whole.URL(t)
}

// Start runs a server until stop is called or the test ends. Unless cfg says
// otherwise its model is the demo model, whatever keys the machine has.
func Start(t testing.TB, cfg server.Config) (s *server.Server, stop func()) {
	t.Helper()
	cfg.Token = Token
	if cfg.Env == nil {
		cfg.Env = func(string) string { return "" }
	}
	cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := server.Start(context.WithoutCancel(t.Context()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return s, stop
}
