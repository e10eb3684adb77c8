package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Somebody else may hold the database for longer than the writer waits for it. Whoever
// wants to write meanwhile is told so, whether they read first or not, and nobody after
// them has to wait for that.
func TestWhoCannotBeginIsToldSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	s, err := Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.writer.exclusive(t.Context(), func(t *tx) error { return t.conn.exec("PRAGMA busy_timeout = 0") }); err != nil {
		t.Fatal(err)
	}
	const note = nestor.Path("users/u1/notes/n1")
	put := func(tx store.Tx) error {
		_, err := tx.Put(note, map[string]any{}, store.AnyVersion)
		return err
	}
	tries := map[string]func(store.Tx) error{
		"one that writes": func(tx store.Tx) error {
			_, err := tx.Create(note+"-new", map[string]any{})
			return err
		},
		"one that reads and writes": put,
		"one that reads, is told no, and reads again": func(tx store.Tx) error {
			_, err := tx.Get(note)
			_, again := tx.Get(note)
			return errors.Join(err, again)
		},
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hold, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	if _, err := hold.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	for name, try := range tries {
		if err := s.Update(t.Context(), try); nestor.CodeOf(err) != nestor.CodeUnavailable {
			t.Errorf("%s is told %v", name, err)
		}
	}
	if _, err := hold.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), put); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
