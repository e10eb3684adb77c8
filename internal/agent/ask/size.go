package ask

import (
	"math"

	"github.com/nestorhq/nestor/internal/llm"
)

// size is how long a conversation may be for a model. Zeros are the defaults of
// package condense.
type size struct {
	// threshold is the size from which it is condensed, in tokens.
	threshold int
	// window is what the model takes when it writes a summary.
	window int
}

// unbounded is for a model that minds no length.
var unbounded = size{threshold: math.MaxInt, window: math.MaxInt}

// sizeOf is what is known beforehand: a connection's own size goes before that
// of the server.
func (a *Asker) sizeOf(model llm.Model) size {
	if m, ok := model.(llm.Sized); ok && m.ContextTokens() > 0 {
		return size{threshold: m.ContextTokens(), window: m.ContextTokens()}
	}
	return size{threshold: a.ContextTokens}
}

// below is a smaller size, after a provider refused a request of so many tokens
// by our count. The provider may have told its limit, by its own count. Both
// counts can be off, so the size is well below both and falls with each refusal.
func (s size) below(refused, limit int) size {
	next := refused / 3 * 2
	if limit > 0 {
		next = min(next, limit/10*7)
	}
	if s.window > 0 && s.threshold > 0 {
		next = min(next, s.threshold/3*2)
	}
	return size{threshold: max(next, 1), window: max(next, 1)}
}
