package anthropic_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/anthropic"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestBehaviour(t *testing.T) {
	llmtest.Run(t, llmtest.Provider{
		Name:          "anthropic",
		KeyVariable:   "ANTHROPIC_API_KEY",
		Wire:          llmtest.Anthropic,
		New:           connect,
		TextArguments: true,
		CacheWrites:   true,
		Redacts:       true,
		Path:          "/v1/messages",
		Golden:        "testdata/request.json",
		Echo: []string{`{"role": "assistant", "content": [
			{"type": "thinking", "thinking": "Let me think.", "signature": "sig-1"},
			{"type": "redacted_thinking", "data": "enc-1"},
			{"type": "text", "text": "Hm."},
			{"type": "tool_use", "id": "c1", "name": "clock", "input": {}}
		]}`},
	})
}

func connect(to llm.Target) (llm.Model, error) {
	to.Model = "test-model"
	return anthropic.New(to, anthropic.Options{ShowThinking: true})
}
