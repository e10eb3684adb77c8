package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/sqlite"
	"github.com/nestorhq/nestor/internal/store/storetest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func open(t *testing.T, path string, opts store.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) { storetest.Run(t, engines.SQLite) }

func TestASchemaFromANewerProgramIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	open(t, path, store.Options{}).Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO migrations (version, name) VALUES (99, 'future')"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, err = sqlite.Open(t.Context(), path, store.Options{})
	if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "newer nestor") {
		t.Errorf("the error is %v", err)
	}
}

func TestAFileThatIsNoDatabaseIsNamedAsSuch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	writeFile(t, path, strings.Repeat("not a database ", 100))
	_, err := sqlite.Open(t.Context(), path, store.Options{})
	if err == nil || !strings.Contains(err.Error(), "not a database") {
		t.Errorf("the error is %v", err)
	}
}

// Nobody who reads later pays for those who went away at whatever moment, or failed.
func TestReadersWhoGoAwayLeaveNothingBehind(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "nestor.db"), store.Options{})
	read := func(store.Reader) error { return nil }
	for range 20_000 {
		ctx, goAway := context.WithCancel(t.Context())
		go goAway()
		_ = s.View(ctx, read)
	}
	func() {
		defer func() { _ = recover() }()
		_ = s.View(t.Context(), func(store.Reader) error { panic("a defect") })
	}()
	for range 100 {
		if err := s.View(t.Context(), read); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnlyOneProcessRunsJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	lease := store.Lease{Node: "n1", TTL: time.Minute, Accept: func(string) bool { return true }}
	first, second := open(t, path, store.Options{}), open(t, path, store.Options{})
	if err := first.Join(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	if err := second.Join(t.Context(), lease); nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("the second process joined: %v", err)
	}
	if err := first.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Join(t.Context(), lease); err != nil {
		t.Errorf("after the first left: %v", err)
	}
}

// A module that is added or taken away makes a path another kind's.
func TestADocumentWhosePathWasOfAnotherKindGoesOnCountingVersions(t *testing.T) {
	const chat = nestor.Path("users/u1/orch-chats/c1")
	for _, kind := range []string{"loans", "documents"} {
		path := filepath.Join(t.TempDir(), "nestor.db")
		s := open(t, path, store.Options{})
		var made *nestor.Document
		create := func(tx store.Tx) (err error) {
			made, err = tx.Create(chat, nestor.Chat{Title: "x"})
			return err
		}
		remove := func(tx store.Tx) error { return tx.Delete(chat, store.AnyVersion) }
		do := func(fn func(store.Tx) error) {
			t.Helper()
			if err := s.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		do(create)
		do(remove)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("UPDATE tombstones SET collection = ?", kind); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if do(create); made.Version != 3 {
			t.Errorf("version %d of what was deleted from %s, want 3", made.Version, kind)
		}
		do(remove)
	}
}

func TestAPersonCanReadTheTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nestor.db")
	s := open(t, path, store.Options{})
	err := s.Update(t.Context(), func(tx store.Tx) error {
		if _, err := tx.Create("users/u1/orch-chats/c1", nestor.Chat{Title: "Hello"}); err != nil {
			return err
		}
		_, err := tx.Create("users/u1/orch-chats/c1/tasks/t1",
			nestor.Task{Type: "agent", Name: "agent:general", Status: "pending"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path+"?_pragma=foreign_keys(ON)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var title, status string
	err = db.QueryRow(`SELECT c.body ->> 'title', t.status FROM chats c JOIN tasks t ON t.chat_id = c.id`).Scan(&title, &status)
	if err != nil || title != "Hello" || status != "pending" {
		t.Errorf("got %q %q, %v", title, status, err)
	}
	if _, err := db.Exec("UPDATE tasks SET body = json_set(body, '$.status', 'lost')"); err == nil {
		t.Error("the database accepts a status that is none")
	}
	if _, err := db.Exec("DELETE FROM chats"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM tasks").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tasks outlived their chat, %v", n, err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
