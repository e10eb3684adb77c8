package replication_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/sse"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/server"
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
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		f.update(func(tx store.Tx) error {
			for _, p := range slices.Sorted(maps.Keys(complete)) { // parents first
				if _, err := tx.Create(p, complete[p]); err != nil {
					return err
				}
			}
			return nil
		})
		bare := nestor.Task{Type: nestor.TaskTool, Name: "tool:calculator", Status: nestor.TaskPending}
		f.put(chatPath("u1", "c1").Child("tasks", "bare"), bare)
		inside := map[string]string{"chatId": "c1", "subAgentId": "a1"}
		b := f.browse("u1", chats, messages("c1"), tasks, follows{"sub_agents", "sub_agents/c1", map[string]string{"chatId": "c1"}},
			follows{"sub_agent_messages", "sub_agent_messages/c1/a1", inside}, follows{"sub_agent_tool_calls", "sub_agent_tool_calls/c1/a1", inside})
		for p := range complete {
			flat := store.DefaultCatalogue.Of(p).Name
			docs := b.docs(flat)
			i := slices.IndexFunc(docs, func(d map[string]any) bool { return d["id"] == p.ID() })
			if i < 0 {
				t.Fatalf("%s has no %s: %v", flat, p.ID(), docs)
			}
			want := map[string]any{}
			if text, err := json.Marshal(f.get(p)); err != nil || json.Unmarshal(text, &want) != nil || !reflect.DeepEqual(docs[i], want) {
				t.Errorf("%s has\n%v, want\n%v", flat, docs[i], want)
			}
		}
		f.put(chatPath("u1", "c1").Child("tasks", "live"), bare)
		bare.Instruction = strings.Repeat("x", 2*sse.Piece) // sent in pieces
		f.put(chatPath("u1", "c1").Child("tasks", "large"), bare)
		lacks := args{"triggerMessageId": ""}
		b.until("tasks", map[string]args{"bare": lacks, "live": lacks, "large": lacks})
		f.delete(chatPath("u1", "c1")) // what is left of each is a document, too
		b.until("tasks", map[string]args{"bare": nil, "t1": nil})
		b.do("idle", nil)
		if s := b.stats(); len(s.Errors) > 0 || s.Pushes > 0 {
			t.Errorf("the tab did %+v", s)
		}
	})
}

// seeded are the fields by which clients find documents.
var seeded = map[string][]string{
	"tasks":                {"userId", "chatId", "triggerMessageId"},
	"sub_agents":           {"userId", "chatId", "taskId"},
	"sub_agent_messages":   {"userId", "chatId", "subAgentId"},
	"sub_agent_tool_calls": {"userId", "chatId", "subAgentId"},
	"messages":             {"userId", "chatId"},
	"chats":                {"userId"},
}

// derived is what these tests read of an RxDB schema.
type derived struct {
	Version    int
	Type       string
	PrimaryKey string
	Required   []string
	Indexes    [][]string
	Properties map[string]struct {
		Type             any
		Default          any
		MaxLength        float64
		Minimum, Maximum *float64
		MultipleOf       float64
	}
}

