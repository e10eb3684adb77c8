package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm"
)

// schema of an object with required string parameters and nothing else.
func schema(params ...string) json.RawMessage {
	properties := make([]string, len(params))
	for i, p := range params {
		properties[i] = fmt.Sprintf(`%q:{"type":"string","minLength":1}`, p)
	}
	required, _ := json.Marshal(params)
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`,
		strings.Join(properties, ","), cmp.Or(string(required), "[]")))
}

var (
	controlTools = []llm.Tool{
		{Name: "create_agent", Parameters: json.RawMessage(`{"type":"object","properties":{"type":{"enum":["general","researcher"]},"instruction":{"type":"string","minLength":1}},"required":["type","instruction"],"additionalProperties":false}`)},
		{Name: "reply_to_agent", Parameters: schema("agent", "content")},
		{Name: "reactivate_agent", Parameters: schema("agent", "instruction")},
	}
	agentTools = []llm.Tool{
		{Name: "final_answer", Parameters: schema("answer")},
		{Name: "ask_user", Parameters: schema("question")},
		{Name: "calculator", Parameters: schema("expression")},
		{Name: "current_time", Parameters: schema("timeZone")},
		{Name: "search_documents", Parameters: schema("query")},
		{Name: "read_document", Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"}},"additionalProperties":false}`)},
		{Name: "write_document", Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"content":{"type":"string"},"based_on":{"type":"string"}},"required":["content"],"additionalProperties":false}`)},
		{Name: "web_fetch", Parameters: schema("url")},
		{Name: "tavily_search", Parameters: schema("query")},
		{Name: "echo", Parameters: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"},"times":{"type":"integer","minimum":1}},"required":["message","times"]}`)},
	}
)

func user(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
}

func assistant(text string, calls ...llm.ToolCall) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: text}}}
	for _, c := range calls {
		m.Parts = append(m.Parts, c)
	}
	return m
}

func called(id, name, args string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: args}
}

func returned(id, content string) llm.Message {
	return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: id, Content: content}}}
}

func failed(id, content string) llm.Message {
	return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: id, Content: content, IsError: true}}}
}

// answerTo returns the reply as text: what was said, then one line per call.
func answerTo(t *testing.T, req *llm.Request) string {
	t.Helper()
	got, err := llm.Collect(New(Options{Instant: true}).Generate(t.Context(), req))
	if err != nil {
		t.Fatal(err)
	}
	checkCalls(t, req, got)
	var text strings.Builder
	var lines []string
	for _, p := range got.Message.Parts {
		switch p := p.(type) {
		case llm.Text:
			text.WriteString(p.Text)
		case llm.ToolCall:
			lines = append(lines, p.Name+" "+p.Arguments)
		}
	}
	if text.Len() > 0 {
		lines = append([]string{text.String()}, lines...)
	}
	return strings.Join(lines, "\n")
}

// checkCalls holds for every reply in every test: calls are of tools that were
// offered, their arguments fit the schema, and the reason says whether there are
// any.
func checkCalls(t *testing.T, req *llm.Request, got llm.Reply) {
	t.Helper()
	ids := map[string]bool{}
	for _, p := range got.Message.Parts {
		c, ok := p.(llm.ToolCall)
		if !ok {
			continue
		}
		if c.ID == "" || ids[c.ID] {
			t.Errorf("call id %q is empty or used twice", c.ID)
		}
		ids[c.ID] = true
		i := slices.IndexFunc(req.Tools, func(t llm.Tool) bool { return t.Name == c.Name })
		if i < 0 {
			t.Errorf("%s was not offered", c.Name)
			continue
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(req.Tools[i].Parameters, &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var args any
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			t.Errorf("arguments %s: %v", c.Arguments, err)
		} else if err := resolved.Validate(args); err != nil {
			t.Errorf("%s %s: %v", c.Name, c.Arguments, err)
		}
	}
	if (got.Reason == llm.ReasonToolCalls) != (len(ids) > 0) {
		t.Errorf("the reply has %d calls and ends with %s", len(ids), got.Reason)
	}
	if got.Usage.Input <= 0 && len(req.Messages) > 0 || got.Usage.Output <= 0 {
		t.Errorf("usage = %+v", got.Usage)
	}
}

// like reports whether got is want, where … stands for anything.
func like(got, want string) bool {
	pieces := strings.Split(want, "…")
	for i, p := range pieces {
		at := strings.Index(got, p)
		if at < 0 || i == 0 && at != 0 {
			return false
		}
		got = got[at+len(p):]
	}
	return got == "" || pieces[len(pieces)-1] == ""
}
