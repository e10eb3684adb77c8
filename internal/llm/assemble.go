package llm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/nestorhq/nestor"
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
type assembler struct {
	calls  []*partialCall
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
}

func (a *assembler) add(p CallPiece) {
	c := a.at(p)
	// Some servers repeat the whole name with every piece, others would split it.
	if p.Name != c.call.Name {
		c.call.Name += p.Name
	}
	if p.Signature != "" {
		c.call.Signature = p.Signature
	}
	c.arguments = append(c.arguments, p.Arguments...)
}

// at returns the call that p continues or starts. Another id at an index in use
// is another call: some compatible servers number all parallel calls 0.
func (a *assembler) at(p CallPiece) *partialCall {
	if a.latest == nil {
		a.latest, a.byID = map[int64]*partialCall{}, map[callKey]*partialCall{}
	}
	c := a.latest[p.Index]
	if p.ID != "" {
		if same := a.byID[callKey{p.Index, p.ID}]; same != nil {
			return same
		}
		if c != nil && c.call.ID != "" {
			c = nil
		}
	}
	if c == nil {
		c = &partialCall{index: p.Index}
		a.calls = append(a.calls, c)
		a.latest[p.Index] = c
	}
	if p.ID != "" {
		c.call.ID = p.ID
		a.byID[callKey{p.Index, p.ID}] = c
	}
	return c
}

// finish returns the calls in order. A call without argument text has no
// arguments, "{}", unless the reply was cut: then text may be missing, and it
// stays as it came. Missing ids derive from replyID and the call's position.
func (a *assembler) finish(replyID string, cut bool) ([]ToolCall, error) {
	slices.SortStableFunc(a.calls, func(x, y *partialCall) int { return cmp.Compare(x.index, y.index) })
	calls := make([]ToolCall, 0, len(a.calls))
	for i, c := range a.calls {
		call := c.call
		if call.Name == "" {
			return nil, nestor.Errorf(nestor.CodeUnavailable, "tool call %d of the reply has no name", i+1)
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
	return calls, nil
}

// callID is short and plain, because providers are strict about the ids that
// come back to them: OpenAI wants at most 40 characters, Anthropic [a-zA-Z0-9_-].
func callID(replyID string, position int) string {
	sum := sha256.Sum256([]byte(replyID + "/" + strconv.Itoa(position)))
	return "call_" + hex.EncodeToString(sum[:12])
}
