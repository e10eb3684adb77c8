package budget_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
)

func TestPriced(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  string
		usage  llm.Usage
		want   nestor.Usage
		micros int64
	}{
		{
			"every count is kept and the cost exact", "gpt-5",
			llm.Usage{Input: 1_000_000, CachedInput: 600_000, Output: 1000, Reasoning: 900},
			nestor.Usage{InputTokens: 1_000_000, CachedInputTokens: 600_000, OutputTokens: 1000, ReasoningTokens: 900},
			585_000,
		},
		{"the smallest cost is not nothing", "gpt-5-nano", llm.Usage{Input: 1}, nestor.Usage{InputTokens: 1}, 1},
		{"a fraction of a millionth counts as a whole one", "gpt-5", llm.Usage{Input: 1}, nestor.Usage{InputTokens: 1}, 2},
		{"nothing costs nothing", "gpt-5", llm.Usage{}, nestor.Usage{}, 0},
		{"a model without a price costs nothing", "llama3.3:70b", llm.Usage{Input: 7, Output: 3}, nestor.Usage{InputTokens: 7, OutputTokens: 3}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if usage, micros := budget.Priced(tt.model, tt.usage); usage != tt.want || micros != tt.micros {
				t.Errorf("got %+v and %d, want %+v and %d", usage, micros, tt.want, tt.micros)
			}
		})
	}
}
