package ask

import (
	"context"
	"errors"
	"iter"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// errCondensed ends an attempt at a job that made a summary while another attempt
// did: the node of one had been taken for dead. Whoever has the job begins anew
// and sees the summary.
var errCondensed = nestor.Errorf(nestor.CodeConflict, "the conversation was condensed meanwhile")

// Unmade fails if there is a summary already that the caller did not know of.
func Unmade(tx store.Tx, summary nestor.Path, known bool) error {
	_, err := tx.Get(summary)
	switch {
	case errors.Is(err, nestor.ErrNotFound):
		return nil
	case err == nil && !known:
		return errCondensed
	}
	return err
}

// reserving is a model that sets aside what each of its calls may need. It
// writes summaries: if there is not enough left for one, there will be an
// outline instead.
type reserving struct {
	llm.Model
	reserve  func(ctx context.Context, req *llm.Request, used budget.Used) error
	produced func(model string, req *llm.Request, part *llm.Reply) bool
	used     budget.Used
}

// Generate implements [llm.Model].
func (r *reserving) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if err := r.reserve(ctx, req, r.used); err != nil {
			yield(nil, err)
			return
		}
		part, err := llm.Collect(func(collect func(llm.Event, error) bool) {
			for ev, err := range r.Model.Generate(ctx, req) {
				if more := yield(ev, err); !collect(ev, err) || !more {
					return
				}
			}
		})
		if err == nil || interrupt.Happened(ctx) && r.produced(r.Name(), req, &part) {
			usage, cost := budget.Priced(r.Name(), part.Usage)
			r.used = plus(r.used, budget.Used{Usage: usage, CostMicros: cost, Calls: 1})
		}
	}
}

// SettleSummary puts what a summary took in the place of what was reserved.
func SettleSummary(tx store.Tx, job *nestor.Job, scopes []budget.Scope, meta *nestor.MessageMetadata) error {
	return budget.Settle(tx, budget.Of(job), scopes, budget.Amount{Tokens: meta.Usage.Tokens(), Micros: meta.CostMicros})
}
