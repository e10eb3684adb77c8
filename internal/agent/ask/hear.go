package ask

import (
	"context"
	"strings"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
)

// hear collects what a model says, and shows it as it comes.
func (a *Asker) hear(ctx context.Context, model llm.Model, req *llm.Request, job string, r *Reply) (*llm.Reply, error) {
	ctx, done := a.calls.begin(ctx, job, model.Name())
	defer done()
	part, err := llm.Collect(func(yield func(llm.Event, error) bool) {
		for ev, err := range model.Generate(ctx, req) {
			if err == nil {
				r.heard()
			}
			switch ev := ev.(type) {
			case llm.Text:
				r.show(ev.Text)
			case llm.Reasoning:
				r.Draft.Reasoning(ev.Text)
			}
			if !yield(ev, err) {
				return
			}
		}
	})
	return &part, err
}

// show shows a piece of text. What is shown is what the message will say: space at the
// begin is left out, and space at the end is held back until something follows it.
func (r *Reply) show(piece string) {
	piece = wording.Storable(piece)
	if !r.spoke {
		piece = strings.TrimLeftFunc(piece, unicode.IsSpace)
	}
	words := strings.TrimRightFunc(piece, unicode.IsSpace)
	if words == "" {
		if r.spoke {
			r.held += piece
		}
		return
	}
	r.Draft.Text(r.held + words)
	r.held, r.spoke = piece[len(words):], true
}

// said is what the calls of a reply brought so far.
type said struct {
	text   strings.Builder
	blocks []llm.Reasoning
}

// add takes in one call.
func (s *said) add(part *llm.Reply, r *Reply) {
	priced, cost := budget.Priced(part.Model, part.Usage)
	r.Used.Model, r.Used.Calls = part.Model, r.Used.Calls+1
	r.Used.Usage = *r.Used.Usage.Add(&priced)
	r.Used.CostMicros += cost
	for _, piece := range part.Message.Parts {
		switch piece := piece.(type) {
		case llm.Text:
			s.text.WriteString(wording.Storable(piece.Text))
		case llm.Reasoning:
			s.blocks = append(s.blocks, piece)
		case llm.ToolCall:
			piece.Arguments = wording.Storable(piece.Arguments)
			r.Calls = append(r.Calls, piece)
		}
	}
	r.Text = strings.TrimSpace(s.text.String())
	r.Meta = &nestor.MessageMetadata{
		Model: part.Model, Usage: &r.Used.Usage, CostMicros: r.Used.CostMicros, FinishReason: string(part.Reason),
		Reasoning: conversation.EncodeReasoning(s.blocks),
	}
}
