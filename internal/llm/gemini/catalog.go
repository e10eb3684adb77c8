package gemini

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// Models implements [llm.Catalog]. Models that generate no text are left out.
func (m *Model) Models(ctx context.Context) (list []llm.ModelInfo, err error) {
	err = m.endpoint.Ask(ctx, func(ctx context.Context) error {
		query := url.Values{"pageSize": {"1000"}}
		for {
			var page modelPage
			if err := m.caller.Get(ctx, version+"/models?"+query.Encode(), &page); err != nil {
				return err
			}
			list = append(list, page.offered()...)
			if len(list) >= llm.MaxListed {
				list = list[:llm.MaxListed]
				return nil
			}
			if page.NextPageToken == "" || len(page.Models) == 0 {
				return nil
			}
			query.Set("pageToken", page.NextPageToken)
		}
	})
	return list, err
}

func (p *modelPage) offered() (list []llm.ModelInfo) {
	for _, one := range p.Models {
		if methods := one.SupportedGenerationMethods; len(methods) == 0 || slices.Contains(methods, "generateContent") {
			list = append(list, llm.ModelInfo{
				ID: strings.TrimPrefix(one.Name, "models/"), Name: one.DisplayName, ContextTokens: one.InputTokenLimit,
			})
		}
	}
	return list
}
