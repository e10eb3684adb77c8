package budget

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// picosPerMicro is how many units of [llm.Money] are a millionth of a dollar.
const picosPerMicro = 1_000_000

// Priced turns what a provider reported into what documents carry, and into its
// cost at the list price in millionths of a dollar, rounded up so that no call
// is free by rounding. A model without a known price costs nothing.
func Priced(model string, u llm.Usage) (nestor.Usage, int64) {
	cost, _ := llm.Cost(model, u)
	return nestor.Usage{
		InputTokens: u.Input, CachedInputTokens: u.CachedInput, OutputTokens: u.Output, ReasoningTokens: u.Reasoning,
	}, int64((cost + picosPerMicro - 1) / picosPerMicro)
}
