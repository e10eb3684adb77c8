package llm

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
)

// errStopped unwinds a provider whose caller has left the loop.
var errStopped = errors.New("the caller stopped listening")

// Writer is a provider's side of a reply. The provider tells it what it
// decodes; the Writer keeps the order that [Model] promises: text and reasoning
// as they come, then the tool calls, the usage if any was reported, and Finish.
//
// A method that returns an error wants the provider to return it at once.
type Writer struct {
	ctx     context.Context
	yield   func(Event, error) bool
	stopped bool

	replyID string
	calls   assembler
	bounds  bounds
	usage   Usage
	reason  Reason
	detail  string
}

// Text yields the next piece of text, if it is not empty.
func (w *Writer) Text(text string) error {
	if text == "" {
		return nil
	}
	text, fits := w.bounds.take(text, false)
	if text != "" {
		if err := w.emit(Text{Text: text}); err != nil {
			return err
		}
	}
	return goesOn(fits)
}

// Reasoning yields the next piece of reasoning, if it is not empty.
func (w *Writer) Reasoning(r Reasoning) error {
	if r == (Reasoning{}) {
		return nil
	}
	text, fits := w.bounds.take(r.Text, true)
	if state, ok := w.bounds.take(r.Signature+r.Redacted, true); !ok || len(state) < len(r.Signature)+len(r.Redacted) {
		return errCut // half a signature is none
	}
	if r.Text = text; r != (Reasoning{}) {
		if err := w.emit(r); err != nil {
			return err
		}
	}
	return goesOn(fits)
}

// Call adds a piece of a tool call.
func (w *Writer) Call(p CallPiece) error {
	var fits bool
	p.Arguments, fits = w.bounds.take(p.Arguments, w.bounds.thought)
	return goesOn(w.calls.add(p) && fits)
}

func goesOn(fits bool) error {
	if !fits {
		return errCut
	}
	return nil
}

// ReplyID names the reply. Ids of calls that came without one derive from it.
func (w *Writer) ReplyID(id string) {
	if id != "" {
		w.replyID = id
	}
}

// Usage sets the token counts. Providers report them more than once; the last
// report is the total.
func (w *Writer) Usage(u Usage) {
	for _, n := range []*int64{&u.Input, &u.CachedInput, &u.CacheWrite, &u.Output, &u.Reasoning} {
		*n = min(max(*n, 0), maxTokens)
	}
	w.usage = u
}

// maxTokens is more than any call takes.
const maxTokens = 1_000_000_000

// Finish sets why the reply ended. Without it the reply counts as broken off.
func (w *Writer) Finish(reason Reason) { w.reason = reason }

// Refuse ends the reply as refused, with the provider's reason if it gave one.
func (w *Writer) Refuse(detail string) { w.reason, w.detail = ReasonRefusal, detail }

// Finished reports whether the provider said why the reply ended.
func (w *Writer) Finished() bool { return w.reason != "" }

// close yields what comes after the last piece.
func (w *Writer) close() error {
	if w.reason == "" {
		return nestor.Errorf(nestor.CodeUnavailable, "the reply broke off before it was complete")
	}
	// A refused reply is withdrawn as a whole, its calls included.
	if w.reason != ReasonRefusal {
		if err := w.closeCalls(); err != nil {
			return err
		}
	}
	if w.usage != (Usage{}) {
		if err := w.emit(w.usage); err != nil {
			return err
		}
	}
	return w.emit(Finish{Reason: w.reason, Detail: w.detail})
}

func (w *Writer) closeCalls() error {
	calls := w.calls.finish(w.replyID, w.reason == ReasonLength)
	for _, call := range calls {
		if err := w.emit(call); err != nil {
			return err
		}
	}
	// Providers disagree on what to call the end of a reply with calls, so the
	// calls themselves decide.
	switch {
	case w.reason == ReasonStop && len(calls) > 0:
		w.reason = ReasonToolCalls
	case w.reason == ReasonToolCalls && len(calls) == 0:
		w.reason = ReasonStop
	}
	return nil
}

// emit checks the context first: events that were decoded before a
// cancellation must not reach the caller after it.
func (w *Writer) emit(ev Event) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if !w.yield(ev, nil) {
		w.stopped = true
		return errStopped
	}
	return nil
}
