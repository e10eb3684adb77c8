package gemini

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models implements [llm.Catalog]. Models that generate no text are left out.
func (m *Model) Models(ctx context.Context) (list []llm.ModelInfo, err error) {
	err = m.endpoint.Ask(ctx, func(ctx context.Context) error {
		page, err := m.client.Models.List(ctx, &genai.ListModelsConfig{PageSize: 1000, QueryBase: genai.Ptr(true)})
		for ; err == nil; page, err = page.Next(ctx) {
			for _, one := range page.Items {
				if len(list) == llm.MaxListed {
					return nil
				}
				if len(one.SupportedActions) > 0 && !slices.Contains(one.SupportedActions, "generateContent") {
					continue
				}
				list = append(list, llm.ModelInfo{
					ID: strings.TrimPrefix(one.Name, "models/"), Name: one.DisplayName, ContextTokens: int(one.InputTokenLimit),
				})
			}
			if page.NextPageToken == "" {
				return nil
			}
		}
		return err
	})
	return list, err
}
