package file

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
)

// InChat finds a file that messages of a chat name, or messages that the chat shares
// with those it was forked from. The error is of [nestor.CodeNotFound] if there is
// none. Whether somebody may read the chat is the caller's to know.
func InChat(r store.Reader, chat nestor.Path, id string) (*nestor.File, error) {
	if !isID(id) {
		return nil, missing(id)
	}
	note, err := store.Find[nestor.ChatFile](r, notePath(chat, id))
	if err == nil && note == nil {
		note, err = shared(r, chat, id)
	}
	if err != nil {
		return nil, err
	}
	if note == nil {
		return nil, missing(id)
	}
	f, err := store.Find[nestor.File](r, nestor.FilePath(note.OwnerID, id))
	if err == nil && f == nil {
		err = missing(id)
	}
	if err != nil {
		return nil, err
	}
	f.Name = note.Name
	return f, nil
}

func missing(id string) error {
	return nestor.Errorf(nestor.CodeNotFound, "there is no file %s here", id)
}

// shared is the note of a chat that this one shares messages with. It was made with
// the first message that names the file, so it tells whether that is shared.
func shared(r store.Reader, chat nestor.Path, id string) (*nestor.ChatFile, error) {
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil || c.ForkedFrom == nil {
		return nil, err
	}
	stretches, err := chatfork.Shared(r, c)
	if err != nil {
		return nil, err
	}
	for _, s := range stretches {
		d, err := store.FindDocument(r, notePath(s.Chat(), id))
		if err != nil {
			return nil, err
		}
		if d == nil {
			continue
		}
		is := s.Has(d)
		if s.Kept { // messages are kept long after they were said
			if is, err = names(r, s, id); err != nil {
				return nil, err
			}
		}
		if is {
			note, err := nestor.As[nestor.ChatFile](d)
			return &note, err
		}
	}
	return nil, nil
}

// names reports whether a message of a stretch names a file.
func names(r store.Reader, s chatfork.Stretch, id string) (bool, error) {
	for q := (store.Query{Limit: store.MaxLimit}); ; {
		page, err := s.Read(r, q)
		if err != nil {
			return false, err
		}
		for _, d := range page.Items {
			ids, err := namedIn(d)
			if err != nil || ids[id] {
				return ids[id], err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return false, nil
		}
	}
}
