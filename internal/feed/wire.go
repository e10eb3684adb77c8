package feed

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
)

// everybody is the subject that all nodes hear. Each also has one of its own.
const everybody = "all"

func subjectOf(node string) string { return "node." + node }

// envelope is one message between nodes: from whom, and one of the others.
// Nodes of different versions may talk to each other: fields are only added,
// and what a node does not know it ignores.
type envelope struct {
	From string `json:"from"`
	// Hello says that a node is there.
	Hello *hello `json:"hello,omitempty"`
	// Watch says what a node wants to hear of.
	Watch *watch `json:"watch,omitempty"`
	// Ask asks a node to tell something again.
	Ask *ask `json:"ask,omitempty"`
	// Said is what is being said in drafts.
	Said *said `json:"said,omitempty"`
	// Bye: the node ends.
	Bye bool `json:"bye,omitempty"`
}

type hello struct {
	// Version is that of what the node watches.
	Version int64 `json:"version"`
}

// watch changes what a node watches, from the version before, or says all of it. A
// glob that is removed and added was let go of and then wanted again.
type watch struct {
	Version int64         `json:"version"`
	All     bool          `json:"all,omitempty"`
	Add     []nestor.Glob `json:"add,omitempty"`
	Remove  []nestor.Glob `json:"remove,omitempty"`
}

type ask struct {
	// Watch: what do you watch?
	Watch bool `json:"watch,omitempty"`
	// Drafts: begin anew with what is being said.
	Drafts bool `json:"drafts,omitempty"`
}

// said is a message of a stream from one node to another. Its messages are
// numbered from 1, so that a receiver notices when one is missing; then it asks
// for a new stream. One without pieces says that the node is still there.
type said struct {
	Stream int64 `json:"stream"`
	Number int64 `json:"number"`
	// Open are the drafts that a stream begins with. It is in the first message:
	// all others have ended.
	Open   []int64 `json:"open,omitempty"`
	Pieces []piece `json:"pieces,omitempty"`
}

// piece is what is new in one draft. What it says follows what was said before
// without a gap: the offsets are bytes of the same kind before it.
type piece struct {
	ID int64 `json:"id"`
	// Begin is in the first piece of a draft.
	Begin    *beginning `json:"begin,omitempty"`
	Restarts int        `json:"restarts,omitempty"`

	Text            string `json:"text,omitempty"`
	TextOffset      int    `json:"textOffset,omitempty"`
	Reasoning       string `json:"reasoning,omitempty"`
	ReasoningOffset int    `json:"reasoningOffset,omitempty"`
	Tools           []Tool `json:"tools,omitempty"`
	// End says how the draft ended; [KindRestart] that another one took its place.
	End Kind `json:"end,omitempty"`
}

type beginning struct {
	Draft
	After int64 `json:"after"`
	// Begun is in milliseconds.
	Begun int64 `json:"begun"`
}

// outgoing is a message that is yet to be encoded.
type outgoing struct {
	subject string
	envelope
}

// encode makes messages of a node.
func encode(from string, all []outgoing) []bus.Message {
	messages := make([]bus.Message, len(all))
	for i, m := range all {
		m.From = from
		data, err := json.Marshal(m.envelope)
		if err != nil {
			panic(err) // it has only strings and numbers
		}
		messages[i] = bus.Message{Subject: m.subject, Data: data}
	}
	return messages
}
