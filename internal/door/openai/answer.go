package openai

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/store"
)

// listener is told an answer while it is made: one text after the other.
type listener interface {
	// began is told when something is said at all.
	began(*said) error
	// more is told what was said since.
	more(t *said, text string) error
	// ended is told when all is said. The whole may be another text than the pieces
	// if the model began anew.
	ended(*said) error
	// beats while nothing happens.
	beats() error
}

// said is a text of an answer: a message of the chat, as far as it is known.
type said struct {
	path nestor.Path
	// draft is what the model says, and told what the listener knows of it, which
	// counts runes.
	draft, told string
	runes       int
	// anew: the model began again, so what is told may be void.
	anew bool
	// written: the message is there, and draft is its text.
	written bool
	// begun: the listener knows that there is a text.
	begun bool
}

// answer is what comes of a run, from what happens in it.
type answer struct {
	chat nestor.Path
	to   listener
	// texts are the messages of the chat, in the order in which they are told. Those before
	// next are told completely.
	texts []*said
	next  int
	// pending are calls that wait for their results, by path, in order.
	pending []runs.Event
	// ended are the calls that have their results.
	ended map[nestor.Path]bool
	// approvals are calls that wait for somebody's approval, by path.
	approvals map[nestor.Path]string
	// patient: whoever asked waits for approvals, too, and stays meanwhile if stays is set.
	patient, stays bool
	// note is what is told if nothing was said: a question, a status.
	note string
	// failure says why there is no answer.
	failure string
	// finish is why the last reply of a model ended.
	finish string
}

func newAnswer(chat nestor.Path, to listener) *answer {
	return &answer{chat: chat, to: to, ended: map[nestor.Path]bool{}, approvals: map[nestor.Path]string{}}
}

// inChat reports whether a document is a message of the chat. What agents below say is
// told elsewhere.
func (a *answer) inChat(p nestor.Path) bool {
	return store.Messages.Has(p) && p.Parent() == a.chat
}

// take adds what happened.
func (a *answer) take(e *runs.Event) error {
	switch e.Type {
	case runs.Text:
		if a.inChat(e.Path) {
			a.at(e.Path).add(e.Text, e.Offset)
			return a.tell()
		}
	case runs.Restarted:
		if t := a.find(e.Path); t != nil && !t.written {
			t.draft, t.runes, t.anew = "", 0, true
		}
	case runs.Said:
		return a.write(e.Message, e.Path)
	case runs.ClientCall:
		if !a.ended[e.Path] && !slices.ContainsFunc(a.pending, func(c runs.Event) bool { return c.Path == e.Path }) {
			a.pending = append(a.pending, *e)
		}
	case runs.ToolBegan:
		delete(a.approvals, e.Path)
	case runs.ToolEnded:
		delete(a.approvals, e.Path)
		a.ended[e.Path] = true
		a.pending = slices.DeleteFunc(a.pending, func(c runs.Event) bool { return c.Path == e.Path })
	case runs.Question:
		a.note = e.Text
	case runs.Approval:
		a.approvals[e.Path] = e.Tool
	}
	return nil
}

// write takes a message that was written.
func (a *answer) write(m *nestor.Message, p nestor.Path) error {
	if !a.inChat(p) || m.Role == nestor.RoleUser || m.Role == nestor.RoleTool {
		return nil
	}
	switch m.Type {
	case "", nestor.MessageText, nestor.MessageToolCall:
	case nestor.MessageError:
		a.failure = m.Content
		return nil
	case nestor.MessageStatus:
		a.note = m.Content
		return nil
	default:
		return nil
	}
	if m.Metadata != nil {
		a.finish = m.Metadata.FinishReason
	}
	t := a.find(p)
	switch {
	case t == nil && m.Content == "", t != nil && t.written:
		return nil
	case t == nil:
		t = a.at(p)
	}
	t.draft, t.runes, t.written, t.anew = m.Content, utf8.RuneCountInString(m.Content), true, true
	a.failure = ""
	return a.tell()
}

func (a *answer) find(p nestor.Path) *said {
	for _, t := range a.texts {
		if t.path == p {
			return t
		}
	}
	return nil
}

func (a *answer) at(p nestor.Path) *said {
	t := a.find(p)
	if t == nil {
		t = &said{path: p}
		a.texts = append(a.texts, t)
	}
	return t
}

// add sets the text from a character on.
func (t *said) add(text string, offset int) {
	if t.written {
		return // it comes late, and is part of what was written
	}
	if offset < t.runes {
		t.draft, t.anew = string([]rune(t.draft)[:offset]), true
	}
	if offset <= t.runes {
		t.draft += text
		t.runes = offset + utf8.RuneCountInString(text)
	}
}

// tell tells what can be told: the texts one after the other, each from its begin.
func (a *answer) tell() error {
	for ; a.next < len(a.texts); a.next++ {
		t := a.texts[a.next]
		if !t.written && t.anew && a.laterWritten() && t.told == "" {
			continue // a draft that was dropped
		}
		if err := a.tellOne(t); err != nil {
			return err
		}
		if !t.written && !(t.anew && a.laterWritten()) {
			return nil
		}
		if !t.written {
			t.draft = t.told // nobody will write it
		}
		if err := a.to.ended(t); err != nil {
			return err
		}
	}
	return nil
}

// laterWritten reports whether a text after the one that is told is complete.
func (a *answer) laterWritten() bool {
	for _, t := range a.texts[a.next+1:] {
		if t.written {
			return true
		}
	}
	return false
}

// tellOne tells what is new in a text. What contradicts what was told waits until
// the whole is known.
func (a *answer) tellOne(t *said) error {
	if !t.begun && (t.draft != "" || t.written) {
		t.begun = true
		if err := a.to.began(t); err != nil {
			return err
		}
	}
	if len(t.draft) <= len(t.told) || t.anew && !strings.HasPrefix(t.draft, t.told) {
		return nil
	}
	piece := t.draft[len(t.told):]
	t.told = t.draft
	return a.to.more(t, piece)
}

// close tells what is left when the run rests.
func (a *answer) close() error {
	for ; a.next < len(a.texts); a.next++ {
		t := a.texts[a.next]
		if !t.written {
			t.draft = t.told // nobody wrote it: it was interrupted
		}
		if err := a.tellOne(t); err != nil {
			return err
		}
		if t.begun {
			if err := a.to.ended(t); err != nil {
				return err
			}
		}
	}
	remark := a.note
	if len(a.approvals) > 0 {
		remark = "Somebody must approve what is to be done before this goes on: " + strings.Join(slices.Sorted(maps.Values(a.approvals)), ", ") + "."
	} else if a.text() != "" {
		return nil
	}
	if remark == "" || len(a.pending) > 0 || a.failure != "" || a.patient {
		return nil
	}
	return a.write(&nestor.Message{Role: nestor.RoleAssistant, Content: remark}, a.chat.Child("messages", note))
}

// lastMessage is the last message of the chat that the answer is, "" if it is none.
func (a *answer) lastMessage() string {
	for _, t := range slices.Backward(a.texts) {
		if t.written && t.path.ID() != note {
			return t.path.ID()
		}
	}
	return ""
}

// note is the id of a text that is told and stands in no message.
const note = "note"

// text is all that was said.
func (a *answer) text() string {
	var all []string
	for _, t := range a.texts {
		if t.draft != "" {
			all = append(all, t.draft)
		}
	}
	return strings.Join(all, "\n\n")
}
