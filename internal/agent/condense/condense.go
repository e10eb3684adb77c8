package condense

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
)

// Turn is one stored message of a conversation.
type Turn struct {
	ID      string
	Message llm.Message
	// Summary marks the latest summary, made with [SummaryTurn]. It is the
	// first turn of a conversation that has one; the messages that it covers
	// are left out.
	Summary bool
}

// Options say how a conversation is to be made to fit.
type Options struct {
	// Model writes the summaries. Defaults to none: then a summary is an outline.
	Model llm.Model
	// ModelWindow is the context window of Model. Defaults to what
	// [tokens.Window] knows about it.
	ModelWindow int
	// Target is the name of the model that the conversation is for, in whose
	// tokens everything is counted. Defaults to the name of Model.
	Target string
	// Meter counts. Defaults to one that has learned nothing.
	Meter *tokens.Meter
	// Threshold is the most tokens that the request may take. Defaults to
	// 120,000 or 80% of the target's window, whichever is less.
	Threshold int
	// SummaryTokens is how long a summary should be. Defaults to 10,000, and is
	// at most a quarter of what instruction and tools leave of the threshold.
	SummaryTokens int
	// Reserve is how much is left free when something is condensed, for a
	// summary that turns out longer and for the next messages. Defaults to
	// 5,000, and is at most an eighth of what instruction and tools leave.
	Reserve int
	// LargeResult is the number of tokens from which on a tool result is worth
	// replacing by a stub. Defaults to 1,000.
	LargeResult int
}

// Summary is a new summary, for the caller to store.
type Summary struct {
	// Text is what to give to [SummaryTurn] from now on.
	Text string
	// Through is the id of the last turn that the summary covers.
	Through string
	// Usage is the sum over the Calls of the model.
	Usage llm.Usage
	// Model is who wrote the summary, empty for a mere outline.
	Model string
	Calls int
}

// Result is a conversation that fits.
type Result struct {
	// Turns are what to send.
	Turns []Turn
	// Summary is nil if no new one was made.
	Summary *Summary
}

// Fit returns turns in a form that fits the threshold together with the
// instruction and the tools of req, whose own messages are ignored. It changes
// neither; turns that need no change are returned as they are.
//
// Every call in turns must be answered by the turns right after it. An error is
// the end of ctx, or a call to the model that was cancelled otherwise.
func Fit(ctx context.Context, o Options, req *llm.Request, turns []Turn) (Result, error) {
	o = o.withDefaults()
	whole := llm.Request{System: req.System, Tools: req.Tools, Messages: messages(turns)}
	if !o.Meter.Over(o.Target, &whole, o.Threshold) {
		return Result{Turns: turns}, nil
	}
	v := newView(o, req, turns)
	v.dropMedia()
	v.cutOversized()
	v.stubResults(o.LargeResult)
	if v.total() <= v.room {
		return Result{Turns: v.turns}, nil
	}
	end := v.boundary()
	if end == v.first {
		if v.squeezeAll() {
			return Result{Turns: v.turns}, nil
		}
		end = len(v.turns)
	} else if !v.leavesRoom(end) {
		end = len(v.turns)
	}
	summary, err := v.summarise(ctx, o, end)
	if err != nil {
		return Result{}, err
	}
	first := SummaryTurn("", summary.Text)
	rest := v.squeeze(v.turns[end:], v.room-v.turn(first))
	return Result{Turns: append([]Turn{first}, rest...), Summary: summary}, nil
}

// After returns turns with a new summary of theirs in place of what it covers,
// as they are once it is stored.
func After(s *Summary, turns []Turn) []Turn {
	covered := 0
	for i, t := range turns {
		if t.ID == s.Through {
			covered = i + 1
		}
	}
	return append([]Turn{SummaryTurn(nestor.DeriveID("summary", s.Through), s.Text)}, turns[covered:]...)
}

func (o Options) withDefaults() Options {
	if o.Meter == nil {
		o.Meter = &tokens.Meter{}
	}
	if o.Model != nil {
		if o.Target == "" {
			o.Target = o.Model.Name()
		}
		if o.ModelWindow <= 0 {
			o.ModelWindow = tokens.Window(o.Model.Name())
		}
	}
	if o.Threshold <= 0 {
		o.Threshold = min(120_000, tokens.Window(o.Target)/10*8)
	}
	if o.SummaryTokens <= 0 {
		o.SummaryTokens = 10_000
	}
	if o.Reserve <= 0 {
		o.Reserve = 5_000
	}
	if o.LargeResult <= 0 {
		o.LargeResult = 1_000
	}
	return o
}

func messages(turns []Turn) []llm.Message {
	list := make([]llm.Message, len(turns))
	for i, t := range turns {
		list[i] = t.Message
	}
	return list
}
