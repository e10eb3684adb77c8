package engines_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

const (
	oldResult = `"a\n\"result\" of more than sixty-four characters, which has é and \u2028 and is long enough"`
	oldArgs   = `{"a":1,"text":"arguments of more than sixty-four characters, which have é and are long enough"}`
	oldCall   = `{"args":` + oldArgs + `,"messageId":"m0","result":` + oldResult + `,"status":"success","toolName":"x"}`
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
				"INSERT INTO documents (collection, id, version, seq, created_at, updated_at, body) VALUES ('users/u1/notes', 'kept', 2, 7, 1, 2, '{\"v\":2}')",
				"INSERT INTO tombstones (path, collection, version, seq, deleted_at) VALUES ('users/u1/notes/gone', 'documents', 2, 2, 1)",
				"INSERT INTO changes (seq, type, path, version, at) VALUES (1, 'create', 'users/u1/notes/kept', 1, 1), (2, 'delete', 'users/u1/notes/gone', 2, 1)",
				`INSERT INTO changes (seq, type, path, version, at, replaced)
				 VALUES (7, 'update', 'users/u1/notes/kept', 2, 2, '{"version":1,"seq":1,"createdAt":1,"updatedAt":1,"body":{"v":1}}')`,
				"INSERT INTO chats (user_id, id, version, seq, created_at, updated_at, body) VALUES ('u1', 'c1', 1, 3, 1, 1, '{}')",
				`INSERT INTO sub_agents (user_id, chat_id, id, version, seq, created_at, updated_at, body)
				 VALUES ('u1', 'c1', 'a1', 1, 4, 1, 1, '{"role":"general","status":"active","taskId":"k1"}')`,
				`INSERT INTO sub_agent_tool_calls (user_id, chat_id, sub_agent_id, id, version, seq, created_at, updated_at, body)
				 VALUES ('u1', 'c1', 'a1', 't1', 1, 5, 1, 1, '` + oldCall + `')`,
				`INSERT INTO sub_agent_messages (user_id, chat_id, sub_agent_id, id, version, seq, created_at, updated_at, body)
				 VALUES ('u1', 'c1', 'a1', 'm1', 1, 6, 1, 1, '{"content":` + oldResult + `,"role":"tool","toolCallId":"t1"}'),
				 ('u1', 'c1', 'a1', 'm0', 1, 6, 1, 1, '{"role":"assistant","toolCalls":[{"function":{"arguments":` + strconv.Quote(oldArgs) + `,"name":"x"},"id":"t1"}]}'),
				 ('u1', 'c1', 'a1', 'm2', 1, 6, 1, 1, '{"role":"assistant","toolCalls":null}')`,
				`INSERT INTO jobs (id, key, state, trigger_id, event, path, version, seq, at, attempt, run_at) VALUES
				 ('first', 'led', 'ready', 't', 'create', 'users/u1/notes/kept', 1, 1, 1, 0, 1), ('behind', 'led', 'blocked', 't', 'create', 'users/u1/notes/kept', 1, 2, 1, 0, 1),
				 ('left', 'stuck', 'blocked', 't', 'create', 'users/u1/notes/kept', 1, 3, 1, 0, 1), ('after', 'stuck', 'blocked', 't', 'create', 'users/u1/notes/kept', 1, 4, 1, 0, 1)`,
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
			jobs, err := s.Jobs(t.Context(), store.JobFilter{})
			if err != nil {
				t.Fatal(err)
			}
			states := ""
			for _, j := range jobs {
				states += j.ID + " " + string(j.State) + "; "
			}
			if want := "first ready; behind blocked; left ready; after blocked; "; states != want {
				t.Errorf("the jobs are %s, want %s", states, want)
			}
			scope, err := store.DefaultCatalogue.Scope("users/u1/notes")
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Since(t.Context(), scope, store.Position{}, 10)
			if err != nil || len(d.Items) != 2 || d.Items[0].Path != "users/u1/notes/gone" || d.Items[1].Path != "users/u1/notes/kept" {
				t.Errorf("got %+v, %v", d, err)
			}
			if got, want := logged(t, s), `create users/u1/notes/kept <nil> {"v":1}; delete users/u1/notes/gone <nil> <nil>; update users/u1/notes/kept {"v":1} {"v":2}`; got != want {
				t.Errorf("the log is %s, want %s", got, want)
			}
			var row string
			if err := db.QueryRowContext(t.Context(), "SELECT CAST(body AS text) FROM sub_agent_tool_calls").Scan(&row); err != nil || row != `{"argsIn": "message","messageId":"m0","resultIn": "answer","status":"success","toolName":"x"}` {
				t.Errorf("the row of a call whose arguments and result messages have is %s, %v", row, err)
			}
			err = s.View(t.Context(), func(r store.Reader) error {
				d, err := r.Get("users/u1/orch-chats/c1/sub-agents/a1/tool-calls/t1")
				if err == nil && string(store.SubAgentToolCalls.RowBody(d)) != oldCall {
					t.Errorf("the call reads %s, it was %s", d.Data, oldCall)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// logged is the log in words.
func logged(t *testing.T, s store.Store) string {
	t.Helper()
	// PostgreSQL tells it once all transactions that were under way have ended, also those of
	// other tests.
	var changes []nestor.Change
	for len(changes) == 0 {
		var err error
		if changes, err = s.Changes(t.Context(), 0, 10, nil); err != nil {
			t.Fatal(err)
		}
	}
	data := func(d *nestor.Document) string {
		if d == nil {
			return "<nil>"
		}
		return string(d.Data)
	}
	var parts []string
	for _, c := range changes {
		parts = append(parts, strings.Join([]string{string(c.Type), string(c.Path), data(c.Before), data(c.After)}, " "))
	}
	return strings.Join(parts, "; ")
}
