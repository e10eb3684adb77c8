package store

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

// samples are one full and valid document of every kind.
var samples = map[*Collection]any{
	Chats: nestor.Chat{UserID: "u1", Title: "A chat", TitleGenerated: true, ProjectID: "p1", ModelConnectionID: "m1"},
	Messages: nestor.Message{
		UserID: "u1", ChatID: "c1", Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: "hi", TaskID: "t1", IsLLMMessage: new(true),
		ToolCalls: []nestor.ToolRequest{{ID: "k1", Type: "function", Function: nestor.FunctionCall{Name: "calculator", Arguments: "{"}}},
		Metadata: &nestor.MessageMetadata{
			Model: "demo", Usage: &nestor.Usage{InputTokens: 1}, FinishReason: "stop", Reasoning: json.RawMessage(`[{"any":"thing"}]`),
		},
	},
	Tasks: nestor.Task{
		UserID: "u1", ChatID: "c1", Type: nestor.TaskAgent, Name: "agent:general", Instruction: "Do it", Status: nestor.TaskFailed,
		SubAgentID: "a1", TriggerMessageID: "m1", Result: "none", Error: "why",
	},
	SubAgents: nestor.SubAgent{
		UserID: "u1", ChatID: "c1", TaskID: "t1", Role: "general", Status: nestor.SubAgentActive, IterationCount: 3, Summary: "so far",
	},
	SubAgentMessages: nestor.SubAgentMessage{
		UserID: "u1", ChatID: "c1", SubAgentID: "a1", Role: nestor.RoleTool, Content: "4", ToolCallID: "k1", Name: "calculator",
	},
	SubAgentToolCalls: nestor.ToolCall{
		UserID: "u1", ChatID: "c1", SubAgentID: "a1", ToolName: "calculator", Args: json.RawMessage(`{"e":[1,null,"x"]}`),
		Status: nestor.ToolCallSuccess, Result: "4",
	},
}

// sample is a valid body of c to spoil.
func sample(t *testing.T, c *Collection) map[string]any {
	t.Helper()
	m, err := Object(samples[c])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func eachKind(t *testing.T, fn func(t *testing.T, c *Collection)) {
	for _, c := range DefaultCatalogue.All() {
		t.Run(c.Name, func(t *testing.T) { fn(t, c) })
	}
}

func TestASchemaAcceptsWhatTheStructSays(t *testing.T) {
	eachKind(t, func(t *testing.T, c *Collection) {
		if err := c.validate("users/u1", sample(t, c)); err != nil {
			t.Error(err)
		}
		for _, f := range c.Fields {
			for _, v := range f.Enum {
				m := sample(t, c)
				m[f.Name] = v
				if err := c.validate("users/u1", m); err != nil {
					t.Errorf("%s %s: %v", f.Name, v, err)
				}
			}
		}
	})
}

func TestASchemaRefusesEverythingElse(t *testing.T) {
	refused := func(t *testing.T, c *Collection, why string, m map[string]any) {
		t.Helper()
		err := c.validate("users/u1/x/y", m)
		if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "users/u1/x/y") {
			t.Errorf("%s: %v", why, err)
		}
	}
	eachKind(t, func(t *testing.T, c *Collection) {
		m := sample(t, c)
		m["unheardOf"] = 1
		refused(t, c, "a field that the kind does not have", m)
		for name, v := range sample(t, c) {
			m := sample(t, c)
			switch v.(type) {
			case string:
				m[name] = int64(5)
			case int64:
				m[name] = 1.5
			default:
				m[name] = "text"
			}
			if name != "args" { // whatever the tool takes
				refused(t, c, name+" of another type", m)
			}
		}
		for _, f := range c.Fields {
			if f.Enum != nil {
				m := sample(t, c)
				m[f.Name] = "unheard-of"
				refused(t, c, f.Name+" that does not exist", m)
				m[f.Name] = strings.ToUpper(f.Enum[0])
				refused(t, c, f.Name+" in capitals", m)
			}
			if f.Length != nil {
				for long, want := range map[int]nestor.Code{int(f.Length.Most): "", int(f.Length.Most) + 1: nestor.CodeInvalid} {
					m := sample(t, c)
					m[f.Name] = strings.Repeat("ü", long)
					for way, validate := range map[string]func(nestor.Path, map[string]any) error{"a body": c.validate, "a typed body": c.validateTyped} {
						if err := validate("users/u1/x/y", m); nestor.CodeOf(err) != want {
							t.Errorf("%s with %s of %d characters: %v", way, f.Name, long, err)
						}
					}
				}
			}
		}
		for _, name := range described(t, c).Required {
			m := sample(t, c)
			delete(m, name)
			refused(t, c, "no "+name, m)
		}
	})
	for name, body := range map[string]string{
		"a tool call without a name":   `{"role":"assistant","content":"","toolCalls":[{"id":"k","type":"function","function":{"arguments":""}}]}`,
		"a tool call that is text":     `{"role":"assistant","content":"","toolCalls":["k"]}`,
		"usage with no number":         `{"role":"assistant","content":"","metadata":{"usage":{"inputTokens":"1","outputTokens":1}}}`,
		"metadata that is a list":      `{"role":"assistant","content":"","metadata":[]}`,
		"content that is a list":       `{"role":"user","content":[]}`,
		"a role that is null":          `{"role":null,"content":""}`,
		"a message that says nothing":  `{"role":"user"}`,
		"a message that nobody speaks": `{"content":"hi"}`,
	} {
		refused(t, Messages, name, read(t, body))
	}
}

