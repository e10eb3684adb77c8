package engines_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestArgumentsAndResultsAreStoredOnce(t *testing.T) {
	for _, name := range engines.Names {
		t.Run(name, func(t *testing.T) {
			place := engines.New(t, name)
			s := place.Database(t, store.Options{})
			text := strings.Repeat("a text ", 1000)
			agent := nestor.Path("users/u1/orch-chats/c1/sub-agents/a1")
			call := nestor.ToolCall{ToolName: "x", Status: nestor.ToolCallPending, Args: json.RawMessage(`{"path": "/a", "content": "` + text + `"}`), MessageID: "m1"}
			do := func(fn func(tx store.Tx) error) {
				t.Helper()
				if err := s.Update(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
			}
			do(func(tx store.Tx) error {
				for _, w := range []struct {
					path nestor.Path
					body any
				}{
					{agent.Parent(), nestor.Chat{}},
					{agent, nestor.SubAgent{TaskID: "k1", Role: "general", Status: nestor.SubAgentActive}},
					{agent.Child("messages", "m1"), nestor.SubAgentMessage{Role: nestor.RoleAssistant, ToolCalls: []nestor.ToolRequest{
						{ID: "t1", Type: "function", Function: nestor.FunctionCall{Name: "x", Arguments: string(call.Args)}},
					}}},
					{agent.Child("tool-calls", "t1"), call},
				} {
					if _, err := tx.Create(w.path, w.body); err != nil {
						return err
					}
				}
				return nil
			})
			do(func(tx store.Tx) error {
				call.Status = nestor.ToolCallRunning
				_, err := tx.Put(agent.Child("tool-calls", "t1"), call, store.AnyVersion)
				return err
			})
			do(func(tx store.Tx) error {
				call.Status, call.Result = nestor.ToolCallSuccess, text
				if _, err := tx.Put(agent.Child("tool-calls", "t1"), call, store.AnyVersion); err != nil {
					return err
				}
				_, err := tx.Create(agent.Child("messages", "m2"), nestor.SubAgentMessage{Role: nestor.RoleTool, Content: text, ToolCallID: "t1"})
				return err
			})
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
			if want := `{"argsIn": "message","messageId":"m1","resultIn": "answer","status":"success","toolName":"x"}`; body != want {
				t.Errorf("the row of the call is %.200s, want %s", body, want)
			}
		})
	}
}
