package anthropic

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models implements [llm.Catalog].
func (m *Model) Models(ctx context.Context) (list []llm.ModelInfo, err error) {
	err = m.endpoint.Ask(ctx, func(ctx context.Context) error {
		pages := m.catalog.ListAutoPaging(ctx, anthropic.ModelListParams{Limit: anthropic.Int(1000)})
		for len(list) < llm.MaxListed && pages.Next() {
			one := pages.Current()
			list = append(list, llm.ModelInfo{ID: one.ID, Name: one.DisplayName, ContextTokens: int(one.MaxInputTokens)})
		}
		return pages.Err()
	})
	return list, err
}
