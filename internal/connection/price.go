package connection

import (
	"context"
	"iter"

	"github.com/nestorhq/nestor/internal/llm"
)

// priced is a model with the price that its connection names or, if it names
// none, the list price.
type priced struct {
	llm.Model
	price *llm.Price
}

// Generate implements [llm.Model]. The usage of the reply carries the price, so
// that it is the right one whichever of a chain of fallbacks answered.
func (m priced) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	if m.price == nil {
		return m.Model.Generate(ctx, req)
	}
	return func(yield func(llm.Event, error) bool) {
		for ev, err := range m.Model.Generate(ctx, req) {
			if u, ok := ev.(llm.Usage); ok {
				u.Price = m.price
				ev = u
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// Cost implements [llm.Priced].
func (m priced) Cost(u llm.Usage) (llm.Money, bool) {
	u.Price = m.price
	return llm.Cost(m.Name(), u)
}

// price is what the connection says that its model costs, nil for the list
// price. The demo model is free.
func (c *Connection) price() *llm.Price {
	if c.Price == nil && c.AccessFormat == Demo {
		return &llm.Price{}
	}
	return c.Price
}
