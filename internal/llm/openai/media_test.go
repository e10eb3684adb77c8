package openai_test

import (
	"bytes"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

// Many servers want the user and the model to take turns.
func TestImagesOfResultsAreSaidTogetherWithWhatTheUserSaysNext(t *testing.T) {
	s := llmtest.OpenAI.Serve(t, llmtest.Turn{Events: []llm.Event{llm.Finish{Reason: llm.ReasonStop}}})
	m, err := connect(llm.Target{BaseURL: s.URL, HTTPClient: s.Client})
	if err != nil {
		t.Fatal(err)
	}
	said := func(text string) llm.Message {
		return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
	}
	_, err = llm.Collect(m.Generate(t.Context(), &llm.Request{Messages: []llm.Message{
		said("Shoot."),
		{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "shoot", Arguments: "{}"}}},
		{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{
			CallID: "c1", Name: "shoot", Content: "[a photo]", Media: []llm.Media{{MIMEType: "image/png", Data: []byte("png1")}},
		}}},
		said("And?"),
		{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: "A cat."}}},
		said("Thanks."),
	}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"tool","content":"[a photo]","tool_call_id":"c1"},` +
		`{"role":"user","content":[{"type":"text","text":"Attached to the result of shoot:"},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5nMQ=="}},{"type":"text","text":"And?"}]},` +
		`{"role":"assistant","content":"A cat."},{"role":"user","content":"Thanks."}]`
	if body := s.Requests()[0].Body; !bytes.Contains(body, []byte(want)) {
		t.Errorf("the request\n%s\nlacks\n%s", body, want)
	}
}

func TestWhatIsShownDependsOnTheModelAndItsServer(t *testing.T) {
	for _, tt := range []struct {
		model, url       string
		image, pdf, wave bool
	}{
		{"gpt-5", "", true, true, false},
		{"gpt-4o-mini", "", true, true, false},
		{"gpt-4-turbo", "", true, true, false},
		{"gpt-4", "", false, false, false},
		{"gpt-4-0613", "", false, false, false},
		{"gpt-3.5-turbo", "", false, false, false},
		{"o3-mini", "", false, false, false},
		{"o3", "", true, true, false},
		{"llava", "http://127.0.0.1:11434/v1", true, false, false},
	} {
		m, err := openai.New(llm.Target{Model: tt.model, BaseURL: tt.url, APIKey: "sk-test"}, openai.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.TakesMedia("image/png") != tt.image || m.TakesMedia("application/pdf") != tt.pdf || m.TakesMedia("audio/wav") != tt.wave {
			t.Errorf("%s at %q: image %t, PDF %t, audio %t", tt.model, tt.url,
				m.TakesMedia("image/png"), m.TakesMedia("application/pdf"), m.TakesMedia("audio/wav"))
		}
	}
}
