package openai_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

var question = &llm.Request{
	Messages:  []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Hello?"}}}},
	MaxTokens: 100,
}

// replay runs a call that is answered with the given chunks.
func replay(t *testing.T, chunks ...string) ([]llm.Event, error) {
	t.Helper()
	return answered(t, []byte("data: "+strings.Join(chunks, "\n\ndata: ")+"\n\n"))
}

// answered runs a call that is answered with a body.
func answered(t *testing.T, body []byte, cuts ...int) ([]llm.Event, error) {
	t.Helper()
	m, err := connect(llm.Target{BaseURL: "http://replay.invalid", HTTPClient: llmtest.Replay(body, cuts...)})
	if err != nil {
		t.Fatal(err)
	}
	var events []llm.Event
	for ev, err := range m.Generate(t.Context(), question) {
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
	return events, nil
}

func TestCompatibleServers(t *testing.T) {
	const stop = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	done := llm.Finish{Reason: llm.ReasonStop}
	for _, tt := range []struct {
		name   string
		chunks []string
		whole  string // in place of the chunks
		want   []llm.Event
	}{
		{
			name:   "may call reasoning reasoning",
			chunks: []string{`{"choices":[{"delta":{"reasoning":"Hm."}}]}`, stop},
			want:   []llm.Event{llm.Reasoning{Text: "Hm."}, done},
		},
		{
			name:   "may send reasoning under both names",
			chunks: []string{`{"choices":[{"delta":{"reasoning":"Hm.","reasoning_content":"Hm."}}]}`, stop},
			want:   []llm.Event{llm.Reasoning{Text: "Hm."}, done},
		},
		{
			name:   "may send reasoning that is no text",
			chunks: []string{`{"choices":[{"delta":{"reasoning":{"a":1},"reasoning_content":null,"content":"Hi"}}]}`, stop},
			want:   []llm.Event{llm.Text{Text: "Hi"}, done},
		},
		{
			name: "may number all calls 0 and end with stop",
			chunks: []string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"two","arguments":"{\"x\":1}"}}]}}]}`,
				stop,
			},
			want: []llm.Event{
				llm.ToolCall{ID: "a", Name: "one", Arguments: "{}"},
				llm.ToolCall{ID: "b", Name: "two", Arguments: `{"x":1}`},
				llm.Finish{Reason: llm.ReasonToolCalls},
			},
		},
		{
			name:   "may claim calls without making any",
			chunks: []string{`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"tool_calls"}]}`},
			want:   []llm.Event{llm.Text{Text: "Hi"}, done},
		},
		{
			name: "may report the usage with every chunk",
			chunks: []string{
				`{"choices":[{"delta":{"content":"H"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`,
				`{"choices":[{"delta":{"content":"i"},"finish_reason":"eos"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`,
			},
			want: []llm.Event{llm.Text{Text: "H"}, llm.Text{Text: "i"}, llm.Usage{Input: 9, Output: 2}, done},
		},
		{
			name: "may filter, which withdraws the calls",
			chunks: []string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one"}}]}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`,
			},
			want: []llm.Event{llm.Finish{Reason: llm.ReasonRefusal, Detail: "its content filter stopped the reply (content_filter)"}},
		},
		{
			name: "may number all calls 0 and give them no id",
			chunks: []string{
				`{"id":"r","choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"one","arguments":"{\"a\":1}"}}]}}]}`,
				`{"id":"r","choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"one","arguments":"{\"a\":2}"}}]}}]}`,
				stop,
			},
			want: []llm.Event{
				llm.ToolCall{ID: "call_5ca975dd04ce659b5b2efb4e", Name: "one", Arguments: `{"a":1}`},
				llm.ToolCall{ID: "call_734ab64d7ba3777f256bb486", Name: "one", Arguments: `{"a":2}`},
				llm.Finish{Reason: llm.ReasonToolCalls},
			},
		},
		{
			name: "may give every piece of a call another id",
			chunks: []string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x1","function":{"name":"one","arguments":"{\"a\":"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x2","function":{"name":null,"arguments":"1"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x3","function":{"name":"one","arguments":"}"}}]}}]}`,
				stop,
			},
			want: []llm.Event{llm.ToolCall{ID: "x1", Name: "one", Arguments: `{"a":1}`}, llm.Finish{Reason: llm.ReasonToolCalls}},
		},
		{
			name: "may leave out name and number of what goes on",
			chunks: []string{
				`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x1","function":{"name":"one","arguments":"{"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}`,
				stop,
			},
			want: []llm.Event{llm.ToolCall{ID: "x1", Name: "one", Arguments: `{}`}, llm.Finish{Reason: llm.ReasonToolCalls}},
		},
		{
			name:   "may end without a reason",
			chunks: []string{`{"choices":[{"delta":{"content":"Hi"}}]}`, `[DONE]`},
			want:   []llm.Event{llm.Text{Text: "Hi"}, done},
		},
		{
			name:   "may send arguments as an object",
			chunks: []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":{"x": [1]}}}]}}]}`, stop},
			want:   []llm.Event{llm.ToolCall{ID: "a", Name: "one", Arguments: `{"x": [1]}`}, llm.Finish{Reason: llm.ReasonToolCalls}},
		},
		{
			name: "may send content as parts, thoughts among them",
			chunks: []string{
				`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}`,
				`{"choices":[{"delta":{"content":[{"type":"text","text":"H"},{"type":"text","text":"i"}]}}]}`, stop,
			},
			want: []llm.Event{llm.Reasoning{Text: "Hm."}, llm.Text{Text: "Hi"}, done},
		},
		{
			name: "may answer with one object in place of a stream",
			whole: `{"id":"r","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"<think>Hm.</think>Hi",
				"tool_calls":[{"id":"a","type":"function","function":{"name":"one","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"one","arguments":"{}"}}]},
				"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`,
			want: []llm.Event{
				llm.Reasoning{Text: "Hm."},
				llm.Text{Text: "Hi"},
				llm.ToolCall{ID: "a", Name: "one", Arguments: "{}"},
				llm.ToolCall{ID: "b", Name: "one", Arguments: "{}"},
				llm.Usage{Input: 9, Output: 2},
				llm.Finish{Reason: llm.ReasonToolCalls},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := replay(t, tt.chunks...)
			if tt.whole != "" {
				got, err = answered(t, []byte(tt.whole))
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("\n got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestAnAnswerThatIsNoReplyIsExplained(t *testing.T) {
	for body, says := range map[string]string{
		`{"hello":"world"}`: "did not answer with an event stream",
		`{"error":{"message":"the model is loading","type":"server_error"}}`: "the model is loading",
	} {
		if _, err := answered(t, []byte(body)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", body, err, says)
		}
	}
}

func TestAServerThatGivesUpIsUnavailable(t *testing.T) {
	_, err := replay(t, `{"choices":[{"delta":{"content":"H"},"finish_reason":"error"}]}`)
	if nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("error %v, want code %q", err, nestor.CodeUnavailable)
	}
}

// recorder keeps the body of the last request.
type recorder struct {
	http.RoundTripper
	body string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.body = string(body)
	return r.RoundTripper.RoundTrip(req)
}

func TestOpenAIItselfGetsItsOwnDialect(t *testing.T) {
	stream := llmtest.OpenAI.Transcript([]llm.Event{llm.Finish{Reason: llm.ReasonStop}})
	rec := &recorder{RoundTripper: llmtest.Replay(stream).Transport}
	m, err := openai.New(llm.Target{Model: "gpt-5", APIKey: "sk", HTTPClient: &http.Client{Transport: rec}}, openai.Options{ReasoningEffort: "low"})
	if err != nil {
		t.Fatal(err)
	}
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{
		{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.Reasoning{Text: "secret thought"},
			llm.ToolCall{ID: "c1", Name: "clock", Arguments: `{"broken`},
		}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "c1", Content: "not JSON"}}},
	})
	if _, err := llm.Collect(m.Generate(t.Context(), &req)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"max_completion_tokens":100`, `"reasoning_effort":"low"`, `"arguments":"{\"broken"`} {
		if !strings.Contains(rec.body, want) {
			t.Errorf("request %s lacks %s", rec.body, want)
		}
	}
	if strings.Contains(rec.body, "secret thought") {
		t.Errorf("request %s replays reasoning", rec.body)
	}
}

func TestNewTakesNothingFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.invalid")
	s := llmtest.OpenAI.Serve(t, llmtest.Turn{Events: []llm.Event{llm.Finish{Reason: llm.ReasonStop}}})
	m, err := openai.New(llm.Target{Model: "llama", BaseURL: s.URL, HTTPClient: s.Client}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(m.Generate(t.Context(), question)); err != nil {
		t.Fatal(err)
	}
	if key := s.Requests()[0].Header.Get("Authorization"); key != "" {
		t.Errorf("the request carries %q", key)
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
		{"a key", llm.Target{Model: "gpt-5"}, nestor.CodeUnauthenticated, "OPENAI_API_KEY"},
		{"an address", llm.Target{Model: "llama", BaseURL: "localhost:11434"}, nestor.CodeInvalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openai.New(tt.target, openai.Options{})
			if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want code %q and %q", err, tt.code, tt.says)
			}
		})
	}
}
