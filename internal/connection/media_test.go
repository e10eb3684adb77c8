package connection_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
)

func pictured() *llm.Request {
	req := question()
	req.Tools = []llm.Tool{{Name: "shoot"}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "shoot", Arguments: "{}"}}},
		llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{
			CallID: "c1", Name: "shoot", Content: "[a photo]", Media: []llm.Media{
				{MIMEType: "image/png", Data: []byte("png1")}, {MIMEType: "audio/wav", Data: []byte("wav1")},
			},
		}}},
	)
	return req
}

func TestAConnectionSaysWhetherItsModelIsShownImages(t *testing.T) {
	for name, tt := range map[string]struct {
		wire   llmtest.Wire
		format string
		data   string
		shown  bool
		heard  bool
	}{
		"by default":              {llmtest.OpenAI, "openai", `{}`, true, false},
		"by default at Anthropic": {llmtest.Anthropic, "anthropic", `{}`, true, false},
		"sound, too, at Gemini":   {llmtest.Gemini, "gemini", `{}`, true, true},
		"if it says so":           {llmtest.OpenAI, "openai", `{"media":true}`, true, false},
		"sound alone":             {llmtest.OpenAI, "openai", `{"media":["audio"]}`, false, true},
		"all kinds":               {llmtest.OpenAI, "openai", `{"media":["image","pdf","audio"]}`, true, true},
		"no kind":                 {llmtest.Gemini, "gemini", `{"media":[]}`, false, false},
		"not if it says so":       {llmtest.Gemini, "gemini", `{"media":false}`, false, false},
		"not with calls in XML":   {llmtest.Anthropic, "anthropic", `{"xmlTools":true}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := tt.wire.Serve(t, says("Hi."))
			c := open(t)
			d := draft("one", tt.format, server.URL)
			d.Data = json.RawMessage(tt.data)
			save(t, c, d, secret)
			m, err := c.Open(t.Context(), user, "one")
			if err != nil {
				t.Fatal(err)
			}
			if got := m.(llm.MediaTaker); got.TakesMedia("image/png") != tt.shown || got.TakesMedia("audio/wav") != tt.heard {
				t.Errorf("it takes images: %t, sound: %t", got.TakesMedia("image/png"), got.TakesMedia("audio/wav"))
			}
			if _, err := llm.Collect(m.Generate(t.Context(), pictured())); err != nil {
				t.Fatal(err)
			}
			body := string(server.Requests()[0].Body)
			if strings.Contains(body, "cG5nMQ==") != tt.shown || !strings.Contains(body, "[a photo]") || strings.Contains(body, "d2F2MQ==") != tt.heard {
				t.Errorf("the model got %s", body)
			}
		})
	}
}

// The fallback may see what the first model does not, and the other way round.
func TestOfAChainEachModelIsShownWhatItTakes(t *testing.T) {
	down := llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 503, Message: "no"})
	up := llmtest.Anthropic.Serve(t, says("A cat."))
	c := open(t)
	save(t, c, draft("seeing", "anthropic", up.URL), secret)
	d := draft("blind", "openai", down.URL)
	d.Data = json.RawMessage(`{"media":false}`)
	d.RetryPolicy.MaxAttempts, d.FallbackID = 1, "seeing"
	save(t, c, d, secret)
	m, err := c.Open(t.Context(), user, "blind")
	if err != nil {
		t.Fatal(err)
	}
	if !m.(llm.MediaTaker).TakesMedia("image/png") {
		t.Error("the fallback's eyes do not count")
	}
	if _, err := llm.Collect(m.Generate(t.Context(), pictured())); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(down.Requests()[0].Body), "cG5nMQ==") || !strings.Contains(string(up.Requests()[0].Body), "cG5nMQ==") {
		t.Error("the image went to the wrong one")
	}
}

func TestAKindOfMediaThatNobodyKnowsIsRefused(t *testing.T) {
	c := open(t)
	for _, data := range []string{`{"media":["video"]}`, `{"media":"images"}`, `{"media":1}`, `{"media":[1]}`} {
		d := draft("one", "openai", "https://example.com")
		d.Data = json.RawMessage(data)
		if _, err := c.Save(t.Context(), user, d, connection.Secrets{}, store.AnyVersion); err == nil || !strings.Contains(err.Error(), "list of image, pdf and audio") {
			t.Errorf("%s: %v", data, err)
		}
	}
}
