package openai

import (
	"runtime"
	"sync"
	"weak"

	"github.com/nestorhq/nestor/internal/llm"
)

// encoded keeps what messages look like on the wire. A conversation is sent again
// at every step, and only its end is new: encoding all of it would be a quarter of
// what step 200 costs.
//
// A message is known by where its parts are in memory. That is right because
//
//   - whoever gave a model a message does not change its parts any more, which
//     [llm.Message] demands: to say something else they make other parts;
//   - a weak pointer is never equal to one that was made to something else, even if
//     that came to lie at the same place after the first was gone;
//   - all else that decides what is encoded (how many of the parts, the role, the
//     dialect) is in the key.
//
// What is kept goes when the parts do, so nobody has to say when a conversation
// is over. It is safe for concurrent use.
type encoded struct {
	mu    sync.Mutex
	texts map[sent][]byte
}

// sent is a message as it was given to a dialect.
type sent struct {
	parts   weak.Pointer[llm.Part]
	count   int
	role    llm.Role
	dialect dialect
}

// message returns the text of a message, which is not to be changed.
func (e *encoded) message(d dialect, msg *llm.Message) ([]byte, error) {
	if len(msg.Parts) == 0 {
		return d.encode(msg)
	}
	key := sent{weak.Make(&msg.Parts[0]), len(msg.Parts), msg.Role, d}
	if text, ok := e.find(key); ok {
		return text, nil
	}
	text, err := d.encode(msg)
	if err != nil {
		return nil, err
	}
	e.keep(key, text)
	runtime.AddCleanup(&msg.Parts[0], e.forget, key)
	return text, nil
}

func (e *encoded) find(key sent) ([]byte, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok := e.texts[key]
	return text, ok
}

func (e *encoded) keep(key sent, text []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.texts == nil {
		e.texts = map[sent][]byte{}
	}
	e.texts[key] = text
}

func (e *encoded) forget(key sent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.texts, key)
}
