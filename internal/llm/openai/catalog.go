package openai

import (
	"context"
	"encoding/json"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models implements [llm.Catalog].
func (m *Model) Models(ctx context.Context) (list []llm.ModelInfo, err error) {
	err = m.endpoint.Ask(ctx, func(ctx context.Context) error {
		page, err := m.catalog.List(ctx)
		if err != nil {
			return err
		}
		for i := range page.Data {
			if len(list) == llm.MaxListed {
				break
			}
			one := &page.Data[i]
			// The format has no field for the window; vLLM, OpenRouter and Groq
			// have added one each.
			var more struct {
				Name          string `json:"name"`
				MaxModelLen   int    `json:"max_model_len"`
				ContextLength int    `json:"context_length"`
				ContextWindow int    `json:"context_window"`
			}
			_ = json.Unmarshal([]byte(one.RawJSON()), &more)
			list = append(list, llm.ModelInfo{
				ID: one.ID, Name: more.Name, ContextTokens: max(more.MaxModelLen, more.ContextLength, more.ContextWindow),
			})
		}
		return nil
	})
	return list, err
}
