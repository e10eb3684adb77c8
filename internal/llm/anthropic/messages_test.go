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
	m, err := anthropic.New(llm.Target{Model: "test-model", BaseURL: s.URL, HTTPClient: s.Client}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(m.Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	if key := s.Requests()[0].Header.Get("X-Api-Key"); key != "" {
		t.Errorf("the request carries the key %q, want none", key)
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

func TestIDsOfOtherProvidersAreMadePlainAndUnique(t *testing.T) {
	for name, tt := range map[string]struct {
		provider [2]string // the ids that the calls one and two have from their provider
		want     [2]string
	}{
		"its own":         {[2]string{"toolu_1", "toolu_2"}, [2]string{"toolu_1", "toolu_2"}},
		"not plain":       {[2]string{"functions.clock:0", "functions.clock:1"}, [2]string{"one", "two"}},
		"one id for each": {[2]string{"call_0", "call_0"}, [2]string{"call_0", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			req := *question
			for i, id := range []string{"one", "two"} {
				req.Messages = slices.Concat(req.Messages, []llm.Message{
					{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: " "}, llm.ToolCall{ID: id, ProviderID: tt.provider[i], Name: "clock", Arguments: "{}"}}},
					{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: id, ProviderID: tt.provider[i]}}},
				})
			}
			text, err := json.Marshal(body(t, anthropic.Options{}, &req)["messages"])
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range tt.want {
				if !strings.Contains(string(text), `"id":"`+id+`"`) || !strings.Contains(string(text), `"tool_use_id":"`+id+`"`) {
					t.Errorf("%q is not called and answered in %s", id, text)
				}
			}
		})
	}
}

// A request may hold four breakpoints. Those in the conversation move along.
func TestTheCacheCoversTheConversation(t *testing.T) {
	marks := func(req *llm.Request) (at []int) {
		t.Helper()
		got := body(t, anthropic.Options{}, req)
		for i, m := range got["messages"].([]any) {
			for _, block := range m.(map[string]any)["content"].([]any) {
				if block.(map[string]any)["cache_control"] != nil {
					at = append(at, i)
				}
			}
		}
		return at
	}
	req := *question
	req.System, req.Tools = "Be brief.", []llm.Tool{{Name: "clock"}}
	var previous []int
	for turn := range 6 {
		got := marks(&req)
		last := len(req.Messages) - 1
		if len(got) == 0 || len(got) > 3 || got[len(got)-1] != last {
			t.Fatalf("turn %d: marked %v, want at most 3 and the last, %d", turn, got, last)
		}
		if turn > 0 && !slices.Contains(got, previous[len(previous)-1]) {
			t.Errorf("turn %d: marked %v, but %d was stored by the turn before", turn, got, previous[len(previous)-1])
		}
		previous = got
		req.Messages = slices.Concat(req.Messages, []llm.Message{
			{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: "Hm."}}},
			{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Well?"}}},
		})
	}
	if got := marks(question); got != nil {
		t.Errorf("what is asked once is marked at %v", got)
	}
}

func replay(t *testing.T, stream string) (llm.Reply, error) {
	t.Helper()
	m, err := connect(llm.Target{BaseURL: "http://replay.invalid", HTTPClient: llmtest.Replay([]byte(stream))})
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
		name   string
		target llm.Target
		code   nestor.Code
		says   string
	}{
		{"a model", llm.Target{APIKey: "sk"}, nestor.CodeInvalid, "name of a model"},
		{"a key", llm.Target{Model: "claude"}, nestor.CodeUnauthenticated, "ANTHROPIC_API_KEY"},
		{"an address", llm.Target{Model: "claude", BaseURL: "localhost"}, nestor.CodeInvalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := anthropic.New(tt.target, anthropic.Options{})
			if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want code %q and %q", err, tt.code, tt.says)
			}
		})
	}
}