// The schemas of a whole server, as it serves them, are for RxDB with every storage; so is
// what is left of a document of any kind. A client says of a document what is its own to say.
func TestEverySchemaOfAServerIsOneForRxDB(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, cfg)
		var schemas map[string]json.RawMessage
		p.Into(&schemas, 200, "GET", "replication/schemas", "")
		var all map[string]struct {
			Required   []string
			Properties map[string]any
		}
		p.Into(&all, 200, "GET", "schemas", "")
		if len(schemas) < 30 {
			t.Errorf("there are %d schemas", len(schemas))
		}
		b := newTab(t)
		for name, text := range schemas {
			var s derived
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(name, err)
			}
			if s.PrimaryKey != "id" || s.Type != "object" || len(s.Properties) != len(all[name].Properties) || s.Version < 1 {
				t.Errorf("%s became %s", name, text)
			}
			leads := map[string]bool{}
			for _, index := range s.Indexes {
				leads[index[0]] = true
				for _, field := range index {
					f := s.Properties[field]
					if bounded := f.Minimum != nil && f.Maximum != nil && f.MultipleOf > 0; !slices.Contains(s.Required, field) || (f.Type == "string") == bounded || (f.Type == "string") != (f.MaxLength > 0) {
						t.Errorf("%s has an index of %s, which is %+v", name, field, f)
					}
				}
			}
			own := append(slices.Clone(all[name].Required), "id")
			for field := range s.Properties {
				onPath := slices.Contains(s.Required, field) && strings.HasSuffix(field, "Id") && !slices.Contains(own, field) && s.Properties[field].Default == nil
				if (onPath || slices.Contains(seeded[name], field)) && !leads[field] {
					t.Errorf("%s has no index of %s", name, field)
				}
				if onPath {
					own = append(own, field)
				}
			}
			for _, field := range s.Required {
				if !slices.Contains(own, field) && s.Properties[field].Default == nil {
					t.Errorf("%s requires %s, which is not for clients to say", name, field)
				}
			}
			var gone []json.RawMessage
			p.Into(&gone, 200, "POST", "replication/"+name+"/push", `[{"newDocumentState":{"id":"no id!","chatId":"c","subAgentId":"a","documentId":"d","executionId":"e","sessionId":"s"}}]`)
			b.do("check", args{"name": name, "schema": text, "document": gone[0]})
		}
		for name := range seeded {
			if schemas[name] == nil {
				t.Errorf("there is no schema of %s", name)
			}
		}
		if inOrder := `["subAgentId","createdAt","createdSeq"]`; !strings.Contains(string(schemas["sub_agent_messages"]), inOrder) {
			t.Errorf("the messages of an agent have no index %s", inOrder)
		}
	})
}

func TestSchemasKeepWhatTheCatalogueSays(t *testing.T) {
	for _, c := range store.DefaultCatalogue.All() {
		var catalogue, own struct {
			Required   []string
			Properties map[string]json.RawMessage
		}
		for text, into := range map[*json.RawMessage]any{ptr(c.Schema()): &catalogue, ptr(replication.Schema(c)): &own} {
			if err := json.Unmarshal(*text, into); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range catalogue.Required {
			if !slices.Contains(own.Required, name) {
				t.Errorf("%s: %s is not required", c.Name, name)
			}
		}
		for name, schema := range own.Properties {
			if string(schema) == "true" {
				t.Errorf("%s.%s may be anything, in a way that RxDB does not know", c.Name, name)
			}
		}
	}
}

func ptr(text json.RawMessage) *json.RawMessage { return &text }

type shelf struct {
	nestor.Meta
	UserID string `json:"userId"`
	Name   string `json:"name,omitempty"`
	Place  string `json:"place,omitempty"`
}

// A schema is told with its number, or not at all: none changes under a number that
// clients know.
func TestTheVersionOfASchemaIsHowManyThereWere(t *testing.T) {
	made := func(length int, shapes ...string) *store.Collection {
		c := store.NewCollection[shelf]("shelves", nil, "users/{userId}/shelves/{id}",
			store.Column[string]("name").Chars(1, length), store.Column[string]("place"))
		c.Indexes = [][]string{{"name"}, {"place"}, {"name", "place"}}
		c.Shapes = shapes
		return c
	}
	first, second := replication.Shape(made(10)), replication.Shape(made(20))
	if first == second || first == "" {
		t.Fatalf("other bounds, the same shape %s", first)
	}
	for name, test := range map[string]struct {
		shapes []string
		want   int
		stale  bool
	}{
		"the first":                             {[]string{first}, 0, false},
		"the second":                            {[]string{second, first}, 1, false},
		"one that comes back":                   {[]string{first, second, first}, 2, false},
		"one that was there before":             {[]string{first, second}, 2, true},
		"one that nobody wrote down":            {[]string{second}, 1, true},
		"one that is told under its old number": {[]string{first, "unheard-of"}, 2, true},
	} {
		c := made(10, test.shapes...)
		var s derived
		if err := json.Unmarshal(replication.Schema(c), &s); err != nil || s.Version != test.want {
			t.Errorf("%s has the version %d, want %d, %v", name, s.Version, test.want, err)
		}
		if got := fmt.Sprint(s.Indexes); got != "[[updatedAt createdSeq] [userId] [name]]" {
			t.Errorf("%s has the indexes %s", name, got)
		}
		kinds, err := store.NewCatalogue(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := replication.CheckShapes(kinds); (err != nil) != test.stale || test.stale && !strings.Contains(err.Error(), `"`+first+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
