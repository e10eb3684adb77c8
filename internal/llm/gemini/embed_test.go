package gemini_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

func TestEmbeddings(t *testing.T) {
	llmtest.RunEmbed(t, llmtest.EmbedProvider{
		Provider: llmtest.Provider{Name: "gemini", KeyVariable: "GEMINI_API_KEY", New: connect},
		Embed:    llmtest.GeminiEmbeddings,
		Path:     "/v1beta/models/test-model:batchEmbedContents",
		Body: `{"requests":[{"model":"models/test-model","content":{"parts":[{"text":"one"}]}},` +
			`{"model":"models/test-model","content":{"parts":[{"text":"two"}]}}]}`,
		Broken: map[string]string{
			"no JSON":                  `{"embeddings": [`,
			"nothing":                  `{}`,
			"fewer vectors than texts": `{"embeddings":[{"values":[1]}]}`,
			"words for numbers":        `{"embeddings":[{"values":["a"]},{"values":["b"]}]}`,
			"a number beyond all":      `{"embeddings":[{"values":[1e300]},{"values":[1]}]}`,
		},
	})
}
