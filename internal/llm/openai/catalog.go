package openai

import (
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models implements [llm.Catalog].
func (m *Model) Models(ctx context.Context) (list []llm.ModelInfo, err error) {
	err = m.endpoint.Ask(ctx, func(ctx context.Context) error {
		var page struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := m.caller.Get(ctx, "models", &page); err != nil {
			return err
		}
		for _, one := range page.Data[:min(len(page.Data), llm.MaxListed)] {
			list = append(list, modelInfo(one))
		}
		return nil
	})
	return list, err
}

// modelInfo reads what it can of an entry; servers that are nearly compatible
// are worth listening to.
func modelInfo(entry []byte) llm.ModelInfo {
	// The format has no field for the window; vLLM, OpenRouter and Groq have
	// added one each.
	var said struct {
		ID            string `json:"id"`
		Name          string `json:"name"`
		MaxModelLen   int    `json:"max_model_len"`
		ContextLength int    `json:"context_length"`
		ContextWindow int    `json:"context_window"`
	}
	_ = json.Unmarshal(entry, &said)
	return llm.ModelInfo{ID: said.ID, Name: said.Name, ContextTokens: max(said.MaxModelLen, said.ContextLength, said.ContextWindow)}
}
