// Package engines runs a test on every storage engine.
package engines

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// Names are those of the engines.
var Names = []string{"sqlite", "postgres"}

// Database is an empty database that can be opened any number of times.
type Database func(t testing.TB, opts store.Options) store.Store

// Each runs fn once per engine.
func Each(t *testing.T, fn func(t *testing.T, open Database)) {
	for _, name := range Names {
		t.Run(name, func(t *testing.T) { fn(t, New(t, name).Database) })
	}
}

// SQLite is a database in a temporary folder.
func SQLite(t testing.TB) Database { return New(t, "sqlite").Database }

// Postgres is a schema on the test server.
func Postgres(t testing.TB) Database { return New(t, "postgres").Database }

// Place is where a database is. Other processes that are told of it open the same
// one.
type Place struct {
	Engine string
	// Address is the file or the URL.
	Address string
}

// base have the tables of a store without modules.
var base = pgtest.Schemas{Fill: func(url string) error {
	s, err := postgres.Open(context.Background(), url, store.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}}

// New makes an empty database that goes with the test. On PostgreSQL it has the store's own
// tables.
func New(t testing.TB, engine string) Place {
	t.Helper()
	if engine == "postgres" {
		return Place{engine, base.URL(t)}
	}
	return Place{engine, filepath.Join(t.TempDir(), "nestor.db")}
}

// Open opens the database. Close the store after use.
func (p Place) Open(ctx context.Context, opts store.Options) (store.Store, error) {
	if p.Engine == "postgres" {
		return postgres.Open(ctx, p.Address, opts)
	}
	return sqlite.Open(ctx, p.Address, opts)
}

// Database is a [Database]: each store is closed when the test ends.
func (p Place) Database(t testing.TB, opts store.Options) store.Store {
	t.Helper()
	s, err := p.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
