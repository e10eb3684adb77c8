package chatfork

import (
	"bytes"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// keepForForks prepares the deletion of documents. Forks outside of them keep what they
// share with these, and of forks among them the notes elsewhere go, too.
func keepForForks(tx *store.Session, doomed []*nestor.Document) (also []*nestor.Document, err error) {
	var notes, forks []*nestor.Document
	for _, d := range doomed {
		switch {
		case ChatForks.Has(d.Path):
			notes = append(notes, d)
		case store.Chats.Has(d.Path) && bytes.Contains(d.Data, []byte(`"forkedFrom"`)):
			forks = append(forks, d)
		}
	}
	if len(notes) == 0 && len(forks) == 0 {
		return nil, nil
	}
	going := make(map[nestor.Path]bool, len(doomed))
	for _, d := range doomed {
		going[d.Path] = true
	}
	for _, d := range notes {
		note, err := nestor.As[nestor.ChatFork](d)
		if err != nil {
			return nil, err
		}
		if going[note.Fork()] {
			continue
		}
		if err := keep(tx, note.Fork(), d.Path.Parent()); err != nil {
			return nil, err
		}
	}
	for _, d := range forks {
		at, err := noteOf(d)
		if err != nil {
			return nil, err
		}
		if at == "" || going[at] {
			continue
		}
		note, err := tx.GetToWrite(at)
		if err != nil {
			return nil, err
		}
		if note != nil {
			also = append(also, note)
		}
	}
	return also, nil
}

// keep copies what a fork shares to below it, if it shares it with the chat.
func keep(tx *store.Session, fork, chat nestor.Path) error {
	d, err := tx.GetToWrite(fork)
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
	err = EachShared(tx, &c, func(m *nestor.Document) error {
		at, body, err := keptOf(fork, m)
		if err == nil {
			_, err = tx.Create(at, body)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = tx.Patch(fork, map[string]any{"forkedFrom": map[string]any{"kept": true, "keptId": nil}}, store.AnyVersion)
	return err
}

// keptOf is a message as a fork keeps it.
func keptOf(fork nestor.Path, m *nestor.Document) (nestor.Path, map[string]any, error) {
	body, err := store.Object(json.RawMessage(store.Messages.RowBody(m)))
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
	row, err := store.Encode(body)
	return &nestor.Document{Path: at, Data: KeptMessages.Data(at, row)}, err
}

// noteOf is where the note about a fork lies, "" if there is none.
func noteOf(d *nestor.Document) (nestor.Path, error) {
	c, err := nestor.As[nestor.Chat](d)
	if err != nil || c.ForkedFrom == nil || c.ForkedFrom.Kept {
		return "", err
	}
	return NotePath(c.ForkedFrom.Chat(), d.Path), nil
}

// Unshare makes all forks of a chat keep what they share with it, so that it can be
// changed.
func Unshare(tx store.Tx, chat nestor.Path) error { return store.Clear(tx, string(chat)+"/forks") }
