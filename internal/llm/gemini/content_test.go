package gemini_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/gemini"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

var (
	question = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Hello?"}}}}}
	done     = llm.Finish{Reason: llm.ReasonStop}
)

func replay(t *testing.T, chunks ...string) (llm.Reply, error) {
	t.Helper()
	stream := "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n"
	m, err := connect(llmtest.Connection{
		BaseURL: "http://replay.invalid", APIKey: "sk", HTTPClient: llmtest.Replay([]byte(stream)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return llm.Collect(m.Generate(t.Context(), question))
}

func TestABlockedPromptIsARefusal(t *testing.T) {
	reply, err := replay(t, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}`)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Reason != llm.ReasonRefusal || reply.Usage.Input != 4 {
		t.Errorf("got %+v, want a refusal of 4 tokens", reply)
	}
}

func TestAMalformedCallCanBeTriedAgain(t *testing.T) {
	_, err := replay(t, `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print(clock("}]}`)
	if nestor.CodeOf(err) != nestor.CodeUnavailable || !strings.Contains(err.Error(), "MALFORMED_FUNCTION_CALL") {
		t.Errorf("error %v, want code %q and the reason", err, nestor.CodeUnavailable)
	}
}

func TestASignatureOfTextGoesBackWithTheText(t *testing.T) {
	const part = `{"text":"Hi.","thoughtSignature":"c2ln"}`
	reply, err := replay(t, `{"candidates":[{"content":{"parts":[`+part+`]},"finishReason":"STOP"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.Gemini.Serve(t, llmtest.Turn{Events: []llm.Event{done}})
	m, err := connect(llmtest.Connection{BaseURL: s.URL, APIKey: "sk", HTTPClient: s.Client})
	if err != nil {
		t.Fatal(err)
	}
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{reply.Message}, question.Messages)
	if _, err := llm.Collect(m.Generate(t.Context(), &req)); err != nil {
		t.Fatal(err)
	}
	if body := s.Requests()[0].Body; !bytes.Contains(body, []byte(part)) {
		t.Errorf("request %s lacks %s", body, part)
	}
}

// Calls of other models carry no signature of ours: Gemini 3 and later reject
// them unless they say so, older ones do not know of it.
func TestForeignCallsAreMarkedForModelsThatCheck(t *testing.T) {
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{
		{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.ToolCall{ID: "a", Name: "clock", Arguments: "{}"}, llm.ToolCall{ID: "b", Name: "clock", Arguments: "{}"},
		}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "a"}, llm.ToolResult{CallID: "b"}}},
	})
	for model, want := range map[string]int{"models/gemini-3.8-flash": 1, "gemini-2.5-pro": 0} {
		s := llmtest.Gemini.Serve(t, llmtest.Turn{Events: []llm.Event{done}})
		m, err := gemini.New(gemini.Options{Model: model, APIKey: "sk", BaseURL: s.URL, HTTPClient: s.Client})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := llm.Collect(m.Generate(t.Context(), &req)); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(s.Requests()[0].Body, []byte("thoughtSignature")); n != want {
			t.Errorf("%s: %d calls are signed, want %d", model, n, want)
		}
	}
}

func TestNewExplainsWhatIsMissing(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "sk-environment") // must not be used
	for _, tt := range []struct {
		name    string
		options gemini.Options
		code    nestor.Code
		says    string
	}{
		{"a model", gemini.Options{APIKey: "sk"}, nestor.CodeInvalid, "name of a model"},
		{"a key", gemini.Options{Model: "gemini"}, nestor.CodeUnauthenticated, "GEMINI_API_KEY"},
		{"an address", gemini.Options{Model: "gemini", APIKey: "sk", BaseURL: "localhost"}, nestor.CodeInvalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gemini.New(tt.options)
			if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want code %q and %q", err, tt.code, tt.says)
			}
		})
	}
}
