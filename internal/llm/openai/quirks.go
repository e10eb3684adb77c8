package openai

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/nestorhq/nestor/internal/llm"
)

// quirks are what a server turned out not to understand. They are learned from
// its refusals and hold for as long as the model does, which is as long as its
// connection is not changed.
type quirks struct {
	// noStreamOptions: the usage cannot be asked for.
	noStreamOptions atomic.Bool
	// otherMaxTokens: the bound goes by the other of its two names.
	otherMaxTokens atomic.Bool
	// shortIDs: ids of calls are nine letters and digits, as at Mistral.
	shortIDs atomic.Bool
}

// learn reports whether a refusal taught something new, so that the request is
// worth another try. Each quirk is learned once, so this ends.
func (q *quirks) learn(err error) bool {
	var refused *llm.Refusal
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest && refused.Status != http.StatusUnprocessableEntity {
		return false
	}
	said := strings.ToLower(string(refused.Body)) // not every server says it in "error"
	switch {
	case strings.Contains(said, "stream_options") || strings.Contains(said, "include_usage"):
		return q.noStreamOptions.CompareAndSwap(false, true)
	case strings.Contains(said, "tool call id") && strings.Contains(said, "length of 9"):
		return q.shortIDs.CompareAndSwap(false, true)
	case strings.Contains(said, "max_completion_tokens") && !strings.Contains(said, "context length"):
		return q.otherMaxTokens.CompareAndSwap(false, true)
	}
	return false
}
