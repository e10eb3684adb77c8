// Package said turns the events of a run into what is new of what was said, each piece
// once.
//
// A run tells what is being said piece by piece, and a message once more as a whole when
// it is written; a follower that came late, or fell behind, gets only the whole. A
// protocol of others wants each character once, and to be told when a message is
// complete. [Teller] keeps what was passed on of each message and tells the difference.
package said

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
)

// Kind says what a part is.
type Kind int

// The kinds of parts.
const (
	// Text is a piece of what is said.
	Text Kind = iota
	// Reasoning is a piece of what the model thinks before it says something.
	Reasoning
	// Void: what was told of the message so far does not count.
	Void
	// Done: the message is complete, and nothing more of it follows.
	Done
	// Failure is a message that says why there is no answer. It comes whole, and
	// nothing else of it does.
	Failure
)

// Part is something new of a message.
type Part struct {
	Kind Kind
	// Path is the message, or where it will be.
	Path nestor.Path
	// AgentID is the agent below that says it, "" for who answers in the chat.
	AgentID string
	Text    string
	// Message is what was written, in a part that is Done or a Failure. It is nil for
	// what an agent below says, which is written elsewhere.
	Message *nestor.Message
}

// Teller tells what is new in the events of one run. Its zero value is ready.
type Teller struct {
	// Whole is what an agent below has written at a path, "" if nothing: its messages
	// are no events of the run, and the last words may not have been streamed. Nil is
	// for a door that passes on nothing of agents below.
	Whole func(nestor.Path) string

	open map[nestor.Path]*message
	done map[nestor.Path]bool
	// latest is the message that each agent below is saying.
	latest map[string]nestor.Path
}

// message is what was passed on of one.
type message struct {
	agent           string
	text, reasoning passed
}

// passed is a text that was passed on, and how many characters it has.
type passed struct {
	strings.Builder
	chars int
}

func (p *passed) add(s string) {
	p.WriteString(s)
	p.chars += utf8.RuneCountInString(s)
}

// Tell is what is new in an event. Events that say nothing may end what an agent below
// was saying.
func (t *Teller) Tell(e *runs.Event) []Part {
	if t.open == nil {
		t.open, t.done, t.latest = map[nestor.Path]*message{}, map[nestor.Path]bool{}, map[string]nestor.Path{}
	}
	switch e.Type {
	case runs.Text, runs.Reasoning:
		return t.piece(e)
	case runs.Restarted:
		return t.void(e.Path)
	case runs.Said:
		return t.written(e)
	case runs.RunWaits, runs.RunEnded:
		return t.rest()
	case runs.RunBegan:
		return nil
	}
	return t.below(e.AgentID, "")
}

// piece is what is new in a piece of text.
func (t *Teller) piece(e *runs.Event) (parts []Part) {
	if t.done[e.Path] {
		return nil // a late piece of a message that is complete
	}
	parts = t.below(e.AgentID, e.Path)
	m := t.open[e.Path]
	if m == nil {
		m = &message{agent: e.AgentID}
		t.open[e.Path] = m
		if e.AgentID != "" {
			t.latest[e.AgentID] = e.Path
		}
	}
	kind, so := Text, &m.text
	if e.Type == runs.Reasoning {
		kind, so = Reasoning, &m.reasoning
	}
	if e.Offset > so.chars {
		return parts // something is missing before it: the whole message tells
	}
	fresh := after(e.Text, so.chars-e.Offset)
	if fresh == "" {
		return parts
	}
	so.add(fresh)
	return append(parts, Part{Kind: kind, Path: e.Path, AgentID: e.AgentID, Text: fresh})
}

// after is s without its first n characters.
func after(s string, n int) string {
	for ; n > 0 && s != ""; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}

// void takes back what was passed on of a message.
func (t *Teller) void(p nestor.Path) []Part {
	m := t.open[p]
	if m == nil {
		return nil
	}
	delete(t.open, p)
	if m.text.Len()+m.reasoning.Len() == 0 {
		return nil
	}
	return []Part{{Kind: Void, Path: p, AgentID: m.agent}}
}

// written is what was not passed on yet of a message that is written now.
func (t *Teller) written(e *runs.Event) (parts []Part) {
	m := e.Message
	if t.done[e.Path] || m == nil {
		return nil
	}
	t.done[e.Path] = true
	had := t.open[e.Path]
	if had == nil {
		had = &message{}
	}
	switch m.Type {
	case nestor.MessageError:
		return append(t.void(e.Path), Part{Kind: Failure, Path: e.Path, Text: m.Content, Message: m})
	case nestor.MessageText, nestor.MessageToolCall, "":
	default: // for people who look on, such as who stopped it
		return t.void(e.Path)
	}
	thought := reasoning(m)
	thinks := had.text.chars == 0 && thought != "" // what it thought may still be told
	if !continues(m.Content, had.text.String()) || thinks && !continues(thought, had.reasoning.String()) {
		parts, had = t.void(e.Path), &message{}
		thinks = thought != ""
	}
	delete(t.open, e.Path)
	if thinks && len(thought) > had.reasoning.Len() {
		parts = append(parts, Part{Kind: Reasoning, Path: e.Path, Text: thought[had.reasoning.Len():]})
	}
	if len(m.Content) > had.text.Len() {
		parts = append(parts, Part{Kind: Text, Path: e.Path, Text: m.Content[had.text.Len():]})
	}
	return append(parts, Part{Kind: Done, Path: e.Path, Message: m})
}

// continues reports whether somebody who was told had can be told the rest of all. Space
// at the end may have been cut off.
func continues(all, had string) bool {
	return strings.HasPrefix(all, had) || strings.TrimRightFunc(had, unicode.IsSpace) == all
}

// reasoning is what the model thought, as far as the message tells.
func reasoning(m *nestor.Message) string {
	var blocks []struct {
		Text string `json:"text"`
	}
	if m.Metadata == nil || json.Unmarshal(m.Metadata.Reasoning, &blocks) != nil {
		return ""
	}
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.Text)
	}
	return all.String()
}

// below ends what an agent below was saying, unless that is the message at p: it does
// one thing after the other, and its own messages are no events of the run.
func (t *Teller) below(agent string, p nestor.Path) []Part {
	was := t.latest[agent]
	if agent == "" || was == "" || was == p {
		return nil
	}
	delete(t.latest, agent)
	m := t.open[was]
	if m == nil {
		return nil // it was void
	}
	delete(t.open, was)
	t.done[was] = true
	done := Part{Kind: Done, Path: was, AgentID: agent}
	if t.Whole != nil {
		if rest, ok := strings.CutPrefix(t.Whole(was), m.text.String()); ok && rest != "" {
			return []Part{{Kind: Text, Path: was, AgentID: agent, Text: rest}, done}
		}
	}
	return []Part{done}
}

// rest ends what agents below were saying, when nothing happens any more. What was being
// said in the chat and is not written now never will be.
func (t *Teller) rest() (parts []Part) {
	for _, agent := range slices.Sorted(maps.Keys(t.latest)) {
		parts = append(parts, t.below(agent, "")...)
	}
	for _, p := range slices.Sorted(maps.Keys(t.open)) {
		parts = append(parts, t.void(p)...)
	}
	return parts
}
