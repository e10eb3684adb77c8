package engines_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAResultIsStoredOnce(t *testing.T) {
	for _, name := range engines.Names {
		t.Run(name, func(t *testing.T) {
			place := engines.New(t, name)
			s := place.Database(t, store.Options{})
			result := strings.Repeat("a result ", 1000)
			agent := nestor.Path("users/u1/orch-chats/c1/sub-agents/a1")
			err := s.Update(t.Context(), func(tx store.Tx) error {
				for _, w := range []struct {
					path nestor.Path
					body any
				}{
					{agent.Parent(), nestor.Chat{}},
					{agent, nestor.SubAgent{TaskID: "k1", Role: "general", Status: nestor.SubAgentActive}},
					{agent.Child("tool-calls", "t1"), nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallSuccess, Result: result}},
					{agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: result, ToolCallID: "t1"}},
				} {
					if _, err := tx.Create(w.path, w.body); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[name]
			db, err := sql.Open(driver, place.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var body string
			if err := db.QueryRowContext(t.Context(), "SELECT CAST(body AS text) FROM sub_agent_tool_calls").Scan(&body); err != nil {
				t.Fatal(err)
			}
			if want := `{"resultIn": "answer","status":"success","toolName":"x"}`; body != want {
				t.Errorf("the row of the call is %.200s, want %s", body, want)
			}
		})
	}
}
