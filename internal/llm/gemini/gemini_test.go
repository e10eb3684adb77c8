package gemini_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/gemini"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestBehaviour(t *testing.T) {
	llmtest.Run(t, llmtest.Provider{
		Name:        "gemini",
		KeyVariable: "GEMINI_API_KEY",
		Wire:        llmtest.Gemini,
		New:         connect,
		Path:        "/v1beta/models/test-model:streamGenerateContent?alt=sse",
		Golden:      "testdata/request.json",
		Echo: []string{`{"role": "model", "parts": [
			{"text": "Let me think.", "thought": true, "thoughtSignature": "c2lnLTE="},
			{"text": "Hm."},
			{"functionCall": {"id": "c1", "name": "clock"}, "thoughtSignature": "c2lnLTI="}
		]}`},
	})
}

func connect(to llm.Target) (llm.Model, error) {
	to.Model = "test-model"
	return gemini.New(to, gemini.Options{ShowThoughts: true})
}
