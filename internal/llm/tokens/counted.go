package tokens

import (
	"context"
	"iter"

	"github.com/nestorhq/nestor/internal/llm"
)

// Counted returns a model whose every complete reply says what it took. If the
// provider leaves that out, or wrongly says that nothing went in or came out,
// it is estimated and marked so.
func Counted(m llm.Model) llm.Model { return &counted{Model: m} }

type counted struct {
	llm.Model
	meter Meter
}

// Generate implements [llm.Model]. The usage comes once, before the end of the
// reply. A reply that breaks off has it, too, if the provider reported it.
func (c *counted) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		var usage llm.Usage
		var said output
		for ev, err := range c.Model.Generate(ctx, req) {
			if u, ok := ev.(llm.Usage); ok && err == nil {
				usage = u
				continue
			}
			said.add(ev)
			_, finished := ev.(llm.Finish)
			if finished && err == nil {
				c.complete(&usage, req, &said)
			}
			if (finished || err != nil) && usage != (llm.Usage{}) && !yield(usage, nil) {
				return
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// complete fills in what the provider did not say.
func (c *counted) complete(u *llm.Usage, req *llm.Request, said *output) {
	if u.Input <= 0 {
		u.Input, u.Estimated = int64(c.meter.Request(c.Name(), req)), true
	}
	if m := said.message(); u.Output <= 0 && len(m.Parts) > 0 {
		u.Output, u.Estimated = int64(c.meter.Message(c.Name(), m)), true
	}
}

// output joins the pieces of a stream: a piece may be half a word, and would
// count too much by itself.
type output struct {
	text, thought []byte
	calls         []llm.Part
}

func (o *output) add(ev llm.Event) {
	switch ev := ev.(type) {
	case llm.Text:
		o.text = append(o.text, ev.Text...)
	case llm.Reasoning:
		o.thought = append(o.thought, ev.Text...)
	case llm.ToolCall:
		o.calls = append(o.calls, ev)
	}
}

func (o *output) message() llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Parts: o.calls}
	if len(o.text) > 0 {
		m.Parts = append(m.Parts, llm.Text{Text: string(o.text)})
	}
	if len(o.thought) > 0 {
		m.Parts = append(m.Parts, llm.Reasoning{Text: string(o.thought)})
	}
	return m
}
