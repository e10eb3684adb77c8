package llm

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/nestorhq/nestor"
)

// Price is what a million tokens of a model cost in US dollars, from somebody
// who knows better than the price table.
type Price struct {
	Input float64 `json:"input"`
	// CachedInput defaults to Input.
	CachedInput *float64 `json:"cachedInput,omitempty"`
	Output      float64  `json:"output"`
}

// maxPrice is a price in dollars per million tokens that no model has.
const maxPrice = 100_000

// Check refuses a price that cannot be, with [nestor.CodeInvalid]. Nil is no
// price.
func (p *Price) Check() error {
	if p == nil {
		return nil
	}
	for _, part := range []struct {
		field string
		price *float64
	}{{"input", &p.Input}, {"cachedInput", p.CachedInput}, {"output", &p.Output}} {
		if part.price != nil && !(*part.price >= 0 && *part.price <= maxPrice) {
			field := "price." + part.field
			return nestor.Errorf(nestor.CodeInvalid, "%s is between 0 and %d US dollars per million tokens", field, maxPrice).With("field", field)
		}
	}
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It wants the price of input and
// of output: one that was forgotten must not count as free.
func (p *Price) UnmarshalJSON(text []byte) error {
	var given struct {
		Input       *float64 `json:"input"`
		CachedInput *float64 `json:"cachedInput"`
		Output      *float64 `json:"output"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&given); err != nil || given.Input == nil || given.Output == nil {
		return nestor.Errorf(nestor.CodeInvalid,
			`price is {"input":…,"cachedInput":…,"output":…}, numbers in US dollars per million tokens, of which cachedInput may be left out`).With("field", "price")
	}
	*p = Price{Input: *given.Input, CachedInput: given.CachedInput, Output: *given.Output}
	return nil
}

func (p *Price) rates() rates {
	r := rates{Input: rateOf(p.Input), Output: rateOf(p.Output)}
	if p.CachedInput != nil {
		cached := rateOf(*p.CachedInput)
		r.CachedInput = &cached
	}
	return r
}

// rateOf rounds up: what costs anything is not free.
func rateOf(dollars float64) rate { return rate(math.Ceil(dollars * 1_000_000)) }
