package ask

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/wording"
)

// Refusal is the error of a model that declined to answer, or whose provider
// stopped it, or that said nothing although it was asked again. What it had said
// stays visible, and is paid for.
type Refusal struct {
	Reply  *Reply
	detail string
	empty  bool
}

func (r *Refusal) Error() string {
	if r.empty {
		return "the model gave an empty reply"
	}
	if r.detail == "" {
		return "the model declined to answer and gave no reason"
	}
	return "the model declined to answer: " + wording.Excerpt(wording.OneLine(wording.Storable(r.detail)), 600)
}

// Unwrap gives the code: to ask again in the same words is useless.
func (r *Refusal) Unwrap() error { return nestor.Errorf(nestor.CodeForbidden, "%s", r.Error()) }

// Unsaid is what a refusal without a word took, for the message that tells of it.
// It is nil for every other failure.
func Unsaid(cause error) *nestor.MessageMetadata {
	var no *Refusal
	if errors.As(cause, &no) && no.Reply.Text == "" {
		return no.Reply.Meta
	}
	return nil
}
