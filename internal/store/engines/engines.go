// Package engines runs a test on every storage engine.
package engines

import (
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// Database is an empty database that can be opened any number of times.
type Database func(t testing.TB, opts store.Options) store.Store

// Each runs fn once per engine.
func Each(t *testing.T, fn func(t *testing.T, open Database)) {
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// SQLite is a database in a temporary folder.
func SQLite(t testing.TB) Database {
	path := filepath.Join(t.TempDir(), "nestor.db")
	return func(t testing.TB, opts store.Options) store.Store {
		t.Helper()
		s, err := sqlite.Open(t.Context(), path, opts)
		return opened(t, s, err)
	}
}

// Postgres is a schema on the test server.
func Postgres(t testing.TB) Database {
	url := pgtest.URL(t)
	return func(t testing.TB, opts store.Options) store.Store {
		t.Helper()
		s, err := postgres.Open(t.Context(), url, opts)
		return opened(t, s, err)
	}
}

func opened(t testing.TB, s store.Store, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
