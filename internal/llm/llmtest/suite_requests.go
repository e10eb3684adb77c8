package llmtest

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// fullRequest uses every field of a request.
func fullRequest() *llm.Request {
	temperature := 0.25
	return &llm.Request{
		System: "Be brief & kind.",
		Messages: []llm.Message{
			{Role: llm.RoleUser, Parts: []llm.Part{
				llm.Text{Text: "What is this?"},
				llm.Media{MIMEType: "image/png", Data: []byte("png bytes")},
				llm.Media{MIMEType: "image/jpeg", URL: "https://example.com/cat.jpg"},
			}},
			{Role: llm.RoleAssistant, Parts: []llm.Part{
				llm.Text{Text: "Let me see."},
				llm.ToolCall{ID: "c1", Name: "zoom", Arguments: `{"factor": 2.50}`},
				llm.ToolCall{ID: "c2", Name: "clock", Arguments: `{"zone": `},
			}},
			{Role: llm.RoleTool, Parts: []llm.Part{
				llm.ToolResult{CallID: "c1", Name: "zoom", Content: "a cat"},
			}},
			{Role: llm.RoleTool, Parts: []llm.Part{
				llm.ToolResult{CallID: "c2", Name: "clock", Content: "arguments are not JSON", IsError: true},
			}},
			{Role: llm.RoleUser, Parts: []llm.Part{
				llm.Text{Text: "And this?"},
				llm.Media{MIMEType: "application/pdf", Data: []byte("pdf bytes"), Name: "report.pdf"},
			}},
		},
		Tools: []llm.Tool{
			{
				Name:        "zoom",
				Description: "Looks closer.",
				Parameters:  json.RawMessage(`{"type":"object","properties":{"factor":{"type":"number"}},"required":["factor"]}`),
			},
			{Name: "clock"},
		},
		ToolChoice:  "zoom",
		MaxTokens:   512,
		Temperature: &temperature,
	}
}

func sendsRequest(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}})
	h.events(h.model(s), fullRequest())
	got := s.Requests()[0]
	if got.Path != h.p.Path {
		h.Errorf("request to %s, want %s", got.Path, h.p.Path)
	}
	golden, err := os.ReadFile(h.p.Golden)
	if err != nil {
		h.Fatal(err)
	}
	if !reflect.DeepEqual(parse(h, got.Body), parse(h, golden)) {
		var indented bytes.Buffer
		_ = json.Indent(&indented, got.Body, "", "  ")
		h.Errorf("the body is not that of %s:\n%s", h.p.Golden, indented.String())
	}
	if found := strings.Contains(got.Header.Get("Authorization")+got.Header.Get("X-Api-Key")+
		got.Header.Get("X-Goog-Api-Key"), secret); !found {
		h.Error("the request does not carry the API key")
	}
}

func checksRequest(h *harness) {
	m := h.model(h.p.Wire.Serve(h)) // any request would fail the test
	call := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "a", Arguments: "{}"}}}
	result := func(id string) llm.Message {
		return llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: id}}}
	}
	user := func(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.RoleUser, Parts: parts} }
	for problem, req := range map[string]*llm.Request{
		"no messages":                {},
		"tool name with a space":     withTools("a b"),
		"tool name that is empty":    withTools(""),
		"tool name that is too long": withTools(strings.Repeat("a", 65)),
		"two tools of one name":      withTools("a", "a"),
		"unknown tool choice":        {Messages: ask("?").Messages, ToolChoice: "b"},
		"required choice, no tools":  {Messages: ask("?").Messages, ToolChoice: "required"},
		"call without a result":      {Messages: []llm.Message{user(llm.Text{Text: "?"}), call}},
		"somebody speaks before it":  {Messages: []llm.Message{call, user(llm.Text{Text: "?"}), result("c1")}},
		"result without a call":      {Messages: []llm.Message{call, result("c1"), result("c1")}},
		"media that is empty":        {Messages: []llm.Message{user(llm.Media{MIMEType: "image/png"})}},
		"media without a type":       {Messages: []llm.Message{user(llm.Media{URL: "https://example.com"})}},
		"media nobody takes":         {Messages: []llm.Message{user(llm.Media{MIMEType: "application/zip", Data: []byte("x")})}},
		"a result said by the user":  {Messages: []llm.Message{user(llm.ToolResult{CallID: "c1"})}},
		"parameters that are no object": {
			Messages: ask("?").Messages,
			Tools:    []llm.Tool{{Name: "a", Parameters: json.RawMessage(`["x"]`)}},
		},
	} {
		if _, err := h.call(h.Context(), m, req); nestor.CodeOf(err) != nestor.CodeInvalid {
			h.Errorf("%s: error %v, want code %q", problem, err, nestor.CodeInvalid)
		}
	}
}

func withTools(names ...string) *llm.Request {
	req := ask("?")
	for _, name := range names {
		req.Tools = append(req.Tools, llm.Tool{Name: name})
	}
	return req
}

// contains checks that the body has an object equal to want somewhere.
func (h *harness) contains(body []byte, want string) {
	h.Helper()
	if !holds(parse(h, body), parse(h, []byte(want))) {
		h.Errorf("request\n%s\nlacks\n%s", body, want)
	}
}

func (h *harness) has(body []byte, texts ...string) {
	h.Helper()
	for _, text := range texts {
		if !bytes.Contains(body, []byte(text)) {
			h.Errorf("request\n%s\nlacks %q", body, text)
		}
	}
}

func (h *harness) lacks(body []byte, text string) {
	h.Helper()
	if bytes.Contains(body, []byte(text)) {
		h.Errorf("request\n%s\ncontains %q", body, text)
	}
}

func parse(h *harness, text []byte) any {
	h.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		h.Fatalf("%v in %s", err, text)
	}
	return v
}

func holds(v, want any) bool {
	if reflect.DeepEqual(v, want) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, value := range v {
			if holds(value, want) {
				return true
			}
		}
	case []any:
		for _, value := range v {
			if holds(value, want) {
				return true
			}
		}
	}
	return false
}

func keepsConnection(h *harness) {
	turn := Turn{Events: []llm.Event{llm.Text{Text: "Hi"}, done}}
	s := h.p.Wire.Serve(h, turn, turn)
	m := h.model(s)
	h.events(m, ask("Hello?"))
	h.events(m, ask("Hello?"))
	if r := s.Requests(); r[0].From != r[1].From {
		h.Errorf("the calls came from %s and from %s", r[0].From, r[1].From)
	}
}
