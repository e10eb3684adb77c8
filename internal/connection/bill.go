package connection

import (
	"context"
	"iter"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// bill is what a test, or a request for vectors, costs its user.
type bill struct {
	id, user, model string
	scopes          []budget.Scope
	used            llm.Usage
}

// promptTokens is more than the prompt of a test has in any vocabulary.
const promptTokens = 100

// reserve sets aside what a call may need.
func (s *Connections) reserve(ctx context.Context, userID string, model llm.Named, most llm.Usage) (*bill, error) {
	b := &bill{
		id: nestor.NewID(), user: userID, model: model.Name(),
		scopes: []budget.Scope{{Path: nestor.Path("users/" + userID), Limit: s.opts.UserBudget}},
	}
	need, err := budget.Need(model, most, b.scopes)
	if err != nil {
		return nil, err
	}
	return b, budget.Reserve(ctx, s.opts.Store, b.call(), b.scopes, need)
}

func (b *bill) call() budget.Call { return budget.Call{ID: b.id, Key: b.id} }

// counting passes the events of a reply on and notes what it took, also if it
// breaks off.
func (b *bill) counting(events iter.Seq2[llm.Event, error]) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for ev, err := range events {
			if u, ok := ev.(llm.Usage); ok {
				b.used = u
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// settle replaces what was reserved by what the call took, whether or not
// somebody still waits for it.
func (s *Connections) settle(ctx context.Context, b *bill) error {
	used, cost := budget.Priced(b.model, b.used)
	return s.opts.Store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
		if err := budget.Settle(tx, b.call(), b.scopes, budget.Amount{Tokens: used.Tokens(), Micros: cost}); err != nil {
			return err
		}
		if b.used == (llm.Usage{}) {
			return nil // nobody answered
		}
		return budget.Record(tx, time.Now(), b.user, b.user, budget.Used{Model: b.model, Usage: used, CostMicros: cost, Calls: 1})
	})
}
