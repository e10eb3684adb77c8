package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// returnsIDs checks the ids in a conversation with calls of other providers.
func returnsIDs(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}}, Turn{Events: []llm.Event{done}})
	m := h.model(s)
	for i, tt := range []struct{ providerID, wire string }{
		{"toolu_01ABCxyz", "toolu_01ABCxyz"},
		{"", "ours1"},
	} {
		req := ask("Time?")
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: "ours1", ProviderID: tt.providerID, Name: "clock", Arguments: "{}"}}},
			llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "ours1", ProviderID: tt.providerID, Name: "clock", Content: "noon"}}},
		)
		h.events(m, req)
		body := string(s.Requests()[i].Body)
		if n := strings.Count(body, `"`+tt.wire+`"`); n != 2 {
			h.Errorf("%q is %d times in %s, want the call and its result", tt.wire, n, body)
		}
	}
}

// wireNames is what every provider takes as the name of a tool.
var wireNames = regexp.MustCompile(`"name":"([^"]*)"`)

// sendsInvented checks what becomes of calls that models make up.
func sendsInvented(h *harness) {
	invented := []string{"multi_tool_use.parallel", "my tool!", "", strings.Repeat("x", 200), "9lives", "-x", "日本"}
	s := h.p.Wire.Serve(h, Turn{Events: []llm.Event{done}})
	req := ask("Time?")
	calls, results := llm.Message{Role: llm.RoleAssistant}, llm.Message{Role: llm.RoleTool}
	for i, name := range append(invented, "clock", "7zip") {
		id := fmt.Sprintf("ours%d", i)
		calls.Parts = append(calls.Parts, llm.ToolCall{ID: id, ProviderID: "theirs", Name: name, Arguments: "{}"})
		results.Parts = append(results.Parts, llm.ToolResult{CallID: id, ProviderID: "theirs", Name: name, Content: "no"})
	}
	req.Messages, req.Tools = append(req.Messages, calls, results), []llm.Tool{{Name: "clock"}, {Name: "7zip"}}
	h.events(h.model(s), req)
	body := s.Requests()[0].Body
	names := wireNames.FindAllSubmatch(body, -1)
	for _, m := range names {
		if name := string(m[1]); name != "7zip" && !regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`).MatchString(name) {
			h.Errorf("the name %q goes to the provider in %s", name, body)
		}
	}
	h.has(body, `"clock"`, `"7zip"`, `"multi_tool_use_parallel"`)
	if len(names) < len(calls.Parts) {
		h.Errorf("%d names are in %s", len(names), body)
	}
	for i := range calls.Parts {
		id := fmt.Sprintf("ours%d", i)
		if i == 0 {
			id = "theirs"
		}
		if n := strings.Count(string(body), `"`+id+`"`); n != 2 {
			h.Errorf("%q is %d times in %s, want the call and its result", id, n, body)
		}
	}
	if calls.Parts[1].(llm.ToolCall).Name != "my tool!" {
		h.Error("the conversation itself was changed")
	}
}

func sendsExtras(h *harness) {
	const header = "gateway-key-0123456789"
	s := h.p.Wire.Serve(h,
		Turn{Events: []llm.Event{done}},
		Turn{Status: http.StatusBadRequest, Message: "no such key: " + header},
	)
	m := h.connect(llm.Target{
		BaseURL: s.URL, HTTPClient: s.Client, Headers: map[string]string{"X-Gateway-Key": header, "User-Agent": "mine/1"},
		ExtraBody: map[string]json.RawMessage{"x.provider": json.RawMessage(`{"order":["b","a"]}`), "seed": json.RawMessage(`7`)},
	})
	h.events(m, ask("Hello?"))
	got := s.Requests()[0]
	if got.Header.Get("X-Gateway-Key") != header || got.Header.Get("User-Agent") != "mine/1" {
		h.Errorf("the headers are %v", got.Header)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(got.Body, &body); err != nil || string(body["x.provider"]) != `{"order":["b","a"]}` || string(body["seed"]) != "7" {
		h.Errorf("the fields are missing in %s, %v", got.Body, err)
	}
	if err := h.fails(m, ask("Hello?"), nestor.CodeInvalid); strings.Contains(err.Error(), header) {
		h.Errorf("the header shows in %q", err)
	}
}

func namesConnection(h *harness) {
	s := h.p.Wire.Serve(h, Turn{Status: http.StatusUnauthorized, Message: "Incorrect API key provided"})
	err := h.fails(h.connect(llm.Target{Connection: "mine", BaseURL: s.URL, HTTPClient: s.Client}), ask("Hello?"), nestor.CodeUnauthenticated)
	if !strings.Contains(err.Error(), "model connection mine") || strings.Contains(err.Error(), h.p.KeyVariable) {
		h.Errorf("%q does not name the connection alone", err)
	}
}

// tellsTooLong goes through the words of servers. Gateways pass those of one
// provider on in the format of another, so every provider must know all of
// them.
func tellsTooLong(h *harness) {
	for _, tt := range []struct {
		body   string
		status int
		limit  int
	}{
		{`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 400, 8192},
		{`{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 400, 0},
		{`{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).","type":"BadRequestError","param":null,"code":400}`, 400, 4096},
		{`{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}}`, 400, 4096},
		{`{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, 400, 4096},
		{`{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"server_error"}}`, 500, 0},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, 400, 200000},
		{"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again\"}}", 400, 200000},
		{`{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 413, 0},
		{`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, 400, 1048576},
		{`{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`, 400, 32768},
		{`{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, 400, 131072},
	} {
		s := h.p.Wire.Serve(h, Turn{Status: tt.status, Body: tt.body})
		err := h.fails(h.model(s), ask("Hello?"), nestor.CodeTooLarge)
		if limit, ok := llm.TooLong(err); !ok || limit != tt.limit {
			h.Errorf("%s: got %d, %v, want %d", tt.body, limit, ok, tt.limit)
		}
	}
}
