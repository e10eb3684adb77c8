package chatfork

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"

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
	for chat, notes := range byChat(notes) {
		if !going[chat] { // the forks of a chat keep together
			others, err := otherNotes(tx, chat, going)
			if err != nil {
				return nil, err
			}
			notes, also = append(notes, others...), append(also, others...)
		}
		var sharing []nestor.Path
		for _, d := range notes {
			note, err := nestor.As[nestor.ChatFork](d)
			if err != nil {
				return nil, err
			}
			if !going[note.Fork()] {
				sharing = append(sharing, note.Fork())
			}
		}
		if err := keep(tx, chat, sharing); err != nil {
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

// byChat are notes by the chat that they lie below, one chat after the other.
func byChat(notes []*nestor.Document) iter.Seq2[nestor.Path, []*nestor.Document] {
	of := map[nestor.Path][]*nestor.Document{}
	for _, d := range notes {
		of[d.Path.Parent()] = append(of[d.Path.Parent()], d)
	}
	return func(yield func(nestor.Path, []*nestor.Document) bool) {
		for _, chat := range slices.Sorted(maps.Keys(of)) {
			if !yield(chat, of[chat]) {
				return
			}
		}
	}
}

// otherNotes are the notes below a chat that are not going yet.
func otherNotes(tx *store.Session, chat nestor.Path, going map[nestor.Path]bool) (others []*nestor.Document, err error) {
	for q := (store.Query{Collection: string(chat) + "/forks", Limit: store.MaxLimit}); ; {
		page, err := tx.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			if going[d.Path] {
				continue
			}
			note, err := tx.GetToWrite(d.Path)
			if err != nil {
				return nil, err
			}
			if note != nil {
				others = append(others, note)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return others, nil
		}
	}
}

// sharer is a fork that shares messages with a chat.
type sharer struct {
	path nestor.Path
	chat nestor.Chat
	last *nestor.Document // the message with which that ends, nil for none
}

// keep has forks keep what they share with a chat. Of the forks of one user the one that
// shares the most gets a copy, which holds what each of the others shares, and these read
// it there from then on. So what is written does not depend on how many forks there
// are, and no user's chat depends on another user's.
func keep(tx *store.Session, chat nestor.Path, forks []nestor.Path) error {
	of := map[string][]*sharer{}
	for _, at := range forks {
		s, err := sharerAt(tx, at, chat)
		if err != nil {
			return err
		}
		if s != nil {
			of[at.UserID()] = append(of[at.UserID()], s)
		}
	}
	for _, user := range slices.Sorted(maps.Keys(of)) {
		if err := keepTogether(tx, of[user]); err != nil {
			return err
		}
	}
	return nil
}

// sharerAt is the fork at a path, nil if it does not share anything with the chat: it was
// deleted, and the chat at its path is another one.
func sharerAt(tx *store.Session, at, chat nestor.Path) (*sharer, error) {
	d, err := tx.GetToWrite(at)
	if err != nil || d == nil {
		return nil, err
	}
	c, err := nestor.As[nestor.Chat](d)
	if err != nil || c.ForkedFrom == nil || c.ForkedFrom.Source(at.UserID()) != chat {
		return nil, err
	}
	s := &sharer{path: at, chat: c}
	stretches, err := Shared(tx, &c)
	if err != nil {
		return nil, err
	}
	i, last, err := find(tx, stretches, "")
	if errors.Is(err, nestor.ErrNotFound) {
		return s, nil
	}
	if err == nil && stretches[i].Kept {
		last, err = asSaid(last)
	}
	s.last = last
	return s, err
}

// compare orders forks by how much they share.
func (s *sharer) compare(other *sharer) int {
	at, seq := s.end()
	otherAt, otherSeq := other.end()
	return cmp.Or(cmp.Compare(at, otherAt), cmp.Compare(seq, otherSeq))
}

// end is when the last message that is shared was said, 0 if there is none.
func (s *sharer) end() (at, seq int64) {
	if s.last == nil {
		return 0, 0
	}
	return s.last.CreatedAt, s.last.CreatedSeq
}

// keepTogether has the forks of one user keep what they share. Should the first copy not
// hold what one of them shares, as after a clock went back, the others make another.
func keepTogether(tx *store.Session, forks []*sharer) error {
	heir := slices.MaxFunc(forks, (*sharer).compare)
	kept := map[nestor.Path]string{} // the ids of what is kept, by what was said
	err := EachShared(tx, &heir.chat, func(m *nestor.Document) error {
		at, body, err := keptOf(heir.path, m)
		if err == nil {
			_, err = tx.Create(at, body)
		}
		kept[m.Path] = at.ID()
		return err
	})
	if err != nil {
		return err
	}
	var others []*sharer
	for _, f := range forks {
		point := map[string]any{"kept": true, "keptId": nil, "keptIn": nil}
		if f != heir && f.last != nil {
			id := kept[f.last.Path]
			if id == "" {
				others = append(others, f)
				continue
			}
			point["keptId"], point["keptIn"] = id, heir.path.ID()
			if _, err := tx.Create(NotePath(heir.path, f.path), nestor.ChatFork{ForkUserID: f.path.UserID(), ForkChatID: f.path.ID()}); err != nil {
				return err
			}
		}
		if _, err := tx.Patch(f.path, map[string]any{"forkedFrom": point}, store.AnyVersion); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	return keepTogether(tx, others)
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
	if err != nil || c.ForkedFrom == nil {
		return "", err
	}
	source := c.ForkedFrom.Source(d.Path.UserID())
	if source == "" {
		return "", nil
	}
	return NotePath(source, d.Path), nil
}

// Unshare makes all forks of a chat keep what they share with it, so that it can be
// changed.
func Unshare(tx store.Tx, chat nestor.Path) error {
	for {
		page, err := tx.Query(store.Query{Collection: string(chat) + "/forks", Limit: 1})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		// The other notes of the chat go with the first.
		if err := tx.Delete(page.Items[0].Path, store.AnyVersion); err != nil {
			return err
		}
	}
}

// MaxForks is how many forks may share messages with one chat.
const MaxForks = 500

// Room reports why a chat cannot have one more fork.
func Room(r store.Reader, chat nestor.Path) error {
	page, err := r.Query(store.Query{Collection: string(chat) + "/forks", Limit: MaxForks})
	if err == nil && len(page.Items) == MaxForks {
		return nestor.Errorf(nestor.CodeConflict, "%d chats share messages with this one, which is all that may: delete some, or fork one of them", MaxForks).
			With("reason", "too_many_forks").With("limit", MaxForks)
	}
	return err
}
