package store

import (
	"bytes"

	"github.com/nestorhq/nestor"
)

// Deleting a chat never takes from a fork what it shares. Whoever deletes it, the same
// transaction copies the shared messages to below each fork, which then stands by
// itself. This lies in the session, as a foreign key lies in the database, so that no
// way to delete a chat goes around it: not a request, not retention, not the end of a
// user.
//
// A fork and a delete at the same time meet at the chat's row: the note about the fork
// lies below the chat, so the database lets it in before the delete has read the notes,
// or not at all.

// keptOverhead is how much larger than its message a kept message may be.
const keptOverhead = 1 << 10

// keepForForks prepares the deletion of documents. Forks outside of them keep what they
// share with these, and of forks among them the notes elsewhere go.
func (s *Session) keepForForks(doomed []*nestor.Document) error {
	var notes, forks []*nestor.Document
	for _, d := range doomed {
		switch {
		case ChatForks.Has(d.Path):
			notes = append(notes, d)
		case Chats.Has(d.Path) && bytes.Contains(d.Data, []byte(`"forkedFrom"`)):
			forks = append(forks, d)
		}
	}
	if len(notes) == 0 && len(forks) == 0 {
		return nil
	}
	going := make(map[nestor.Path]bool, len(doomed))
	for _, d := range doomed {
		going[d.Path] = true
	}
	for _, d := range notes {
		note, err := nestor.As[nestor.ChatFork](d)
		if err != nil {
			return err
		}
		if going[note.Fork()] {
			continue
		}
		if err := s.keep(note.Fork(), d.Path.Parent()); err != nil {
			return err
		}
	}
	for _, d := range forks {
		if err := s.forgetFork(d, going); err != nil {
			return err
		}
	}
	return nil
}

// keep copies what a fork shares to below it, if it shares it with the chat.
func (s *Session) keep(fork, chat nestor.Path) error {
	d, err := s.load(fork, true)
	if err != nil || d == nil {
		return err
	}
	c, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return err
	}
	if c.ForkedFrom == nil || c.ForkedFrom.Kept || c.ForkedFrom.Chat() != chat {
		return nil // it was deleted, and the chat at its path is another one
	}
	err = EachShared(s, &c, func(m *nestor.Document) error {
		at, body, err := keptOf(fork, m)
		if err == nil {
			_, err = s.write(at, nil, body, false)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.Patch(fork, map[string]any{"forkedFrom": map[string]any{"kept": true, "keptId": nil}}, AnyVersion)
	return err
}

// keptOf is a message as a fork keeps it.
func keptOf(fork nestor.Path, m *nestor.Document) (nestor.Path, map[string]any, error) {
	body, err := decodeObject(Messages.RowBody(m))
	if err != nil {
		return "", nil, err
	}
	in := m.Path.Parent()
	body["fromUserId"], body["fromChatId"], body["messageId"] = in.UserID(), in.ID(), m.Path.ID()
	body["saidAt"], body["saidSeq"] = m.CreatedAt, m.CreatedSeq
	return fork.Child("kept-messages", nestor.DeriveID("kept", string(m.Path))), body, nil
}

// Kept is the document in which a fork would keep a message.
func Kept(fork nestor.Path, m *nestor.Document) (*nestor.Document, error) {
	at, body, err := keptOf(fork, m)
	if err != nil {
		return nil, err
	}
	row, err := encode(body)
	return &nestor.Document{Path: at, Data: KeptMessages.Data(at, row)}, err
}

// forgetFork deletes the note about a fork that is about to be deleted.
func (s *Session) forgetFork(d *nestor.Document, going map[nestor.Path]bool) error {
	c, err := nestor.As[nestor.Chat](d)
	if err != nil || c.ForkedFrom == nil || c.ForkedFrom.Kept {
		return err
	}
	at := NotePath(c.ForkedFrom.Chat(), d.Path)
	if going[at] {
		return nil
	}
	note, err := s.load(at, true)
	if err != nil || note == nil {
		return err
	}
	s.pending = append(s.pending, NewEvent(nestor.Change{Type: nestor.Delete, Path: at, Version: note.Version + 1, At: s.now, Before: note}))
	s.known[at] = known{version: note.Version + 1, written: true}
	return nil
}

// Unshare makes all forks of a chat keep what they share with it, so that it can be
// changed.
func Unshare(tx Tx, chat nestor.Path) error { return Clear(tx, string(chat)+"/forks") }
