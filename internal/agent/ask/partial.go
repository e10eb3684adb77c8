package ask

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
)

// Partial is the error of a reply that was interrupted after the provider had
// produced some of it. What was said stays visible, and is paid for.
type Partial struct{ Reply *Reply }

func (p *Partial) Error() string { return "the reply was interrupted" }

// Unwrap gives the code.
func (p *Partial) Unwrap() error { return interrupt.ErrInterrupted }

// Cut makes a reply the beginning of one. Its calls are not made, and its
// reasoning is left out: providers refuse reasoning without its end.
func (r *Reply) Cut() {
	r.Calls = nil
	if r.Meta == nil { // only a summary was being made
		r.Meta = &nestor.MessageMetadata{Model: r.Used.Model, Usage: &r.Used.Usage, CostMicros: r.Used.CostMicros}
	}
	r.Meta.FinishReason, r.Meta.Reasoning = nestor.FinishInterrupted, nil
}

// produced reports whether the provider had begun an interrupted reply. It
// estimates the usage: providers report that at the end.
func (a *Asker) produced(model string, req *llm.Request, part *llm.Reply) bool {
	if len(part.Message.Parts) == 0 && part.Usage == (llm.Usage{}) {
		return false // it may not even have been asked
	}
	if part.Usage.Input == 0 {
		part.Usage.Input, part.Usage.Estimated = int64(a.meter.Request(model, req)), true
	}
	if said := int64(a.meter.Message(model, part.Message)); len(part.Message.Parts) > 0 && said > part.Usage.Output {
		part.Usage.Output, part.Usage.Estimated = said, true
	}
	return true
}

// plus adds what other calls used.
func plus(u, other budget.Used) budget.Used {
	u.Calls += other.Calls
	u.Usage = *u.Usage.Add(&other.Usage)
	u.CostMicros += other.CostMicros
	return u
}
