package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// A server says what it does not understand, once; then it is not sent again.
func TestWhatAServerRefusesIsLeftOutFromThenOn(t *testing.T) {
	conversation := *question
	conversation.Messages = append(conversation.Messages[:1:1],
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: "01jexample", ProviderID: "toolu_01A", Name: "clock", Arguments: "{}"}}},
		llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "01jexample", ProviderID: "toolu_01A", Content: "noon"}}},
	)
	for name, tt := range map[string]struct{ body, before, after string }{
		"stream_options": {
			`{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`,
			`"stream_options"`, `"stream":true`,
		},
		"stream_options in another format": {
			`{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
			`"stream_options"`, `"stream":true`,
		},
		"long ids": {
			`{"object":"error","message":"Tool call id was toolu_01A but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_message_order","code":"3230"}`,
			`"toolu_01A"`, `"tool_call_id":"`,
		},
		"max_tokens": {
			`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter"}}`,
			`"max_tokens":100`, `"max_completion_tokens":100`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ok := llmtest.Turn{Events: []llm.Event{llm.Text{Text: "Hi"}, llm.Finish{Reason: llm.ReasonStop}}}
			s := llmtest.OpenAI.Serve(t, llmtest.Turn{Status: http.StatusBadRequest, Body: tt.body}, ok, ok)
			m, err := connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := llm.Collect(m.Generate(t.Context(), &conversation)); err != nil {
					t.Fatal(err)
				}
			}
			for i, r := range s.Requests() {
				if has := strings.Contains(string(r.Body), tt.before); has != (i == 0) {
					t.Errorf("request %d has %s: %v\n%s", i, tt.before, has, r.Body)
				}
				if i > 0 && !strings.Contains(string(r.Body), tt.after) {
					t.Errorf("request %d lacks %s: %s", i, tt.after, r.Body)
				}
			}
		})
	}
}

func TestARefusalThatTeachesNothingIsNotRepeated(t *testing.T) {
	refuses := llmtest.Turn{Status: http.StatusBadRequest, Body: `{"error":{"message":"stream_options? no."}}`}
	s := llmtest.OpenAI.Serve(t, refuses, refuses)
	m, err := connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(m.Generate(t.Context(), question)); nestor.CodeOf(err) != nestor.CodeInvalid {
		t.Errorf("got %v", err)
	}
}
