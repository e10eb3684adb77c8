package openai_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestBehaviour(t *testing.T) {
	llmtest.Run(t, llmtest.Provider{
		Name:          "openai",
		KeyVariable:   "OPENAI_API_KEY",
		Wire:          llmtest.OpenAI,
		New:           connect,
		TextArguments: true,
		CacheWrites:   true,
		Path:          "/v1/chat/completions",
		Golden:        "testdata/request.json",
		Echo: []string{`{
			"role": "assistant", "content": "Hm.", "reasoning_content": "Let me think.",
			"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}]
		}`},
	})
}

func connect(to llm.Target) (llm.Model, error) {
	to.Model = "test-model"
	return openai.New(to, openai.Options{ReplayReasoning: true})
}
