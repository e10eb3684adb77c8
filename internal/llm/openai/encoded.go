package openai

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/nestorhq/nestor/internal/llm"
)

// encoded keeps what messages, instructions and tools look like on the wire. A conversation is
// sent again at every step, and only its end is new: encoding all of it would be a
// quarter of what step 200 costs.
//
// A message is known by where its parts are in memory, a tool by where its
// parameters are. That is right because
//
//   - whoever gave a model a message or a tool does not change it any more, which
//     [llm.Message] demands: to say something else they make another;
//   - the key holds on to what it points to, so nothing else can come to lie there
//     as long as the text is kept;
//   - all else that decides what is encoded is in the key.
//
// It has two generations. When the young one is full it becomes the old one, and
// what nobody sent meanwhile goes. It is safe for concurrent use.
type encoded struct {
	mu         sync.Mutex
	young, old map[any][]byte // by sentMessage, sentSystem or sentTool
	size       int            // of the young
}

// texts are those of all models of this process, so that one bound holds for all.
var texts encoded

// maxEncoded is the size of a generation, in bytes of JSON and of instructions.
const maxEncoded = 16 << 20

// sentMessage is a message as it was given to a dialect.
type sentMessage struct {
	parts   *llm.Part
	count   int
	role    llm.Role
	dialect dialect
}

// sentSystem is the instructions of a model.
type sentSystem string

// sentTool is a tool that was offered.
type sentTool struct {
	name, description string
	parameters        *byte
	size              int
}

// message returns the text of a message, which is not to be changed.
func (e *encoded) message(d dialect, msg *llm.Message) ([]byte, error) {
	if len(msg.Parts) == 0 || slices.ContainsFunc(msg.Parts, isLarge) {
		return d.encode(msg)
	}
	return e.text(sentMessage{&msg.Parts[0], len(msg.Parts), msg.Role, d}, func() ([]byte, error) { return d.encode(msg) })
}

// isLarge reports whether a part is too large to be kept, and has a text for one request
// only.
func isLarge(p llm.Part) bool {
	m, ok := p.(llm.Media)
	return ok && llm.IsLarge(m.Data)
}

// system returns the text of the instructions, which is not to be changed. Agents of a
// role share them.
func (e *encoded) system(instructions string) ([]byte, error) {
	return e.text(sentSystem(instructions), func() ([]byte, error) {
		return llm.EncodeJSON(message{Role: "system", Content: instructions})
	})
}

// tool returns the text of a tool, which is not to be changed.
func (e *encoded) tool(t *llm.Tool) ([]byte, error) {
	key := sentTool{t.Name, t.Description, unsafe.SliceData(t.Parameters), len(t.Parameters)}
	return e.text(key, func() ([]byte, error) {
		return llm.EncodeJSON(tool{"function", function{t.Name, t.Description, t.Parameters}})
	})
}

func (e *encoded) text(key any, encode func() ([]byte, error)) ([]byte, error) {
	if text, ok := e.find(key); ok {
		return text, nil
	}
	text, err := encode()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keep(key, text)
	return text, nil
}

func (e *encoded) find(key any) ([]byte, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, ok := e.young[key]; ok {
		return text, true
	}
	text, ok := e.old[key]
	if ok {
		e.keep(key, text)
	}
	return text, ok
}

func (e *encoded) keep(key any, text []byte) {
	size := len(text)
	if instructions, ok := key.(sentSystem); ok {
		size += len(instructions) // nobody else may have them any more
	}
	if e.size += size; e.size > maxEncoded {
		e.young, e.old, e.size = nil, e.young, size
	}
	if e.young == nil {
		e.young = map[any][]byte{}
	}
	e.young[key] = text
}
