package priority_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/server"
)

// The database itself keeps the bounds, whoever writes.
func TestTheDatabaseKeepsTheBounds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		_, stop := servertest.Start(t, cfg) // makes the tables
		stop()
		driver, name := "sqlite", filepath.Join(cfg.Data, "nestor.db")+"?_pragma=foreign_keys(ON)"
		if cfg.DB != "" {
			driver, name = "pgx", cfg.DB
		}
		db, err := sql.Open(driver, name)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		insert := func(table, keys, values, body string) error {
			_, err := db.ExecContext(t.Context(), "INSERT INTO "+table+" ("+keys+", version, seq, created_seq, created_at, updated_at, body) VALUES ("+values+", 1, 1, 1, 1, 1, '"+body+"')")
			return err
		}
		const outcome = `{"direction":"ship","object":"abc","metric":"abc","clarifier":"abc","slot":"active"}`
		const relationship = `{"source_task_id":"a","target_task_id":"b","type":"blocks","confidence":1,"origin":"manual"}`
		const session = `{"status":"queued","slot":"running","outcome_id":"o"}`
		good := []struct{ table, id, body string }{
			{"user_outcomes", "a", outcome},
			{"user_outcomes", "b", strings.Replace(outcome, `,"slot":"active"`, "", 1)},
			{"user_outcomes", "c", strings.Replace(outcome, `,"slot":"active"`, `,"daily_capacity_hours":0.25`, 1)},
			{"task_relationships", "a", relationship},
			{"agent_sessions", "a", session},
			{"agent_sessions", "b", strings.Replace(session, "running", "current", 1)},
		}
		for _, g := range good {
			if err := insert(g.table, "user_id, id", "'ann', '"+g.id+"'", g.body); err != nil {
				t.Errorf("%s %s: %v", g.table, g.body, err)
			}
		}
		for _, bad := range []struct{ table, body, from, to string }{
			{"user_outcomes", outcome, `"x"`, `"x"`}, // a second active one
			{"user_outcomes", outcome, "active", "current"},
			{"user_outcomes", good[1].body, "ship", "stop"},
			{"user_outcomes", good[1].body, `"object":"abc"`, `"object":"ab"`},
			{"user_outcomes", good[1].body, `"metric":"abc"`, `"metric":"` + strings.Repeat("x", 101) + `"`},
			{"user_outcomes", good[1].body, `"clarifier":"abc"`, `"clarifier":"` + strings.Repeat("x", 151) + `"`},
			{"user_outcomes", good[2].body, "0.25", "0.2"},
			{"user_outcomes", good[2].body, "0.25", "24.1"},
			{"task_relationships", relationship, `"b"`, `"a"`},
			{"task_relationships", relationship, "blocks", "needs"},
			{"task_relationships", relationship, `"confidence":1`, `"confidence":1.1`},
			{"agent_sessions", session, "queued", "lost"},
			{"agent_sessions", session, `"o"`, `"other"`}, // a second one that runs
		} {
			if insert(bad.table, "user_id, id", "'ann', 'z'", strings.Replace(bad.body, bad.from, bad.to, 1)) == nil {
				t.Errorf("%s takes %s instead of %s in %s", bad.table, bad.to, bad.from, bad.body)
			}
		}
		if insert("reasoning_traces", "user_id, session_id, id", "'ann', 'a', 'r'", `{"total_steps":11}`) == nil {
			t.Error("a trace has 11 steps")
		}
		if insert("task_states", "user_id, document_id, id", "'ann', 'none', 't'", `{}`) == nil {
			t.Error("a task has a state and no document")
		}
	})
}

func TestWhatLiesBelowGoesToo(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "demo"})
		d.queue("- Write the report")
		d.put(planAt.Child("task-embeddings", "t"), record.TaskEmbedding{UserID: "ann", DocumentID: "d1", Model: "m"})
		d.put(planAt.Child("task-states", "t"), record.TaskState{UserID: "ann", DocumentID: "d1", Done: true})
		session := record.Of("ann").Child("agent-sessions", "s1")
		d.put(session, record.AgentSession{UserID: "ann", OutcomeID: "o", Status: record.SessionRunning, ExecutionMetadata: noTools})
		d.put(session.Child("reasoning-traces", "r"), record.ReasoningTrace{UserID: "ann", SessionID: "s1", Steps: []record.ReasoningStep{}, ToolsUsedCount: map[string]int{}})

		// Marks survive that the document is processed again.
		d.write(d.run(d.job("on-document-queued")))
		d.queue("- Buy paper")
		d.write(d.run(d.job("on-document-queued")))
		if !d.has(planAt.Child("task-states", "t")) {
			t.Error("a mark is gone")
		}
		for _, at := range []nestor.Path{planAt, session} {
			d.write(func(tx store.Tx) error { return tx.Delete(at, store.AnyVersion) })
		}
		for _, at := range []nestor.Path{planAt.Child("task-embeddings", "t"), planAt.Child("task-states", "t"), session.Child("reasoning-traces", "r")} {
			if d.has(at) {
				t.Errorf("%s is still there", at)
			}
		}
	})
}

func TestSessionsAreKeptForAWeek(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		d := openDesk(t, open, &reporter{name: "demo"})
		session := func(id string) nestor.Path { return record.Of("ann").Child("agent-sessions", id) }
		old := session("old")
		d.put(old, record.AgentSession{UserID: "ann", OutcomeID: "o", ExecutionMetadata: noTools})
		d.put(old.Child("reasoning-traces", "r"), record.ReasoningTrace{UserID: "ann", SessionID: "old", Steps: []record.ReasoningStep{}, ToolsUsedCount: map[string]int{}})
		if got := priority.Module.Keep["agent_sessions"]; got != 7*24*time.Hour {
			t.Errorf("sessions are kept for %s", got)
		}
		// The same sweep, a week later.
		keep := map[string]time.Duration{"agent_sessions": time.Nanosecond}
		later := openWith(t, open, module.Host{Models: &reporter{name: "demo"}}, keep)
		later.sweeps()
		if later.has(old) || later.has(old.Child("reasoning-traces", "r")) {
			t.Error("an old session, or how it reasoned, is still there")
		}
	})
}

// sweeps deletes all that is over.
func (d *desk) sweeps() {
	d.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = d.Sweep(d.Context()); err != nil {
			d.Fatal(err)
		}
	}
}

// noTools is what a session took that has not begun.
var noTools = record.ExecutionMetadata{ToolCallCount: map[string]int{}}
