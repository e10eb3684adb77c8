package gemini_test

import (
	"bytes"
	"encoding/json"
	"net/http"
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
	m, err := connect(llm.Target{
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

func TestAReplyThatWasGivenUpCanBeTriedAgain(t *testing.T) {
	for _, candidate := range []string{
		`{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"print(clock("}`,
		`{"content":{"parts":[{"text":"I will look at the clock."}]},"finishReason":"MALFORMED_FUNCTION_CALL"}`,
		`{"content":{"parts":[{"text":"It is"}]},"finishReason":"OTHER"}`,
		`{"content":{"parts":[{"text":"Hm.","thought":true}]},"finishReason":"TIRED"}`,
	} {
		_, err := replay(t, `{"candidates":[`+candidate+`]}`)
		if nestor.CodeOf(err) != nestor.CodeUnavailable || !strings.Contains(err.Error(), "gemini gave up on the reply: ") {
			t.Errorf("%s: error %v, want code %q and the reason", candidate, err, nestor.CodeUnavailable)
		}
	}
}

// New words for an end come with new models.
func TestAnUnknownEndKeepsWhatWasSaid(t *testing.T) {
	reply, err := replay(t, `{"candidates":[{"content":{"parts":[{"text":"It is "}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"noon."}]},"finishReason":"STOP_AT_NOON"}]}`)
	if err != nil || !slices.Equal(reply.Message.Parts, []llm.Part{llm.Text{Text: "It is noon."}}) || reply.Reason != llm.ReasonStop {
		t.Errorf("got %+v, %v", reply, err)
	}
	reply, err = replay(t, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"clock"}}]},"finishReason":"STOP_AT_NOON"}]}`)
	if err != nil || reply.Reason != llm.ReasonToolCalls {
		t.Errorf("a call: got %+v, %v", reply, err)
	}
}

func TestASignatureOfTextGoesBackWithTheText(t *testing.T) {
	const part = `{"text":"Hi.","thoughtSignature":"c2ln"}`
	reply, err := replay(t, `{"candidates":[{"content":{"parts":[`+part+`]},"finishReason":"STOP"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.Gemini.Serve(t, llmtest.Turn{Events: []llm.Event{done}})
	m, err := connect(llm.Target{BaseURL: s.URL, APIKey: "sk", HTTPClient: s.Client})
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
		m, err := gemini.New(llm.Target{Model: model, APIKey: "sk", BaseURL: s.URL, HTTPClient: s.Client}, gemini.Options{})
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

// ask sends a request to a target and returns its path and body.
func ask(t *testing.T, to llm.Target, o gemini.Options, req *llm.Request) (path string, body []byte) {
	t.Helper()
	s := llmtest.Gemini.Serve(t, llmtest.Turn{Events: []llm.Event{done}})
	to.APIKey, to.BaseURL, to.HTTPClient = "sk", s.URL+to.BaseURL, s.Client
	m, err := gemini.New(to, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.Collect(m.Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	return s.Requests()[0].Path, s.Requests()[0].Body
}

// An extra setting is added to those that a request has, at any depth.
func TestExtraFieldsAreMergedWithOurs(t *testing.T) {
	req := *question
	req.MaxTokens = 7
	_, body := ask(t, llm.Target{Model: "m", ExtraBody: map[string]json.RawMessage{
		"generationConfig": json.RawMessage(`{"topP":0.5,"thinkingConfig":{"thinkingBudget":9}}`),
		"safetySettings":   json.RawMessage(`[{"category":"a<b"}]`),
	}}, gemini.Options{ShowThoughts: true}, &req)
	const settings = `"generationConfig":{"maxOutputTokens":7,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":9},"topP":0.5}`
	for _, want := range []string{settings, `"text":"Hello?"`, `"safetySettings":[{"category":"a<b"}]`} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("request %s lacks %s", body, want)
		}
	}
	_, body = ask(t, llm.Target{Model: "m", ExtraBody: map[string]json.RawMessage{"contents": json.RawMessage(`"mine"`)}}, gemini.Options{}, &req)
	if !bytes.Contains(body, []byte(`"contents":"mine"`)) {
		t.Errorf("request %s does not have the field that was asked for", body)
	}
}

// Numbers of arguments are those of the model, also where a float cannot hold
// them.
func TestNumbersOfArgumentsAreExact(t *testing.T) {
	const args = `{"id":9007199254740993,"tag":"<b>"}`
	reply, err := replay(t, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","args": `+
		`{"tag": "\u003cb\u003e", "id": 9007199254740993}}}]},"finishReason":"STOP"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	call, ok := reply.Message.Parts[0].(llm.ToolCall)
	if !ok || call.Arguments != args {
		t.Fatalf("got %+v, want arguments %s", reply.Message.Parts, args)
	}
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{
		reply.Message, {Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: call.ID}}},
	})
	if _, body := ask(t, llm.Target{Model: "m"}, gemini.Options{}, &req); !bytes.Contains(body, []byte(`"args":`+args)) {
		t.Errorf("request %s lacks %s", body, args)
	}
}

func TestTheModelIsShownWhatGeminiTakes(t *testing.T) {
	m, err := gemini.New(llm.Target{Model: "m", APIKey: "sk"}, gemini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for mimeType, want := range map[string]bool{
		"image/png": true, "image/jpeg": true, "image/webp": true, "application/pdf": true, "audio/wav": true, "audio/mpeg": true,
		"image/gif": false, "image/svg+xml": false, "application/zip": false, "": false,
	} {
		if got := m.TakesMedia(mimeType); got != want {
			t.Errorf("%q is shown: %t, want %t", mimeType, got, want)
		}
	}
}

func TestMediaOfAResultFollowIt(t *testing.T) {
	req := *question
	req.Messages = slices.Concat(req.Messages, []llm.Message{
		{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.ToolCall{ID: "a", Name: "shot", Arguments: "{}"}, llm.ToolCall{ID: "b", Name: "shot", Arguments: "{}"},
		}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "a", Content: "one", Media: []llm.Media{
			{MIMEType: "image/png", Data: []byte("png")},
			{MIMEType: "audio/wav", Data: []byte("wav")},
			{MIMEType: "image/jpeg", URL: "https://example.com/cat.jpg"},
		}}}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "b", Content: "two"}}},
	})
	_, body := ask(t, llm.Target{Model: "m"}, gemini.Options{}, &req)
	want := `{"role":"user","parts":[` +
		`{"functionResponse":{"id":"a","name":"shot","response":{"output":"one"}}},` +
		`{"inlineData":{"mimeType":"image/png","data":"cG5n"}},` +
		`{"inlineData":{"mimeType":"audio/wav","data":"d2F2"}},` +
		`{"fileData":{"mimeType":"image/jpeg","fileUri":"https://example.com/cat.jpg"}},` +
		`{"functionResponse":{"id":"b","name":"shot","response":{"output":"two"}}}]}`
	if !bytes.Contains(body, []byte(want)) {
		t.Errorf("request %s lacks %s", body, want)
	}
}

func TestAnErrorInAStreamNeedNotBeAnEvent(t *testing.T) {
	for name, stream := range map[string]string{
		"at its start": "{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"Slow down.\"\n  }\n}\n",
		"later":        "data: {\"candidates\":[]}\r\n\r\n{\"error\":{\"code\":429,\"message\":\"Slow down.\"}}\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := connect(llm.Target{
				BaseURL: "http://replay.invalid", APIKey: "sk", HTTPClient: llmtest.Replay([]byte(stream)),
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = llm.Collect(m.Generate(t.Context(), question))
			if nestor.CodeOf(err) != nestor.CodeRateLimited || !strings.Contains(err.Error(), "Slow down.") {
				t.Errorf("error %v, want code %q and the reason", err, nestor.CodeRateLimited)
			}
		})
	}
}

func TestReasonsToWithholdAReplyAreRefusals(t *testing.T) {
	for _, reason := range []string{
		"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
	} {
		reply, err := replay(t, `{"candidates":[{"finishReason":"`+reason+`","finishMessage":"Because."}]}`)
		if err != nil || reply.Reason != llm.ReasonRefusal || reply.Detail != reason+" Because." {
			t.Errorf("%s: got %+v, %v", reason, reply, err)
		}
	}
}

func TestTheNameOfAModelIsPartOfTheAddress(t *testing.T) {
	for name, want := range map[string]string{
		"gemini-3.8-flash":        "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
		"models/gemini-3.8-flash": "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
	} {
		if path, _ := ask(t, llm.Target{Model: name}, gemini.Options{}, question); path != want {
			t.Errorf("%s is asked at %s, want %s", name, path, want)
		}
	}
	path := ""
	m, err := gemini.New(llm.Target{Model: "tunedModels/mine", APIKey: "sk", HTTPClient: &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			path = req.URL.Path
			return llmtest.Replay(nil).Transport.RoundTrip(req)
		}),
	}}, gemini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = llm.Collect(m.Generate(t.Context(), question))
	if want := "/v1beta/tunedModels/mine:streamGenerateContent"; path != want {
		t.Errorf("a tuned model is asked at %s, want %s", path, want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestNewExplainsWhatIsMissing(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "sk-environment") // must not be used
	for _, tt := range []struct {
		name   string
		target llm.Target
		code   nestor.Code
		says   string
	}{
		{"a model", llm.Target{APIKey: "sk"}, nestor.CodeInvalid, "name of a model"},
		{"a key", llm.Target{Model: "gemini"}, nestor.CodeUnauthenticated, "GEMINI_API_KEY"},
		{"a name that leads elsewhere", llm.Target{Model: "x/../../y", APIKey: "sk"}, nestor.CodeInvalid, "not the name"},
		{"a name with a query", llm.Target{Model: "x?key=1", APIKey: "sk"}, nestor.CodeInvalid, "not the name"},
		{"an address", llm.Target{Model: "gemini", APIKey: "sk", BaseURL: "localhost"}, nestor.CodeInvalid, "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gemini.New(tt.target, gemini.Options{})
			if nestor.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want code %q and %q", err, tt.code, tt.says)
			}
		})
	}
}
