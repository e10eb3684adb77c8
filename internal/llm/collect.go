package llm

import (
	"iter"

	"github.com/nestorhq/nestor"
)

// Reply is one complete answer of a model.
type Reply struct {
	// Message is what the model said, ready to be the next turn of the
	// conversation.
	Message Message
	Usage   Usage
	Reason  Reason
	// Model is who answered when that was not the model called, else empty.
	Model string
}

// Collect runs a model call to its end. On an error the reply holds what came
// until then.
func Collect(events iter.Seq2[Event, error]) (Reply, error) {
	var r Reply
	for ev, err := range events {
		if err != nil {
			return r, err
		}
		r.Add(ev)
	}
	if r.Reason == "" {
		return r, nestor.Errorf(nestor.CodeUnavailable, "the reply broke off before it was complete")
	}
	return r, nil
}

// Add takes in the next event, for callers that also forward the events.
func (r *Reply) Add(ev Event) {
	r.Message.Role = RoleAssistant
	switch ev := ev.(type) {
	case Text:
		if last, ok := r.last().(Text); ok {
			r.replaceLast(Text{Text: last.Text + ev.Text})
			return
		}
		r.Message.Parts = append(r.Message.Parts, ev)
	case Reasoning:
		// A signature closes a block, and a redacted block is one by itself.
		if last, ok := r.last().(Reasoning); ok && last.Signature == "" && last.Redacted == "" && ev.Redacted == "" {
			r.replaceLast(Reasoning{Text: last.Text + ev.Text, Signature: ev.Signature})
			return
		}
		r.Message.Parts = append(r.Message.Parts, ev)
	case ToolCall:
		r.Message.Parts = append(r.Message.Parts, ev)
	case Usage:
		r.Usage = ev
	case Finish:
		r.Reason, r.Model = ev.Reason, ev.Model
	}
}

func (r *Reply) last() Part {
	if len(r.Message.Parts) == 0 {
		return nil
	}
	return r.Message.Parts[len(r.Message.Parts)-1]
}

func (r *Reply) replaceLast(p Part) { r.Message.Parts[len(r.Message.Parts)-1] = p }
