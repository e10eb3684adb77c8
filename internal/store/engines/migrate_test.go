package engines_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

func TestADatabaseOfTheFirstVersionIsBroughtUpToDate(t *testing.T) {
	path, url := filepath.Join(t.TempDir(), "nestor.db"), pgtest.URL(t)
	for name, e := range map[string]struct {
		driver, source, version string
		open                    func() (store.Store, error)
	}{
		"sqlite": {
			"sqlite", path, "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT",
			func() (store.Store, error) { return sqlite.Open(t.Context(), path, store.Options{}) },
		},
		"postgres": {
			"pgx", url, "CREATE TABLE migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
			func() (store.Store, error) { return postgres.Open(t.Context(), url, store.Options{}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			first, err := os.ReadFile("../" + name + "/migrations/0001_foundation.sql")
			if err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open(e.driver, e.source)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, text := range []string{
				string(first), e.version, "INSERT INTO migrations (version, name) VALUES (1, 'foundation')",
				"INSERT INTO documents (collection, id, version, seq, created_at, updated_at, body) VALUES ('users/u1/notes', 'kept', 1, 1, 1, 1, '{}')",
				"INSERT INTO tombstones (path, collection, version, seq, deleted_at) VALUES ('users/u1/notes/gone', 'documents', 2, 2, 1)",
				"INSERT INTO changes (seq, type, path, version, at) VALUES (1, 'create', 'users/u1/notes/kept', 1, 1), (2, 'delete', 'users/u1/notes/gone', 2, 1)",
			} {
				if _, err := db.ExecContext(t.Context(), text); err != nil {
					t.Fatalf("%.60s: %v", text, err)
				}
			}
			s, err := e.open()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			scope, err := store.DefaultCatalogue.Scope("users/u1/notes")
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Since(t.Context(), scope, store.Position{}, 10)
			if err != nil || len(d.Items) != 2 || d.Items[0].Path != "users/u1/notes/kept" || d.Items[1].Path != "users/u1/notes/gone" {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
}
