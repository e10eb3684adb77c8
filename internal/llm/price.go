package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"sync"
)

// Money is an exact amount in picodollars, 10⁻¹² US dollars. A token at
// one dollar per million costs 1,000,000 of them, so every listed price is a
// whole number and sums never round. An int64 holds nine million dollars.
type Money int64

const dollar Money = 1_000_000_000_000

// String writes the amount in dollars without rounding: "$0.00125".
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	text := fmt.Sprintf("%s$%d.%012d", sign, m/dollar, m%dollar)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Cost returns what the usage costs at the list price of the model, and false
// for a model that is not in the price table. Names that only add a date or a
// release to a listed one ("gpt-5-2025-08-07", "gemini-3.1-pro-preview") have
// its price. Usage that carries a price of its own has that.
func Cost(model string, u Usage) (Money, bool) {
	if u.Price != nil {
		return u.Price.rates().cost(u), true
	}
	p, ok := lookup(model)
	if !ok {
		return 0, false
	}
	if p.Long != nil && u.Input > p.Long.Over {
		p.rates = p.Long.rates
	}
	return p.cost(u), true
}

// Priced is a model that knows what its calls cost.
type Priced interface {
	// Cost returns the most that the usage may cost, whichever of a chain of
	// fallbacks answers, and false if the price of one of them is not known.
	Cost(u Usage) (Money, bool)
}

// Named is a [Model] or an [Embedder].
type Named interface{ Name() string }

// CostOf returns the most that the usage may cost with a model: by its own
// account, or else at the list price.
func CostOf(m Named, u Usage) (Money, bool) {
	if p, ok := m.(Priced); ok {
		return p.Cost(u)
	}
	return Cost(m.Name(), u)
}

type price struct {
	rates
	Long *struct {
		Over int64 `json:"over"`
		rates
	} `json:"long"`
}

// rates with no price of their own for cached input or cache writes charge
// those as plain input.
type rates struct {
	Input       rate  `json:"input"`
	CachedInput *rate `json:"cachedInput"`
	CacheWrite  *rate `json:"cacheWrite"`
	Output      rate  `json:"output"`
}

// cost is the price of usage. An amount that is too large for Money becomes the
// largest.
func (r rates) cost(u Usage) Money {
	var sum Money
	for _, part := range []struct {
		tokens int64
		rate   rate
	}{
		{u.Input - u.CachedInput - u.CacheWrite, r.Input},
		{u.CachedInput, r.CachedInput.or(r.Input)},
		{u.CacheWrite, r.CacheWrite.or(r.Input)},
		{u.Output, r.Output},
	} {
		if part.tokens <= 0 || part.rate == 0 {
			continue
		}
		if Money(part.tokens) > (math.MaxInt64-sum)/Money(part.rate) {
			return math.MaxInt64
		}
		sum += Money(part.tokens) * Money(part.rate)
	}
	return sum
}

// rate is a price in dollars per million tokens, held as picodollars per token:
// the same number, a million times larger.
type rate Money

func (r *rate) or(other rate) rate {
	if r == nil {
		return other
	}
	return *r
}

func (r *rate) UnmarshalJSON(text []byte) error {
	dollars, ok := new(big.Rat).SetString(string(text))
	if !ok {
		return fmt.Errorf("price %s is not a number", text)
	}
	scaled := dollars.Mul(dollars, big.NewRat(1_000_000, 1))
	if !scaled.IsInt() || !scaled.Num().IsInt64() || scaled.Sign() < 0 {
		return fmt.Errorf("price %s is not a whole number of picodollars per token", text)
	}
	*r = rate(scaled.Num().Int64())
	return nil
}

//go:embed prices.json
var pricesJSON []byte

var prices = sync.OnceValue(func() map[string]price {
	var table struct {
		Models map[string]price `json:"models"`
	}
	if err := json.Unmarshal(pricesJSON, &table); err != nil {
		panic("llm: prices.json: " + err.Error())
	}
	return table.Models
})

// release is what a provider appends to a model's name without changing its
// price. Anything else, "-mini" or "-7", makes another model.
var release = regexp.MustCompile(`^[-@](\d{3,4}|\d{8}|\d{4}-\d{2}-\d{2}|latest|preview(-\d{2}-\d{2,4})?)$`)

func lookup(model string) (price, bool) {
	table := prices()
	if p, ok := table[model]; ok {
		return p, true
	}
	for i := len(model) - 1; i > 0; i-- {
		if p, ok := table[model[:i]]; ok && release.MatchString(model[i:]) {
			return p, true
		}
	}
	return price{}, false
}
