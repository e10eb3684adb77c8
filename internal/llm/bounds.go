package llm

import (
	"errors"
	"unicode/utf8"
)

// What a server may send is bounded here, whatever it was asked for: a server
// that ignores max_tokens, or never stops, costs no more than this.
const (
	// MaxReply bounds a reply in bytes: text, reasoning and the arguments of
	// calls together. It is about what the longest replies of today's models
	// take, and leaves a message within the default limit of a document.
	MaxReply = 512 << 10
	// switchCost is charged when a reply changes between text and reasoning:
	// each change is another part of the message.
	switchCost = 64
	// maxAnswer bounds what is read of one answer in bytes, maxEvent one event
	// of its stream. Both count what the protocol adds to the reply.
	maxAnswer = 64 << 20
	maxEvent  = 4 << 20
)

// errCut unwinds a provider whose reply has reached its bound.
var errCut = errors.New("the reply is as long as it may be")

// bounds counts a reply.
type bounds struct {
	bytes int
	// tokens is the most that may come, 0 for no bound. Tokenizers differ, so it
	// is twice what was asked for.
	tokens  int
	counted int    // tokens so far,
	pending []byte // and what is not among them yet
	thought bool   // the latest piece was reasoning
}

// pendingSize is how much text is counted at once: pieces are often shorter than
// a word, and a word in pieces would count too much.
const pendingSize = 512

func newBounds(maxTokens int) bounds {
	b := bounds{}
	if maxTokens > 0 {
		b.tokens = 2*maxTokens + 32
	}
	return b
}

// take counts a piece and returns the part of it that still fits. It reports
// false if the reply ends there.
func (b *bounds) take(text string, thought bool) (string, bool) {
	if thought != b.thought {
		b.thought = thought
		b.bytes += switchCost
	}
	if room := max(MaxReply-b.bytes, 0); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		b.bytes = MaxReply
		return text[:room], false
	}
	b.bytes += len(text)
	return text, b.count(text)
}

// count reports whether the tokens stay within their bound.
func (b *bounds) count(text string) bool {
	if b.tokens == 0 {
		return true
	}
	b.pending = append(b.pending, text...)
	if len(b.pending) >= pendingSize {
		b.counted += EstimateTokens(string(b.pending))
		b.pending = b.pending[:0]
	}
	// A text has no more tokens than bytes, so most pieces need no closer look.
	if b.counted+len(b.pending) <= b.tokens {
		return true
	}
	return b.counted+EstimateTokens(string(b.pending)) <= b.tokens
}