func TestABudgetIsNotNegative(t *testing.T) {
	for _, c := range []*Collection{Chats, Tasks} {
		for _, field := range []string{"tokens", "costMicros"} {
			for value, want := range map[int64]nestor.Code{-1: nestor.CodeInvalid, 0: "", 1: ""} {
				m := sample(t, c)
				m["budget"] = map[string]any{field: value}
				if err := c.validate("users/u1/x/y", m); nestor.CodeOf(err) != want {
					t.Errorf("%s of %s is %d: %v", field, c.Name, value, err)
				}
				if err := c.validateTyped("users/u1/x/y", m); nestor.CodeOf(err) != want {
					t.Errorf("%s of a typed %s is %d: %v", field, c.Name, value, err)
				}
			}
		}
	}
}

func TestMetadataMayHoldWhatAProviderReports(t *testing.T) {
	m := read(t, `{"role":"assistant","content":"","metadata":{"model":"demo","somethingNew":{"a":[1]}}}`)
	if err := Messages.validate("users/u1", m); err != nil {
		t.Error(err)
	}
}

// schemaText is what these tests read of a schema.
type schemaText struct {
	Title      string
	Type       string
	Required   []string
	Properties map[string]property
}

type property struct {
	Enum      []string
	MaxLength int
}

// UnmarshalJSON reads true, the schema of anything, as a property without rules.
func (p *property) UnmarshalJSON(b []byte) error {
	type object property
	if string(b) == "true" {
		return nil
	}
	return json.Unmarshal(b, (*object)(p))
}

func described(t *testing.T, c *Collection) (s schemaText) {
	t.Helper()
	if err := json.Unmarshal(c.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASchemaTellsClientsAllThereIs(t *testing.T) {
	eachKind(t, func(t *testing.T, c *Collection) {
		s := described(t, c)
		if s.Title != c.Name || s.Type != "object" {
			t.Errorf("title %q, type %q", s.Title, s.Type)
		}
		want := jsonFields(reflect.TypeOf(samples[c]))
		if got := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(got, want) {
			t.Errorf("it has the fields\n%v, the struct\n%v", got, want)
		}
		ids := []string{"id"}
		for _, k := range c.Keys {
			ids = append(ids, k.Field)
		}
		for name, p := range s.Properties {
			i := slices.IndexFunc(c.Fields, func(f Field) bool { return f.Name == name })
			if got, want := p.MaxLength == nestor.MaxIDLength, slices.Contains(ids, name) || i >= 0 && c.Fields[i].Length != nil; got != want {
				t.Errorf("%s has the longest length %d", name, p.MaxLength)
			}
			if i < 0 && p.Enum != nil || i >= 0 && !slices.Equal(p.Enum, c.Fields[i].Enum) {
				t.Errorf("%s has the values %v", name, p.Enum)
			}
		}
		for _, name := range s.Required {
			if nestor.IsReserved(name) || slices.Contains(ids, name) {
				t.Errorf("clients must send %s, which the server knows", name)
			}
		}
	})
	if s := UserDocuments.Schema(); s != nil {
		t.Errorf("collections of the user's own have the schema %s", s)
	}
}

// jsonFields are the names a struct has in JSON, sorted.
func jsonFields(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestACollectionOfTheUsersOwnHoldsAnything(t *testing.T) {
	if err := UserDocuments.validate("users/u1/notes/n1", read(t, `{"a":[1,{"b":null}],"role":5}`)); err != nil {
		t.Error(err)
	}
}
