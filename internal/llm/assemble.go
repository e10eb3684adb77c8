package llm

import (
	"cmp"
	"slices"
)

// CallPiece is a fragment of a tool call as a provider streams it. Fields that
// a fragment does not carry are empty.
type CallPiece struct {
	// Index tells parallel calls apart.
	Index     int64
	ID        string
	Name      string
	Arguments string
	Signature string
}

// assembler puts tool calls together from their pieces. A call is complete
// when the reply is, never because a prefix of its arguments happens to parse.
//
// Servers that are nearly compatible number all calls 0, give every piece of a
// call another id, or none. Then what a piece holds decides: only a piece with
// a name starts a call, and it continues the one before it as long as that one's
// arguments are not whole.
type assembler struct {
	// known reports whether a tool was offered under a name. It tells a second
	// call from the second half of a name. Nil means that no tool is known.
	known func(name string) bool

	calls  []*partialCall
	newest *partialCall
	latest map[int64]*partialCall // by index
	byID   map[callKey]*partialCall
}

type callKey struct {
	index int64
	id    string
}

type partialCall struct {
	index     int64
	call      ToolCall
	arguments []byte
	whole     wholeness
	// repeated: a piece repeated the name after the arguments were whole. What
	// follows without a name belongs to another call of the same tool.
	repeated bool
}

const (
	// maxName bounds the name of a tool, far above what providers accept.
	maxName = 256
	// maxCalls bounds the calls of one reply.
	maxCalls = 128
)

// add takes in a piece. It reports false if the reply makes more calls than it
// may.
func (a *assembler) add(p CallPiece) bool {
	c := a.at(p)
	if c == nil {
		return false
	}
	// Some servers repeat the whole name with every piece, others would split it.
	if p.Name != c.call.Name && len(c.call.Name)+len(p.Name) <= maxName {
		c.call.Name += p.Name
	}
	if p.Signature != "" {
		c.call.Signature = p.Signature
	}
	c.arguments = append(c.arguments, p.Arguments...)
	c.whole.read(p.Arguments)
	a.newest = c
	return true
}

// at returns the call that p continues or starts, nil if there are too many.
func (a *assembler) at(p CallPiece) *partialCall {
	if a.latest == nil {
		a.latest, a.byID = map[int64]*partialCall{}, map[callKey]*partialCall{}
	}
	c := a.latest[p.Index]
	if p.ID != "" {
		if same := a.byID[callKey{p.Index, p.ID}]; same != nil {
			return same
		}
	}
	if c == nil && p.Name == "" && p.ID == "" {
		c = a.newest // a piece that has lost its number
	}
	if c == nil || a.starts(c, p) {
		if len(a.calls) == maxCalls {
			return nil
		}
		name := ""
		if c != nil && p.Name == "" {
			name = c.call.Name
		}
		c = &partialCall{index: p.Index, call: ToolCall{Name: name}}
		a.calls = append(a.calls, c)
		a.latest[p.Index] = c
	}
	if p.ID != "" {
		if c.call.ID == "" {
			c.call.ID = p.ID
		}
		a.byID[callKey{p.Index, p.ID}] = c
	}
	return c
}

// starts reports whether p is the first piece of another call than c, which has
// the same index.
func (a *assembler) starts(c *partialCall, p CallPiece) bool {
	begun := len(c.arguments) > 0
	another := p.ID != "" && c.call.ID != ""
	switch {
	case p.Name == "":
		return c.repeated && p.Arguments != ""
	case c.call.Name == "":
		return false
	case !begun && another:
		return true
	case !begun:
		return p.Name != c.call.Name && a.known != nil && a.known(c.call.Name) && a.known(p.Name)
	case p.Name != c.call.Name, another:
		return c.whole.done() || p.Name != c.call.Name
	case c.whole.done() && p.Arguments == "":
		c.repeated = true
		return false
	}
	return c.whole.done()
}

// finish returns the calls in order. A call without argument text has no
// arguments, "{}", unless the reply was cut: then text may be missing, and it
// stays as it came. Missing ids derive from replyID and the call's position. A call
// without a name keeps none: whoever looks for its tool tells the model.
func (a *assembler) finish(replyID string, cut bool) []ToolCall {
	slices.SortStableFunc(a.calls, func(x, y *partialCall) int { return cmp.Compare(x.index, y.index) })
	calls := make([]ToolCall, 0, len(a.calls))
	for i, c := range a.calls {
		call := c.call
		if call == (ToolCall{}) && len(c.arguments) == 0 {
			continue // some servers send pieces that hold nothing
		}
		if call.ID == "" {
			call.ID = callID(replyID, i)
		}
		call.Arguments = string(c.arguments)
		if call.Arguments == "" && !cut {
			call.Arguments = "{}"
		}
		calls = append(calls, call)
	}
	return calls
}

// wholeness tells when a text that comes in pieces is one whole JSON object or
// list, reading each byte once. Whether it is valid is another question.
type wholeness struct {
	depth    int
	begun    bool
	inString bool
	escaped  bool
}

func (w *wholeness) read(text string) {
	for i := range len(text) {
		c := text[i]
		switch {
		case w.escaped:
			w.escaped = false
		case w.inString:
			w.escaped, w.inString = c == '\\', c != '"'
		case c == '"':
			w.inString = true
		case c == '{' || c == '[':
			w.depth++
			w.begun = true
		case c == '}' || c == ']':
			w.depth--
		}
	}
}

func (w *wholeness) done() bool { return w.begun && w.depth <= 0 && !w.inString }
