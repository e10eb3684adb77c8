package llm

import "sync/atomic"

// Memo keeps what was made of a message or a tool for one request, for the next
// that holds it: a conversation is sent again at every step, and only its end
// is new. It counts for what it was made of, not for a copy that was changed.
// It is safe for concurrent use; nil keeps nothing.
type Memo struct {
	wire  atomic.Pointer[wire]
	valid atomic.Pointer[Tool]
}

type wire struct {
	by   any
	of   []Part
	tool Tool
	text []byte
}

// Wire returns what encode made of the message before for whoever has the same
// by, or else what it makes of it now. The text is not to be changed.
func (m *Message) Wire(by any, encode func() ([]byte, error)) ([]byte, error) {
	if w := m.Memo.load(by); w != nil && len(w.of) == len(m.Parts) && (len(w.of) == 0 || &w.of[0] == &m.Parts[0]) {
		return w.text, nil
	}
	return m.Memo.keep(wire{by: by, of: m.Parts}, encode)
}

// Wire is what [Message.Wire] is for messages.
func (t *Tool) Wire(by any, encode func() ([]byte, error)) ([]byte, error) {
	if w := t.Memo.load(by); w != nil && w.tool.same(t) {
		return w.text, nil
	}
	return t.Memo.keep(wire{by: by, tool: *t}, encode)
}

func (m *Memo) load(by any) *wire {
	if m == nil {
		return nil
	}
	if w := m.wire.Load(); w != nil && w.by == by {
		return w
	}
	return nil
}

func (m *Memo) keep(w wire, encode func() ([]byte, error)) (text []byte, err error) {
	if w.text, err = encode(); err == nil && m != nil {
		m.wire.Store(&w)
	}
	return w.text, err
}

// checked reports whether the tool was found valid before; found says that it
// was now.
func (t *Tool) checked() bool {
	if t.Memo == nil {
		return false
	}
	before := t.Memo.valid.Load()
	return before != nil && before.same(t)
}

func (t *Tool) found() {
	if t.Memo != nil {
		t.Memo.valid.Store(&Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
}

// same reports whether two tools are copies of one.
func (t *Tool) same(u *Tool) bool {
	return t.Name == u.Name && t.Description == u.Description && len(t.Parameters) == len(u.Parameters) &&
		(len(t.Parameters) == 0 || &t.Parameters[0] == &u.Parameters[0])
}
