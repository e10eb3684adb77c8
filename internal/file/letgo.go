package file

import (
	"bytes"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// letGo is called before documents are deleted. Of messages that go their chats no
// longer count, the notes of chats go that no message stands for any more, and
// so do files without a note. It returns those notes and files.
func letGo(s *store.Session, doomed []*nestor.Document) (also []*nestor.Document, err error) {
	var messages, notes []*nestor.Document
	for _, d := range doomed {
		switch {
		case ChatFiles.Has(d.Path):
			notes = append(notes, d)
		case bytes.Contains(d.Data, []byte(`"fileId"`)) && says(d.Path):
			messages = append(messages, d)
		}
	}
	if len(messages) == 0 && len(notes) == 0 {
		return nil, nil
	}
	going := make(map[nestor.Path]bool, len(doomed))
	for _, d := range doomed {
		going[d.Path] = true
	}
	unsaid := map[nestor.Path]int{} // how many messages fewer name a file, by its note
	for _, d := range messages {
		ids, err := namedIn(d)
		if err != nil {
			return nil, err
		}
		for id := range ids {
			if at := notePath(chatOf(d.Path), id); !going[at] {
				unsaid[at]++
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(unsaid)) {
		gone, err := fewer(s, at, "messages", unsaid[at])
		if err != nil {
			return nil, err
		}
		if gone != nil {
			notes, also = append(notes, gone), append(also, gone)
		}
	}
	unheld := map[nestor.Path]int{} // and how many chats, by the file
	for _, d := range notes {
		note, err := nestor.As[nestor.ChatFile](d)
		if err != nil {
			return nil, err
		}
		if at := nestor.FilePath(note.OwnerID, note.ID); !going[at] {
			unheld[at]++
		}
	}
	for _, at := range slices.Sorted(maps.Keys(unheld)) {
		gone, err := fewer(s, at, "chats", unheld[at])
		if err != nil {
			return nil, err
		}
		if gone != nil {
			also = append(also, gone)
		}
	}
	return also, nil
}

// fewer lowers a count of the document at p. If none are left it changes nothing and
// returns the document, which is to go.
func fewer(s *store.Session, p nestor.Path, field string, by int) (gone *nestor.Document, err error) {
	d, err := s.GetToWrite(p)
	if err != nil || d == nil {
		return nil, err
	}
	counts, err := nestor.As[struct{ Messages, Chats int }](d)
	if err != nil {
		return nil, err
	}
	left := counts.Messages + counts.Chats - by // each has one of them
	if left <= 0 {
		return d, nil
	}
	_, err = s.Patch(p, map[string]any{field: left}, store.AnyVersion)
	return nil, err
}
