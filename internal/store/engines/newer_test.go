package engines_test

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// A newer program may have added to a database: this one works on, and says so.
// What it may not write to, it refuses.
func TestADatabaseOfANewerProgramIsOpenedIfItsStepsOnlyAdd(t *testing.T) {
	for _, place := range []struct {
		engines.Place
		driver string
	}{
		{engines.Place{Engine: "sqlite", Address: filepath.Join(t.TempDir(), "nestor.db")}, "sqlite"},
		{engines.Place{Engine: "postgres", Address: pgtest.URL(t)}, "pgx"},
	} {
		t.Run(place.Engine, func(t *testing.T) {
			open := func() (string, error) {
				var said bytes.Buffer
				s, err := place.Open(t.Context(), store.Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
				if err == nil {
					err = s.Close()
				}
				return said.String(), err
			}
			if said, err := open(); err != nil || said != "" {
				t.Fatalf("a new database: %v, and it says %s", err, said)
			}
			db, err := sql.Open(place.driver, place.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			newer := func(statement string) {
				t.Helper()
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			newer("INSERT INTO migrations (version, name, floor) VALUES (900, 'adds', 0)")
			if said, err := open(); err != nil || !strings.Contains(said, "version 900 of the schema") {
				t.Errorf("after a step that adds: %v, and it says %s", err, said)
			}
			newer("INSERT INTO module_migrations (module, version, name, floor) VALUES ('unknown', 3, 'breaks', 3)")
			if _, err := open(); err != nil {
				t.Errorf("after a step of a module that this program does not have: %v", err)
			}
			newer("INSERT INTO migrations (version, name) VALUES (901, 'says nothing')")
			if _, err := open(); !errors.Is(err, nestor.ErrInvalid) || !strings.Contains(err.Error(), "needs a program that knows version 901") {
				t.Errorf("after a step that says nothing about older programs: %v", err)
			}
		})
	}
}
