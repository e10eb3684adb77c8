package crashtest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

// database is one that several processes open in turn or together.
type database struct {
	Engine string
	// Place is the file or the URL.
	Place string
}

var engineNames = []string{"sqlite", "postgres"}

// newDatabase makes an empty one that goes with the test.
func newDatabase(t *testing.T, engine string) database {
	t.Helper()
	if engine == "postgres" {
		return database{engine, pgtest.URL(t)}
	}
	return database{engine, filepath.Join(t.TempDir(), "nestor.db")}
}

func (d database) open(ctx context.Context, opts store.Options) (store.Store, error) {
	if d.Engine == "postgres" {
		return postgres.Open(ctx, d.Place, opts)
	}
	return sqlite.Open(ctx, d.Place, opts)
}
