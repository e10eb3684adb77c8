package budget

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// picosPerMicro is how many units of [llm.Money] are a millionth of a dollar.
const picosPerMicro = 1_000_000

// Priced turns what a provider reported into what documents carry, and into its
// cost in millionths of a dollar: at the price that the report carries, else at
// the list price, rounded up so that no call is free by rounding. A model without
// a known price costs nothing.
func Priced(model string, u llm.Usage) (nestor.Usage, int64) {
	cost, _ := llm.Cost(model, u)
	return nestor.Usage{
		InputTokens: u.Input, CachedInputTokens: u.CachedInput, OutputTokens: u.Output, ReasoningTokens: u.Reasoning, Estimated: u.Estimated,
	}, micros(cost)
}

// Need is what a call of such usage may need. If one of the scopes bounds the
// cost and the price of the model is not known, the error is of
// [nestor.CodeOverBudget]: a bound that nothing counts against would be none.
func Need(model llm.Named, u llm.Usage, scopes []Scope) (Amount, error) {
	cost, known := llm.CostOf(model, u)
	for _, s := range scopes {
		if !known && s.Limit.BoundsCost() {
			return Amount{}, nestor.Errorf(nestor.CodeOverBudget,
				"the budget of %s is in US dollars, and the model %s, or a fallback of it, has no known price: give its model connection a price, or bound tokens instead",
				s.name(), model.Name()).With("path", s.Path).With("field", "costMicros")
		}
	}
	return Amount{Tokens: u.Input + u.Output, Micros: micros(cost)}, nil
}

func micros(cost llm.Money) int64 {
	whole := int64(cost / picosPerMicro)
	if cost%picosPerMicro > 0 {
		whole++
	}
	return whole
}
