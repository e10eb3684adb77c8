package anthropic_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/anthropic"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

var (
	question = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Hello?"}}}}}
	done     = llm.Finish{Reason: llm.ReasonStop}
)

// body runs a call and returns the request that arrived.
func body(t *testing.T, o anthropic.Options, req *llm.Request) map[string]any {
	t.Helper()
	s := llmtest.Anthropic.Serve(t, llmtest.Turn{Events: []llm.Event{done}})
	o.BaseURL, o.HTTPClient = s.URL, s.Client
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(m.Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	if key := s.Requests()[0].Header.Get("X-Api-Key"); key != o.APIKey {
		t.Errorf("the request carries the key %q, want %q", key, o.APIKey)
	}
	var b map[string]any
	if err := json.Unmarshal(s.Requests()[0].Body, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOptionsReachTheRequest(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-environment") // must not be used
	for _, tt := range []struct {
		name    string
		options anthropic.Options
		want    string
	}{
		{"by default", anthropic.Options{}, `{"max_tokens":16384}`},
		{"with effort", anthropic.Options{Effort: "low"}, `{"max_tokens":16384,"output_config":{"effort":"low"}}`},
		{
			"with a budget on top of the answer",
			anthropic.Options{ThinkingBudget: 2000},
			`{"max_tokens":18384,"thinking":{"budget_tokens":2000,"type":"enabled"}}`,
		},
		{
			"with visible thinking",
			anthropic.Options{ShowThinking: true, MaxTokens: 900},
			`{"max_tokens":900,"thinking":{"display":"summarized","type":"adaptive"}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Model = "test-model"
			got := body(t, tt.options, question)
			for _, constant := range []string{"model", "messages", "stream"} {
				delete(got, constant)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != tt.want {
				t.Errorf("\n got %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestIDsOfOtherProvidersAreMadePlain(t *testing.T) {
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{
		{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: " "}, llm.ToolCall{ID: "functions.clock:0", Name: "clock", Arguments: "{}"}}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "functions.clock:0"}}},
	})
	text, err := json.Marshal(body(t, anthropic.Options{Model: "test-model"}, &req)["messages"].([]any)[1:])
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"content":[{"id":"functions_clock_0","input":{},"name":"clock","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"is_error":false,"tool_use_id":"functions_clock_0","type":"tool_result"}],"role":"user"}]`
	if string(text) != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
}

func replay(t *testing.T, stream string) (llm.Reply, error) {
	t.Helper()
	m, err := connect(llmtest.Connection{BaseURL: "http://replay.invalid", HTTPClient: llmtest.Replay([]byte(stream))})
	if err != nil {
		t.Fatal(err)
	}
	return llm.Collect(m.Generate(t.Context(), question))
}

func TestAReplyIsCompleteOnlyAtMessageStop(t *testing.T) {
	whole := string(llmtest.Anthropic.Transcript([]llm.Event{llm.Text{Text: "Hi"}, done}))
	if _, err := replay(t, whole); err != nil {
		t.Fatal(err)
	}
	short, _, found := strings.Cut(whole, "event: message_stop")
	if !found {
		t.Fatal("no message_stop in the transcript")
	}
	if _, err := replay(t, short); nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("error %v, want code %q", err, nestor.CodeUnavailable)
	}
}

func TestInputCountsAtTheEndReplaceThoseAtTheStart(t *testing.T) {
	whole := string(llmtest.Anthropic.Transcript([]llm.Event{llm.Usage{Input: 10, Output: 5}, done}))
	final := strings.Replace(whole, `"usage":{"output_tokens":5`,
		`"usage":{"input_tokens":7,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":5`, 1)
	reply, err := replay(t, final)
	if err != nil {
		t.Fatal(err)
	}
	if want := (llm.Usage{Input: 30, CachedInput: 20, CacheWrite: 3, Output: 5}); reply.Usage != want {
		t.Errorf("usage %+v, want %+v", reply.Usage, want)
	}
}

func TestNewExplainsWhatIsMissing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options anthropic.Options
		code    nestor.Code
		says    string
	}{
		{"a model", anthropic.Options{APIKey: "sk"}, nestor.CodeInvalid, "name of a model"},
		{"a key", anthropic.Options{Model: "claude"}, nestor.CodeUnauthenticated, "ANTHROPIC_API_KEY"},
		{"an address", anthropic.Options{Model: "claude", BaseURL: "localhost"}, nestor.CodeInvalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := anthropic.New(tt.options)
			if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want code %q and %q", err, tt.code, tt.says)
			}
		})
	}
}
