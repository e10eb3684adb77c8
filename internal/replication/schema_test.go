package replication_test

import (
	"encoding/json"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
)

// complete are documents with every field that their kind has.
var complete = map[nestor.Path]any{
	"users/u1/orch-chats/c1": nestor.Chat{
		Title: "A chat", TitleGenerated: true, AccountID: "a", ProjectID: "p", ModelConnectionID: "m",
		Budget: &nestor.Budget{}, Usage: &nestor.Usage{InputTokens: 1, OutputTokens: 1}, CostMicros: 1,
	},
	"users/u1/orch-chats/c1/messages/m1": nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: "hi", TaskID: "t1", RepliesTo: "m0", IsLLMMessage: new(true),
		ToolCalls: []nestor.ToolRequest{{ID: "k", Type: "function", Function: nestor.FunctionCall{Name: "calculator", Arguments: "{"}, Signature: "s"}},
		Metadata: &nestor.MessageMetadata{
			Model: "demo", Usage: &nestor.Usage{InputTokens: 1}, CostMicros: 1, DurationMS: 1, FinishReason: "stop",
			Reasoning: json.RawMessage(`[{"any":"thing"}]`),
		},
	},
	"users/u1/orch-chats/c1/tasks/t1": nestor.Task{
		Type: nestor.TaskAgent, Name: "agent:general", Instruction: "Do it", Status: nestor.TaskFailed, SubAgentID: "a1",
		TriggerMessageID: "m1", Result: "none", Error: "why", Usage: &nestor.Usage{InputTokens: 1},
	},
	"users/u1/orch-chats/c1/sub-agents/a1": nestor.SubAgent{
		TaskID: "t1", Role: "general", Status: nestor.SubAgentActive, IterationCount: 3, Summary: "so far", Paused: new(bool),
	},
	"users/u1/orch-chats/c1/sub-agents/a1/messages/m1": nestor.SubAgentMessage{Role: nestor.RoleTool, Content: "4", ToolCallID: "k", Name: "calculator"},
	"users/u1/orch-chats/c1/sub-agents/a1/tool-calls/k": nestor.ToolCall{
		ToolName: "calculator", Args: json.RawMessage(`{"e":[1,null,"x"]}`), Status: nestor.ToolCallSuccess, Result: "4",
		Decisions: []nestor.Decision{{Action: nestor.Approve, By: "u1", At: 1, Args: json.RawMessage(`{"e":2}`)}},
	},
}

func TestRxDBTakesTheSchemasAndWhatTheServerSends(t *testing.T) {
	schemas, documents := map[string]json.RawMessage{}, map[string]any{}
	for p, v := range complete {
		c := store.DefaultCatalogue.Of(p)
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		d := &nestor.Document{Path: p, Version: 1, Seq: 2, CreatedAt: 3, UpdatedAt: 4, Data: c.Data(p, body)}
		schemas[c.Name], documents[c.Name] = replication.Schema(c), d
	}
	if len(schemas) != len(store.DefaultCatalogue.All()) {
		t.Errorf("there are documents of %d of %d kinds", len(schemas), len(store.DefaultCatalogue.All()))
	}
	newTab(t).do("check", args{"schemas": schemas, "documents": documents})
}

func TestSchemasKeepWhatTheCatalogueSays(t *testing.T) {
	for _, c := range store.DefaultCatalogue.All() {
		var catalogue, derived struct {
			Type       string
			Required   []string
			Properties map[string]json.RawMessage
			PrimaryKey string
			Indexes    [][]string
		}
		for text, into := range map[*json.RawMessage]any{ptr(c.Schema()): &catalogue, ptr(replication.Schema(c)): &derived} {
			if err := json.Unmarshal(*text, into); err != nil {
				t.Fatal(err)
			}
		}
		if derived.PrimaryKey != "id" || derived.Type != "object" || len(derived.Properties) != len(catalogue.Properties) {
			t.Errorf("%s became %+v", c.Name, derived)
		}
		required := map[string]bool{}
		for _, name := range derived.Required {
			required[name] = true
		}
		for _, name := range append(catalogue.Required, derived.Indexes[0]...) {
			if !required[name] {
				t.Errorf("%s: %s is not required", c.Name, name)
			}
		}
		for name, schema := range derived.Properties {
			if string(schema) == "true" {
				t.Errorf("%s.%s may be anything, in a way that RxDB does not know", c.Name, name)
			}
		}
	}
}

func ptr(text json.RawMessage) *json.RawMessage { return &text }
